import {
  GetItemCommand,
  PutItemCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import {
  clientFor,
  createTable,
  type DynamoDbServer,
  type DynamoDbServerKind,
  type TableSchema,
} from '../../support/dynamodb.ts';

/** A row as it is stored. */
export type RawRow = Record<string, AttributeValue>;

/** A table on a running server, written through the document client and read without it. */
export class FenceTable {
  readonly client: DynamoDBClient;
  readonly documentClient: DynamoDBDocumentClient;
  readonly name: string;

  constructor(client: DynamoDBClient, name: string) {
    this.client = client;
    this.documentClient = DynamoDBDocumentClient.from(client);
    this.name = name;
  }

  /** A stored row, read without any code of ours or of the document client. */
  async read(key: string): Promise<RawRow | undefined> {
    const { Item: row } = await this.client.send(
      new GetItemCommand({ TableName: this.name, Key: { key: { S: key } }, ConsistentRead: true }),
    );
    return row;
  }

  /** Stores a row as it is. */
  async store(row: RawRow): Promise<void> {
    await this.client.send(new PutItemCommand({ TableName: this.name, Item: row }));
  }
}

/** Starts a server of this kind for the enclosing `describe`, with one table. */
export function useFenceTable(kind: DynamoDbServerKind, schema?: TableSchema): () => FenceTable {
  let server: DynamoDbServer | undefined;
  let table: FenceTable | undefined;
  beforeAll(async () => {
    server = await kind.start();
    const client = clientFor(server);
    table = new FenceTable(client, await createTable(client, undefined, schema));
  });
  afterAll(async () => {
    table?.client.destroy();
    await server?.close();
  });
  return () => {
    if (table === undefined) {
      throw new Error('the server has not been started');
    }
    return table;
  };
}
