import {
  DescribeTableCommand,
  type AttributeDefinition,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { KeyNames, LeaseTableOptions } from './options.ts';
import { setUpCall } from './set-up-call.ts';
import { isTableMissing } from './sdk-errors.ts';
import { storeError } from './store-errors.ts';

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
    return (await setUpCall(options, false, (abort) => client.send(command, abort))).Table;
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
