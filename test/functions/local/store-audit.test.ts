import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import { dynamoDbLedgerStore } from 'tenure/dynamodb';
import { createLedger } from 'tenure/ledger';
import { testLeadership } from 'tenure/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamoDbChargeStore } from '../../../functions/billing/dynamodb-charge-store.ts';
import type { DemoStore, StoreAccess } from '../../../functions/local/demo-store.ts';
import { openDynamoDbDemo } from '../../../functions/local/dynamodb-demo-store.ts';
import { leaseName } from '../../../functions/local/emulator.ts';
import type { ProxiedRequest } from '../../../functions/local/http-proxy.ts';
import { Journal } from '../../../functions/local/journal.ts';
import { StoreAudit } from '../../../functions/local/store-audit.ts';
import { openStoreLine, type StoreLine } from '../../../functions/local/store-line.ts';
import { unfencedItemStore } from '../../../functions/local/unfenced-charge-stores.ts';
import { clientFor } from '../../support/dynamodb.ts';

let store: DemoStore;
let tables: StoreAccess;
let audit: StoreAudit;
let journal: Journal;
let nowMs: number;
let a: Scheduler;
let b: Scheduler;

interface Scheduler {
  readonly line: StoreLine;
  readonly documents: DynamoDBDocumentClient;
}

beforeEach(async () => {
  store = await openDynamoDbDemo(undefined);
  tables = store.accessBy(store.target);
  journal = new Journal();
  nowMs = 0;
  audit = new StoreAudit({ store, journal, nowMs: () => nowMs });
  [a, b] = [await connect('A'), await connect('B')];
});
afterEach(async () => {
  for (const { documents, line } of [a, b]) {
    documents.destroy();
    await line.close();
  }
  await store.close();
});

async function connect(name: string): Promise<Scheduler> {
  const line = await openStoreLine(name, store, audit);
  return { line, documents: DynamoDBDocumentClient.from(clientFor(line)) };
}

/** Writes the lease's row; what the conditions of a real client are does not matter here. */
async function writeLease(
  { documents }: Scheduler,
  [ownerName, fencingToken]: readonly [string, number],
  extra: { readonly isReleased?: '1' } = {},
): Promise<void> {
  const item = { key: leaseName, ownerName, fencingToken, recordVersionNumber: randomUUID() };
  await documents.send(new PutCommand({ TableName: tables.leases, Item: { ...item, ...extra } }));
}

function fencedWrite({ documents }: Scheduler, customerId: string, token: number): Promise<void> {
  const charges = dynamoDbChargeStore({ documentClient: documents, tableName: tables.charges });
  return charges.record(rowOf(customerId), token);
}

function unfencedWrite(
  { documents }: Scheduler,
  customerId: string,
  { token, marked = true }: { readonly token: number; readonly marked?: boolean },
): Promise<void> {
  const options = { documentClient: documents, tableName: tables.charges, marked };
  return unfencedItemStore(options).record(rowOf(customerId), token);
}

const rowOf = (customerId: string) =>
  ({ customerId, period: '2026-10', amountMinor: 1, currency: 'EUR', chargeId: 'ch-1' }) as const;

describe('StoreAudit', () => {
  it('counts a write that the fence rejects', async () => {
    await fencedWrite(b, 'x', 34);
    await expect(fencedWrite(a, 'x', 33)).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 1, staleWritesAccepted: 0 });
  });

  it('counts a stale write that nothing rejects, and names its writer', async () => {
    await unfencedWrite(b, 'x', { token: 34 });
    await unfencedWrite(a, 'x', { token: 33 });
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 0, staleWritesAccepted: 1 });
    expect(journal.latest('row')).toMatchObject({
      scheduler: 'A',
      customerId: 'x',
      fencingToken: 33,
      highestToken: 34,
      accepted: true,
      stale: true,
    });
  });

  it('counts apart what a leader with a successor writes to a row that nobody newer has touched', async () => {
    await writeLease(a, ['A', 33]);
    await fencedWrite(a, 'early', 33);
    await writeLease(b, ['B', 34]);
    await fencedWrite(b, 'touched', 34);
    expect(await audit.result()).toMatchObject({ staleWritesAccepted: 0, lateCreations: 0 });
    await fencedWrite(a, 'untouched', 33);
    const counts = { staleWritesRejected: 0, staleWritesAccepted: 0, lateCreations: 1 };
    expect(await audit.result()).toMatchObject(counts);
    expect(journal.latest('row')).toMatchObject({
      customerId: 'untouched',
      stale: false,
      late: true,
    });
    await expect(fencedWrite(a, 'touched', 33)).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    expect(await audit.result()).toMatchObject({ ...counts, staleWritesRejected: 1 });
  });

  it('counts as stale what overwrites an overwritten row, but the write that a leader repeats as neither', async () => {
    await writeLease(b, ['B', 34]);
    await unfencedWrite(b, 'x', { token: 34 });
    await unfencedWrite(b, 'x', { token: 34 });
    await unfencedWrite(a, 'x', { token: 33 });
    await unfencedWrite(a, 'x', { token: 33 });
    expect(await audit.result()).toMatchObject({ staleWritesAccepted: 2, lateCreations: 0 });
  });

  it('counts no write of the newest leader, none without a token, and no other rejection', async () => {
    await writeLease(a, ['A', 33]);
    await fencedWrite(a, 'x', 33);
    await fencedWrite(a, 'x', 33);
    await unfencedWrite(b, 'x', { token: 0, marked: false });
    const wrongTable = new PutCommand({ TableName: 'absent', Item: rowOf('x') });
    await expect(a.documents.send(wrongTable)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 0, staleWritesAccepted: 0 });
  });

  it('counts late writes of a way that was cut when they arrive', async () => {
    a.line.cut('delay');
    const late = unfencedWrite(a, 'x', { token: 33 });
    await unfencedWrite(b, 'x', { token: 34 });
    expect((await audit.result()).staleWritesAccepted).toBe(0);
    a.line.mend();
    await late;
    expect((await audit.result()).staleWritesAccepted).toBe(1);
  });

  it('lets nothing through a way that swallows requests', async () => {
    a.line.cut('swallow');
    const lost = a.documents.send(new PutCommand({ TableName: tables.charges, Item: rowOf('x') }), {
      abortSignal: AbortSignal.timeout(200),
    });
    await expect(lost).rejects.toMatchObject({ name: 'AbortError' });
    a.line.mend();
    await a.line.settled();
    expect(await store.readCharges()).toEqual([]);
  });

  it('reads terms and the time of a failover off the row of the lease', async () => {
    nowMs = 1_000;
    await writeLease(a, ['A', 33]);
    nowMs = 2_000;
    await writeLease(a, ['A', 33]);
    nowMs = 5_500;
    await writeLease(b, ['B', 34]);
    nowMs = 6_000;
    await writeLease(b, ['B', 34], { isReleased: '1' });
    await writeLease(b, ['B', 35]);
    await writeLease(b, ['B', 36]);
    expect(await audit.result()).toMatchObject({
      failoverMs: 3_500,
      terms: [
        { scheduler: 'A', fencingToken: 33, endedBy: 'taken-over' },
        { scheduler: 'B', fencingToken: 34, endedBy: 'released' },
        { scheduler: 'B', fencingToken: 35, endedBy: 'expired' },
        { scheduler: 'B', fencingToken: 36, endedBy: 'expired' },
      ],
    });
  });

  it('knows of no failover where every term was released', async () => {
    await writeLease(a, ['A', 33]);
    await writeLease(a, ['A', 33], { isReleased: '1' });
    await writeLease(b, ['B', 34]);
    await writeLease(b, ['B', 34], { isReleased: '1' });
    expect((await audit.result()).failoverMs).toBeNull();
  });

  it('takes no entry of the ledger, which is in the same table, for a write of the lease', async () => {
    await writeLease(a, ['A', 33]);
    nowMs = 5_000;
    const ledger = dynamoDbLedgerStore({ client: clientFor(a.line), tableName: tables.leases });
    const leadership = testLeadership({ fencingToken: 33 });
    await createLedger({ store: ledger }).once(
      { key: ['billing', 'x', '2026-10'], leadership, request: 1, keyHonouredForMs: 0 },
      async () => ({ status: 'done' }),
    );
    nowMs = 6_000;
    await writeLease(b, ['B', 34]);
    expect((await audit.result()).failoverMs).toBe(6_000);
  });

  it('lets one write go at a time, and reads at once', async () => {
    const [first, second] = [requestFor('PutItem'), requestFor('UpdateItem')];
    await audit.turnOf(first);
    let isGranted = false;
    const granted = audit.turnOf(second).then(() => {
      isGranted = true;
    });
    await audit.turnOf(requestFor('GetItem'));
    expect(isGranted).toBe(false);
    audit.observe('A', { request: first, status: 200, responseBody: '{}', duplicate: false });
    await granted;
    expect(isGranted).toBe(true);
  });
});

function requestFor(operation: string): ProxiedRequest {
  const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}` };
  return { method: 'POST', path: '/', headers, body: '{}', index: 0 };
}
