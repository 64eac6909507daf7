import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  checkLeaseTable,
  createLeaseTable,
  dynamoDbLeaseStore,
  type DynamoDbClient,
  type DynamoDbLeaseStoreOptions,
} from '../../../src/dynamodb.ts';
import { attributes } from '../../../src/stores/dynamodb/attributes.ts';

const client = new DynamoDBClient({ region: 'eu-central-1' });

describe('dynamoDbLeaseStore', () => {
  it('declares that candidates judge expiry, with durations of any whole millisecond', () => {
    const store = dynamoDbLeaseStore({ client, tableName: 'leases' });
    expect(store.name).toBe('dynamodb');
    expect(store.limits).toEqual({
      expiry: 'observed',
      minDurationMs: 1,
      maxDurationMs: 2_147_483_647,
      granularityMs: 1,
    });
  });

  it('takes both clients of the SDK', () => {
    expectTypeOf<DynamoDBClient>().toExtend<DynamoDbClient>();
    expectTypeOf<DynamoDBDocumentClient>().toExtend<DynamoDbClient>();
  });

  it('sends nothing when it is made', () => {
    let sent = 0;
    const counting = {
      send: async () => {
        sent += 1;
        return undefined as never;
      },
    };
    dynamoDbLeaseStore({ client: counting, tableName: 'leases' });
    expect(sent).toBe(0);
  });

  const wrong: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['no client', { client: undefined }, /client must be a DynamoDBClient.*got undefined/],
    ['the options of a client', { client: { region: 'x' } }, /client must be.*got an object/],
    ['the class of a client', { client: DynamoDBClient }, /client must be.*got a function/],
    ['no table name', { tableName: undefined }, /tableName must be.*got undefined/],
    ['an empty table name', { tableName: '' }, /tableName must be.*got ""/],
    ['an empty partition key', { partitionKey: '' }, /partitionKey must be.*got ""/],
    [
      'a sort key that is only a name',
      { sortKey: 'range' },
      /sortKey must be an object with name and value, got "range"/,
    ],
    ['a sort key without value', { sortKey: { name: 'range' } }, /sortKey.value must be/],
    ['an empty sort key value', { sortKey: { name: 'r', value: '' } }, /sortKey.value.*got ""/],
    ['one name for both keys', { sortKey: { name: 'key', value: 'x' } }, /must differ.*"key"/],
    ['an unknown policy', { onTokenLost: 'ignore' }, /onTokenLost must be.*got "ignore"/],
    ...Object.values(attributes).flatMap(
      (name) =>
        [
          [`the partition key ${name}`, { partitionKey: name }, /partitionKey must not be/],
          [`the sort key ${name}`, { sortKey: { name, value: 'x' } }, /sortKey.name must not be/],
        ] as const,
    ),
  ];

  it.each(wrong)('refuses %s', (_, changes, message) => {
    const options = { client, tableName: 'leases', ...changes } as DynamoDbLeaseStoreOptions;
    expect(() => dynamoDbLeaseStore(options)).toThrow(TypeError);
    expect(() => dynamoDbLeaseStore(options)).toThrow(message);
  });
});

describe.each([
  ['createLeaseTable', createLeaseTable],
  ['checkLeaseTable', checkLeaseTable],
])('%s', (_, call) => {
  it.each([
    ['no client', { client: undefined }, /client must be a DynamoDBClient/],
    ['an empty table name', { tableName: '' }, /tableName must be/],
    ['a key that the record needs itself', { partitionKey: 'data' }, /partitionKey must not be/],
    ['an empty sort key', { sortKey: '' }, /sortKey.name must be/],
    ['one name for both keys', { sortKey: { name: 'key' } }, /must differ/],
  ])('refuses %s', async (_what, changes, message) => {
    const options = { client, tableName: 'leases', ...changes } as Parameters<typeof call>[0];
    const refused = call(options);
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(message);
  });
});
