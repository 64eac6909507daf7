import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describeValue } from '../../core/describe-value.ts';
import { requireObject } from '../../core/requirements.ts';
import { attributes, type LeaseTable } from './attributes.ts';

/** What is called of an AWS SDK client. */
export type DynamoDbClient = Pick<DynamoDBClient, 'send'>;

/** Options of `dynamoDbLeaseStore`. */
export interface DynamoDbLeaseStoreOptions {
  /**
   * A `DynamoDBClient`, or a `DynamoDBDocumentClient`. It is used as it is: its retries, time-outs
   * and credentials are the caller's.
   */
  readonly client: DynamoDbClient;
  /** Name or ARN of the table. */
  readonly tableName: string;
  /** Name of the table's partition key, a string. Default `key`. */
  readonly partitionKey?: string;
  /** Sort key of the table, if it has one: its name, and the value for all leases of this store. */
  readonly sortKey?: { readonly name: string; readonly value: string };
  /**
   * What to do with a lease record whose fencing token is gone, as after a Java client that
   * replaces the whole item. `fail` (default) rejects with `LeaseRecordInvalidError`; `restart`
   * starts anew above the wall clock.
   */
  readonly onTokenLost?: 'fail' | 'restart';
}

/** The table that a store is, or will be, configured for. */
export interface LeaseTableOptions {
  readonly client: DynamoDbClient;
  readonly tableName: string;
  /** Name of the partition key. Default `key`. */
  readonly partitionKey?: string;
  /** Name of the sort key, if the table has one; the store's own option fits too. */
  readonly sortKey?: string | { readonly name: string };
  /** Bounds the whole call. */
  readonly signal?: AbortSignal;
}

/** Key names of a table of leases; both are strings. */
export interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey: string | undefined;
}

/**
 * The table that `options` describe.
 *
 * @throws `TypeError` naming the option, what it got and what fits.
 */
export function leaseTableOf(options: DynamoDbLeaseStoreOptions): LeaseTable {
  const { partitionKey } = keyNamesOf(options);
  const { onTokenLost, sortKey, tableName } = options;
  if (sortKey !== undefined) {
    requireObject('sortKey', sortKey, 'an object with name and value');
    requireText('sortKey.value', sortKey.value);
  }
  if (onTokenLost !== undefined && !['fail', 'restart'].includes(onTokenLost)) {
    throw new TypeError(
      `onTokenLost must be 'fail' or 'restart', got ${describeValue(onTokenLost)}`,
    );
  }
  return {
    tableName,
    partitionKey,
    sortKey: sortKey && { name: sortKey.name, value: sortKey.value },
  };
}

/**
 * The key names that `options` ask for.
 *
 * @throws `TypeError` naming the option that does not fit.
 */
export function keyNamesOf(options: LeaseTableOptions): KeyNames {
  requireObject('options', options, 'an object with client and tableName');
  requireClient(options.client);
  requireText('tableName', options.tableName);
  const { partitionKey: givenKey = 'key', sortKey: given } = options;
  const partitionKey = requireKeyName('partitionKey', givenKey);
  if (given === undefined) {
    return { partitionKey, sortKey: undefined };
  }
  const name = typeof given === 'string' ? given : requireObject('sortKey', given).name;
  const sortKey = requireKeyName('sortKey.name', name);
  if (sortKey === partitionKey) {
    throw new TypeError(
      `sortKey.name must differ from partitionKey, got ${describeValue(sortKey)} for both`,
    );
  }
  return { partitionKey, sortKey };
}

function requireClient(client: unknown): void {
  const sends =
    typeof client === 'object' &&
    client !== null &&
    'send' in client &&
    typeof client.send === 'function';
  if (!sends) {
    throw new TypeError(
      `client must be a DynamoDBClient of AWS SDK version 3, got ${describeValue(client)}`,
    );
  }
}

function requireText(option: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new TypeError(
      `${option} must be a string that is not empty, got ${describeValue(value)}`,
    );
  }
  return value;
}

const reserved: ReadonlySet<unknown> = new Set(Object.values(attributes));

function requireKeyName(option: string, value: unknown): string {
  const name = requireText(option, value);
  if (reserved.has(name)) {
    throw new TypeError(
      `${option} must not be an attribute of the lease record itself, got ${describeValue(name)}; use a table whose keys have other names`,
    );
  }
  return name;
}
