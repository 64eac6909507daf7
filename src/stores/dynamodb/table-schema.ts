import {
  DescribeTableCommand,
  type AttributeDefinition,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { requireClient, requireKeyNames, requireText } from './options.ts';
import { untilAborted, type DynamoDbClient } from './send.ts';
import { isTableMissing } from './sdk-errors.ts';
import { storeError } from './store-errors.ts';

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
 * The key names that `options` ask for.
 *
 * @throws `TypeError` naming the option that does not fit.
 */
export function keyNamesOf(options: LeaseTableOptions): KeyNames {
  requireClient(options.client);
  requireText('tableName', options.tableName);
  const { partitionKey = 'key', sortKey: given } = options;
  const sortKey = typeof given === 'object' ? given.name : given;
  requireKeyNames(partitionKey, sortKey, given !== undefined);
  return { partitionKey, sortKey };
}

/**
 * What DynamoDB says about the table; `undefined` if there is none.
 *
 * @throws `StoreUnavailableError`, `StoreRejectedError`, the reason of `signal`.
 */
export async function describeTable(
  options: LeaseTableOptions,
): Promise<TableDescription | undefined> {
  const { client, tableName, signal } = options;
  const command = new DescribeTableCommand({ TableName: tableName });
  try {
    const answer = client.send(command, signal && { abortSignal: signal });
    return (await untilAborted(answer, signal)).Table;
  } catch (error) {
    signal?.throwIfAborted();
    if (isTableMissing(error)) {
      return undefined;
    }
    throw storeError(error, { operation: 'DescribeTable', tableName, writes: false });
  }
}

/** `KeySchema` and `AttributeDefinitions` of a table with these keys. */
export function schemaOf({ partitionKey, sortKey }: KeyNames): {
  KeySchema: KeySchemaElement[];
  AttributeDefinitions: AttributeDefinition[];
} {
  const range: KeySchemaElement[] =
    sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: 'RANGE' }];
  const keys: KeySchemaElement[] = [{ AttributeName: partitionKey, KeyType: 'HASH' }, ...range];
  return {
    KeySchema: keys,
    AttributeDefinitions: keys.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' })),
  };
}

/** How the keys of `table` differ from `names`, in words; `undefined` if they do not. */
export function schemaMismatch(table: TableDescription, names: KeyNames): string | undefined {
  const actual = inWords(table);
  const wanted = inWords(schemaOf(names));
  return actual === wanted ? undefined : `has the ${actual}, not the ${wanted}`;
}

function inWords(table: Pick<TableDescription, 'KeySchema' | 'AttributeDefinitions'>): string {
  const partition = keyInWords(table, 'HASH');
  const sort = keyInWords(table, 'RANGE');
  return `partition key ${partition ?? '(none)'} and ${sort ? `sort key ${sort}` : 'no sort key'}`;
}

function keyInWords(
  {
    KeySchema = [],
    AttributeDefinitions = [],
  }: Pick<TableDescription, 'KeySchema' | 'AttributeDefinitions'>,
  keyType: 'HASH' | 'RANGE',
): string | undefined {
  const name = KeySchema.find((key) => key.KeyType === keyType)?.AttributeName;
  const type = AttributeDefinitions.find(
    ({ AttributeName }) => AttributeName === name,
  )?.AttributeType;
  return name === undefined ? undefined : `"${name}" (${type ?? 'type unknown'})`;
}
