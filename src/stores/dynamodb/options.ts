import { attributes, type LeaseTable } from './attributes.ts';
import type { DynamoDbClient } from './send.ts';

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

/**
 * The table that `options` describe.
 *
 * @throws `TypeError` naming the option, what was received and what fits.
 */
export function leaseTableOf(options: DynamoDbLeaseStoreOptions): LeaseTable {
  requireClient(options.client);
  requireText('tableName', options.tableName);
  const { tableName, partitionKey = 'key', sortKey } = options;
  requireKeyNames(partitionKey, sortKey?.name, sortKey !== undefined);
  if (sortKey !== undefined) {
    requireText('sortKey.value', sortKey.value);
  }
  requireTokenPolicy(options.onTokenLost);
  return {
    tableName,
    partitionKey,
    sortKey: sortKey && { name: sortKey.name, value: sortKey.value },
  };
}

/** @throws `TypeError` unless `client` can send commands. */
export function requireClient(client: unknown): void {
  const sends =
    typeof client === 'object' &&
    client !== null &&
    'send' in client &&
    typeof client.send === 'function';
  if (!sends) {
    throw new TypeError(
      `client must be a DynamoDBClient of AWS SDK version 3, got ${show(client)}`,
    );
  }
}

/** @throws `TypeError` unless the names can be the keys of a table of leases. */
export function requireKeyNames(
  partitionKey: unknown,
  sortKey: unknown,
  hasSortKey: boolean = sortKey !== undefined,
): void {
  requireKeyName('partitionKey', partitionKey);
  if (!hasSortKey) {
    return;
  }
  requireKeyName('sortKey.name', sortKey);
  if (sortKey === partitionKey) {
    throw new TypeError(
      `sortKey.name must differ from partitionKey, got ${show(sortKey)} for both`,
    );
  }
}

/** @throws `TypeError` unless `value` is a string that is not empty. */
export function requireText(option: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') {
    throw new TypeError(`${option} must be a string that is not empty, got ${show(value)}`);
  }
}

function requireTokenPolicy(value: unknown): void {
  if (value !== undefined && value !== 'fail' && value !== 'restart') {
    throw new TypeError(`onTokenLost must be 'fail' or 'restart', got ${show(value)}`);
  }
}

const reserved: ReadonlySet<unknown> = new Set(Object.values(attributes));

function requireKeyName(option: string, name: unknown): void {
  requireText(option, name);
  if (reserved.has(name)) {
    throw new TypeError(
      `${option} must not be an attribute of the lease record itself, got ${show(name)}; use a table whose keys have other names`,
    );
  }
}

function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value);
  }
  if (typeof value === 'function') {
    return 'a function';
  }
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
