import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { createLeaseTable, dynamoDbLedgerStore } from 'tenure/dynamodb';
import { createLedger } from 'tenure/ledger';
import type { DemoStore, LeaseRow, StoreAccess, StoredCharge } from './demo-store.ts';
import { startDynalite } from './dynamodb-server.ts';
import { dynamoDbTraffic } from './dynamodb-traffic.ts';
import { emulatorAccess, leaseName } from './emulator.ts';
import {
  boundedCalls,
  callWithinMs,
  removeWithinMs,
  shownEndpoint,
  StoreSilentError,
  unfinishedIn,
  type BoundedCall,
} from './store-calls.ts';

/**
 * Creates the tables of one run, under names of their own.
 *
 * @param endpoint - A running emulator. Default: dynalite is started in this process.
 * @param stop - Ends what is under way, now and later; not `close`.
 */
export async function openDynamoDbDemo(
  endpoint: string | undefined,
  stop?: AbortSignal,
): Promise<DemoStore> {
  const dynalite = endpoint === undefined ? await startDynalite() : undefined;
  const target = dynalite?.endpoint ?? endpoint ?? '';
  const client = new DynamoDBClient({ ...emulatorAccess, endpoint: target });
  const place = { endpoint: shownEndpoint(target), stop };
  const call = boundedCalls(place);
  const run = randomBytes(4).toString('hex');
  const tables = { leases: `billing-${run}-leases`, charges: `billing-${run}-charges` };
  const close = async (): Promise<void> => {
    if (dynalite === undefined) {
      await deleteTables(client, Object.values(tables), place.endpoint);
    }
    client.destroy();
    await dynalite?.close();
  };
  try {
    await createTables(client, tables, call);
  } catch (cause) {
    await close();
    stop?.throwIfAborted();
    const text = `no tables at ${place.endpoint}; is a DynamoDB emulator running there?`;
    throw cause instanceof StoreSilentError ? cause : new Error(text, { cause });
  }
  const documents = DynamoDBDocumentClient.from(client);
  const ledger = createLedger({
    store: dynamoDbLedgerStore({ client, tableName: tables.leases }),
    requestTimeoutMs: callWithinMs,
    retryForMs: 1_000,
  });
  return {
    target,
    traffic: dynamoDbTraffic(tables),
    accessBy: (proxy) => ({ endpoint: proxy, ...tables }),
    readLease: () => readLease(documents, tables.leases, call),
    readCharges: () => readCharges(documents, tables.charges, call),
    readUnfinished: () => unfinishedIn(ledger, place),
    close,
  };
}

async function createTables(
  client: DynamoDBClient,
  { leases, charges }: Pick<StoreAccess, 'leases' | 'charges'>,
  call: BoundedCall,
): Promise<void> {
  await call('create the table of leases', (signal) =>
    createLeaseTable({ client, tableName: leases, deletionProtection: false, signal }),
  );
  await call('create the table of charges', (abortSignal) =>
    createChargesTable(client, charges, abortSignal),
  );
}

async function createChargesTable(
  client: DynamoDBClient,
  tableName: string,
  abortSignal: AbortSignal,
): Promise<void> {
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
    { abortSignal },
  );
  await waitUntilTableExists(
    { client, maxWaitTime: 60, minDelay: 1, abortSignal },
    { TableName: tableName },
  );
}

/** Leaves no trace on a server that others use; a table that was never created is no failure. */
async function deleteTables(
  client: DynamoDBClient,
  tableNames: readonly string[],
  endpoint: string,
): Promise<void> {
  const call = boundedCalls({ endpoint, withinMs: removeWithinMs });
  await Promise.allSettled(
    tableNames.map((TableName) =>
      call('delete a table', (abortSignal) =>
        client.send(new DeleteTableCommand({ TableName }), { abortSignal }),
      ),
    ),
  );
}

async function readLease(
  documents: DynamoDBDocumentClient,
  tableName: string,
  call: BoundedCall,
): Promise<LeaseRow | undefined> {
  const get = new GetCommand({
    TableName: tableName,
    Key: { key: leaseName },
    ConsistentRead: true,
  });
  const { Item: row } = await call('read the lease', (abortSignal) =>
    documents.send(get, { abortSignal }),
  );
  return row === undefined
    ? undefined
    : {
        holder: String(row['ownerName']),
        fencingToken: Number(row['fencingToken']),
        released: row['isReleased'] !== undefined,
      };
}

async function readCharges(
  documents: DynamoDBDocumentClient,
  tableName: string,
  call: BoundedCall,
): Promise<readonly StoredCharge[]> {
  const rows: StoredCharge[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const scan: ScanCommand = new ScanCommand({
      TableName: tableName,
      ConsistentRead: true,
      ExclusiveStartKey: start,
    });
    const page = await call('read the charges', (abortSignal) =>
      documents.send(scan, { abortSignal }),
    );
    for (const row of page.Items ?? []) {
      rows.push({ customerId: String(row['customerId']), period: String(row['period']) });
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return rows;
}
