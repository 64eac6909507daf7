import { randomUUID } from 'node:crypto';
import {
  DeleteTableCommand,
  GetItemCommand,
  PutItemCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { StoreCall } from '../../../src/core/lease-store.ts';
import type { RecordStore } from '../../../src/core/record-store.ts';
import type { DynamoDbLeaseStoreOptions } from '../../../src/stores/dynamodb/options.ts';
import { dynamoDbRecordStore } from '../../../src/stores/dynamodb/record-store.ts';
import {
  clientFor,
  createTable,
  type DynamoDbServerKind,
  type TableSchema,
} from '../../support/dynamodb.ts';

export type Item = Record<string, AttributeValue>;

/** A server with one table, and a way to its items that does not lead through the store. */
export interface Bench {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly tableName: string;
  store(options?: Partial<DynamoDbLeaseStoreOptions>): RecordStore;
  /** The item as it is stored. */
  item(key: Item | string): Promise<Item | undefined>;
  put(item: Item): Promise<void>;
  close(): Promise<void>;
}

export async function startBench(
  kind: DynamoDbServerKind,
  table: { readonly name?: string; readonly schema?: TableSchema } = {},
): Promise<Bench> {
  const server = await kind.start();
  const client = clientFor(server);
  const tableName = await createTable(client, table.name, table.schema);
  return {
    endpoint: server.endpoint,
    client,
    tableName,
    store: (options = {}) => dynamoDbRecordStore({ client, tableName, ...options }),
    item: async (key) => {
      const Key = typeof key === 'string' ? { key: { S: key } } : key;
      const command = new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true });
      return (await client.send(command)).Item;
    },
    put: async (item) => {
      await client.send(new PutItemCommand({ TableName: tableName, Item: item }));
    },
    close: async () => {
      await client.send(new DeleteTableCommand({ TableName: tableName }));
      client.destroy();
      await server.close();
    },
  };
}

/** A store call that nothing bounds. */
export function patiently(): StoreCall {
  return { signal: new AbortController().signal };
}

/** A store call that is aborted after `ms` milliseconds. */
export function within(ms: number): StoreCall {
  return { signal: AbortSignal.timeout(ms) };
}

export function newLease(): string {
  return `lease-${randomUUID()}`;
}
