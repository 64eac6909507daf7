import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamoDbChargeStore } from '../../../functions/billing/dynamodb-charge-store.ts';
import { openDemoStore, type DemoStore } from '../../../functions/local/demo-store.ts';
import { leaseName } from '../../../functions/local/emulator.ts';
import type { ProxiedRequest } from '../../../functions/local/http-proxy.ts';
import { Journal } from '../../../functions/local/journal.ts';
import { StoreAudit } from '../../../functions/local/store-audit.ts';
import { openStoreLine, type StoreLine } from '../../../functions/local/store-line.ts';
import { unfencedChargeStore } from '../../../functions/local/unfenced-charge-store.ts';
import { clientFor } from '../../support/dynamodb.ts';

let store: DemoStore;
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
  store = await openDemoStore(undefined);
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
  const line = await openStoreLine(name, store.endpoint, audit);
  return { line, documents: DynamoDBDocumentClient.from(clientFor(line)) };
}

/** Writes the lease's row; what the conditions of a real client are does not matter here. */
async function writeLease(
  { documents }: Scheduler,
  [ownerName, fencingToken]: readonly [string, number],
  extra: { readonly isReleased?: '1' } = {},
): Promise<void> {
  const item = { key: leaseName, ownerName, fencingToken, recordVersionNumber: randomUUID() };
  await documents.send(
    new PutCommand({ TableName: store.leaseTable, Item: { ...item, ...extra } }),
  );
}

function fencedWrite({ documents }: Scheduler, customerId: string, token: number): Promise<void> {
  const charges = dynamoDbChargeStore({ documentClient: documents, tableName: store.chargesTable });
  return charges.record(rowOf(customerId), token);
}

function unfencedWrite(
  { documents }: Scheduler,
  customerId: string,
  { token, marked = true }: { readonly token: number; readonly marked?: boolean },
): Promise<void> {
  const options = { documentClient: documents, tableName: store.chargesTable, marked };
  return unfencedChargeStore(options).record(rowOf(customerId), token);
}

const rowOf = (customerId: string) =>
  ({ customerId, period: '2026-10', amountMinor: 1, currency: 'EUR', status: 'charged' }) as const;

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

  it('counts a stale write to a row that no newer leader has touched', async () => {
    await writeLease(a, ['A', 33]);
    await writeLease(b, ['B', 34]);
    await fencedWrite(a, 'untouched', 33);
    expect(await audit.result()).toMatchObject({ staleWritesAccepted: 1 });
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
    const lost = a.documents.send(
      new PutCommand({ TableName: store.chargesTable, Item: rowOf('x') }),
      { abortSignal: AbortSignal.timeout(200) },
    );
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
