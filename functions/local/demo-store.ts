import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { createLeaseTable } from 'tenure/dynamodb';
import { startDynalite } from './dynamodb-server.ts';
import { emulatorAccess, leaseName } from './emulator.ts';

/** A lease record, as the table shows it. */
export interface LeaseRow {
  readonly holder: string;
  readonly fencingToken: number;
  readonly released: boolean;
  readonly version: string;
}

/** A row of the charges table. */
export interface StoredCharge {
  readonly customerId: string;
  readonly period: string;
  readonly status: string;
}

/** The store of one run, looked at directly and not through any scheduler. */
export interface DemoStore {
  readonly endpoint: string;
  readonly leaseTable: string;
  readonly chargesTable: string;
  /** Reads the lease's row consistently; `undefined` if there is none yet. */
  readLease(): Promise<LeaseRow | undefined>;
  /** Reads every row of the charges table consistently. */
  readCharges(): Promise<readonly StoredCharge[]>;
  /** Deletes the tables of this run and stops what was started for it. */
  close(): Promise<void>;
}

/**
 * Creates the tables of one run, under names of their own.
 *
 * @param endpoint - A running emulator. Default: dynalite is started in this process.
 */
export async function openDemoStore(endpoint: string | undefined): Promise<DemoStore> {
  const dynalite = endpoint === undefined ? await startDynalite() : undefined;
  const address = dynalite?.endpoint ?? endpoint ?? '';
  const client = new DynamoDBClient({ ...emulatorAccess, endpoint: address });
  const run = randomBytes(4).toString('hex');
  const leaseTable = `billing-${run}-leases`;
  const chargesTable = `billing-${run}-charges`;
  const close = async (): Promise<void> => {
    if (dynalite === undefined) {
      await deleteTables(client, [leaseTable, chargesTable]);
    }
    client.destroy();
    await dynalite?.close();
  };
  try {
    await createLeaseTable({ client, tableName: leaseTable, deletionProtection: false });
    await createChargesTable(client, chargesTable);
  } catch (cause) {
    await close();
    throw new Error(`no tables at ${address}; is a DynamoDB emulator running there?`, { cause });
  }
  const documents = DynamoDBDocumentClient.from(client);
  return {
    endpoint: address,
    leaseTable,
    chargesTable,
    readLease: () => readLease(documents, leaseTable),
    readCharges: () => readCharges(documents, chargesTable),
    close,
  };
}

async function createChargesTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'customerId', AttributeType: 'S' },
        { AttributeName: 'period', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'customerId', KeyType: 'HASH' },
        { AttributeName: 'period', KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: tableName });
}

/** Leaves no trace on a server that others use; a table that was never created is no failure. */
async function deleteTables(client: DynamoDBClient, tableNames: readonly string[]): Promise<void> {
  await Promise.allSettled(
    tableNames.map((TableName) => client.send(new DeleteTableCommand({ TableName }))),
  );
}

async function readLease(
  documents: DynamoDBDocumentClient,
  tableName: string,
): Promise<LeaseRow | undefined> {
  const { Item: row } = await documents.send(
    new GetCommand({ TableName: tableName, Key: { key: leaseName }, ConsistentRead: true }),
  );
  return row === undefined
    ? undefined
    : {
        holder: String(row['ownerName']),
        fencingToken: Number(row['fencingToken']),
        released: row['isReleased'] !== undefined,
        version: String(row['recordVersionNumber']),
      };
}

async function readCharges(
  documents: DynamoDBDocumentClient,
  tableName: string,
): Promise<readonly StoredCharge[]> {
  const rows: StoredCharge[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    // eslint-disable-next-line no-await-in-loop -- each page names where the next begins
    const page = await documents.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: start }),
    );
    for (const row of page.Items ?? []) {
      rows.push({
        customerId: String(row['customerId']),
        period: String(row['period']),
        status: String(row['status']),
      });
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return rows;
}
