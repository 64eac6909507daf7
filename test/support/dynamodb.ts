import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { startDynalite } from '../../functions/local/dynamodb-server.ts';
import { dynoxideSkipReason, startDynoxide } from './dynoxide.ts';

/** A server that speaks the DynamoDB API, started for one test file. */
export interface DynamoDbServer {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** One implementation of the DynamoDB API that tests run against. */
export interface DynamoDbServerKind {
  readonly name: 'dynalite' | 'dynalite returning items' | 'dynoxide' | 'endpoint';
  /** Whether a failed condition carries the item; `undefined` where nobody knows beforehand. */
  readonly returnsItemOnFailedCondition: boolean | undefined;
  readonly hasTransactions: boolean | undefined;
  /** Why tests on it are skipped here; `undefined` if it can be started. */
  readonly skipReason: string | undefined;
  start(): Promise<DynamoDbServer>;
}

/** Address of a further server to test against, for example http://127.0.0.1:8000. */
const namedEndpoint = process.env['TENURE_DYNAMODB_ENDPOINT'];

/**
 * Every DynamoDB implementation, usable here or not:
 * `describe.skipIf(kind.skipReason)(title(kind), …)`.
 */
export const dynamoDbServers: readonly DynamoDbServerKind[] = [
  {
    name: 'dynalite',
    returnsItemOnFailedCondition: false,
    hasTransactions: false,
    skipReason: undefined,
    start: () => startDynalite(),
  },
  {
    name: 'dynalite returning items',
    returnsItemOnFailedCondition: true,
    hasTransactions: false,
    skipReason: undefined,
    start: () => startDynalite({ returnItemOnFailedCondition: true }),
  },
  {
    name: 'dynoxide',
    returnsItemOnFailedCondition: true,
    hasTransactions: true,
    skipReason: dynoxideSkipReason,
    start: startDynoxide,
  },
  ...(namedEndpoint === undefined ? [] : [serverAt(namedEndpoint)]),
];

function serverAt(endpoint: string): DynamoDbServerKind {
  return {
    name: 'endpoint',
    returnsItemOnFailedCondition: undefined,
    hasTransactions: undefined,
    skipReason: undefined,
    start: async () => ({ endpoint, close: async () => {} }),
  };
}

/** The name of a test group, with the reason where the group is skipped. */
export function titleOf({ name, skipReason }: DynamoDbServerKind): string {
  return skipReason === undefined ? name : `${name} (skipped: ${skipReason})`;
}

/**
 * A client for an emulator: made-up credentials, and one attempt unless `config` says otherwise, so
 * that a test sees each answer.
 */
export function clientFor(
  server: { readonly endpoint: string },
  config: DynamoDBClientConfig = {},
): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: server.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    ...config,
  });
}

/** The key of a test table and, if need be, other parts of its creation. */
export type TableSchema = Partial<Omit<CreateTableCommandInput, 'TableName'>>;

const keyedByString: TableSchema = {
  AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/**
 * Creates a table.
 *
 * @param name - Default: a new random name.
 * @param schema - Default: on demand, with the string partition key `key`.
 * @returns its name.
 */
export async function createTable(
  client: DynamoDBClient,
  name: string = `test-${randomUUID()}`,
  schema: TableSchema = {},
): Promise<string> {
  await client.send(
    new CreateTableCommand({
      ...keyedByString,
      ...schema,
      TableName: name,
    }),
  );
  return name;
}
