import { randomUUID } from 'node:crypto';
import type { HeldLease } from 'tenure';
import { createLedger } from 'tenure/ledger';
import { testLeadership } from 'tenure/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAzureDemo } from '../../../functions/local/azure-demo-store.ts';
import { azureBlobKind } from '../../../functions/local/azure-kind.ts';
import { azureTraffic } from '../../../functions/local/azure-traffic.ts';
import type { DemoStore, SchedulerStores } from '../../../functions/local/demo-store.ts';
import { leaseName } from '../../../functions/local/emulator.ts';
import { Journal } from '../../../functions/local/journal.ts';
import { StoreAudit } from '../../../functions/local/store-audit.ts';
import { openStoreLine, type StoreLine } from '../../../functions/local/store-line.ts';
import { accountUrl, clockRate, startAzurite, type Azurite } from '../../support/azurite.ts';

const leaseMs = 15_000;

interface Scheduler extends SchedulerStores {
  readonly line: StoreLine;
  /** Writes charges without a look at their tokens. */
  readonly unfenced: SchedulerStores['charges'];
}

let server: Azurite;
let store: DemoStore;
let audit: StoreAudit;
let journal: Journal;
let nowMs: number;
let a: Scheduler;
let b: Scheduler;

beforeAll(async () => {
  server = await startAzurite({ clockRate });
});
afterAll(() => server.close());
beforeEach(async () => {
  store = await openAzureDemo(accountUrl(server));
  journal = new Journal();
  nowMs = 0;
  audit = new StoreAudit({ store, journal, nowMs: () => nowMs });
  [a, b] = [await connect('A'), await connect('B')];
});
afterEach(async () => {
  await a.line.close();
  await b.line.close();
  await store.close();
});

async function connect(name: string): Promise<Scheduler> {
  const line = await openStoreLine(name, store, audit);
  const access = store.accessBy(line.endpoint);
  const stores = await azureBlobKind.connect(access, { leaseMs, fence: 'checked' });
  const { charges } = await azureBlobKind.connect(access, { leaseMs, fence: 'unchecked' });
  return { ...stores, line, unfenced: charges };
}

const call = { signal: new AbortController().signal };

/** Makes one attempt to lead; `undefined` if another leads. */
async function lead(
  { leases }: Scheduler,
  holder: string,
  fencingToken: number,
): Promise<HeldLease | undefined> {
  const look = await leases.look(leaseName, call);
  const bid = { holder, fencingToken, look, attemptId: randomUUID(), leaseDurationMs: leaseMs };
  const result = await leases.acquire(leaseName, { ...bid, history: [], endedMarks: [] }, call);
  return result.acquired ? result.held : undefined;
}

/** Leads as soon as whoever leads has been silent for its lease. */
async function takeOver(scheduler: Scheduler, holder: string, token: number): Promise<HeldLease> {
  for (;;) {
    const held = await lead(scheduler, holder, token);
    if (held) {
      return held;
    }
  }
}

const final = { progress: undefined, history: [] };

const rowOf = (customerId: string) =>
  ({ customerId, period: '2026-10', amountMinor: 1, currency: 'EUR', chargeId: 'ch-1' }) as const;

describe('StoreAudit on Azure Blob', () => {
  it('counts a write that the fence rejects', async () => {
    await b.charges.record(rowOf('ü/x'), 34);
    await expect(a.charges.record(rowOf('ü/x'), 33)).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 1, staleWritesAccepted: 0 });
    expect(journal.latest('row')).toMatchObject({
      scheduler: 'A',
      customerId: 'ü/x',
      fencingToken: 33,
      highestToken: 34,
      accepted: false,
      stale: true,
    });
  });

  it('counts a stale write that nothing rejects, and apart a late one to a row that nobody newer has touched', async () => {
    const held = await lead(b, 'B', 34);
    await b.unfenced.record(rowOf('x'), 34);
    await a.unfenced.record(rowOf('x'), 33);
    const counts = { staleWritesRejected: 0, staleWritesAccepted: 1 };
    expect(await audit.result()).toMatchObject({ ...counts, lateCreations: 0 });
    await a.charges.record(rowOf('untouched'), 33);
    expect(await audit.result()).toMatchObject({ ...counts, lateCreations: 1 });
    await held?.release(final, call);
  });

  it('counts no write of the newest leader, and none without a token', async () => {
    const held = await lead(a, 'A', 33);
    await a.charges.record(rowOf('x'), 33);
    // The service refuses to create it again, before the fence lets it be replaced.
    await a.charges.record(rowOf('x'), 33);
    const access = store.accessBy(b.line.endpoint);
    const naive = await azureBlobKind.connect(access, { leaseMs, fence: 'absent' });
    await naive.charges.record(rowOf('x'), 0);
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 0, staleWritesAccepted: 0 });
    await held?.release(final, call);
  });

  it('counts late writes of a way that was cut when they arrive', async () => {
    a.line.cut('delay');
    const late = a.charges.record(rowOf('x'), 33);
    await b.charges.record(rowOf('x'), 34);
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 0 });
    a.line.mend();
    await expect(late).rejects.toMatchObject({ code: 'STALE_TOKEN' });
    expect(await audit.result()).toMatchObject({ staleWritesRejected: 1 });
  });

  it('reads a failover off the record: from the last renewal to the next token', async () => {
    nowMs = 1_000;
    const first = await lead(a, 'A', 33);
    nowMs = 2_000;
    await first?.renew({}, call);
    nowMs = 4_000;
    await createLedger({ store: a.ledger }).once(
      {
        key: ['billing', 'x', '2026-10'],
        leadership: testLeadership({ fencingToken: 33 }),
        request: 1,
        keyHonouredForMs: 0,
      },
      async () => ({ status: 'done' }),
    );
    nowMs = 5_500;
    const second = await takeOver(b, 'B', 34);
    // Another has the lease, and the record names it.
    expect(await first?.renew({}, call)).toMatchObject({ renewed: false });
    await second.release(final, call);
    const third = await lead(a, 'A', 35);
    expect(await audit.result()).toMatchObject({
      failoverMs: 3_500,
      terms: [
        { scheduler: 'A', fencingToken: 33, endedBy: 'taken-over' },
        { scheduler: 'B', fencingToken: 34, endedBy: 'released' },
        { scheduler: 'A', fencingToken: 35, endedBy: 'expired' },
      ],
    });
    await third?.release(final, call);
  });
});

describe('azureTraffic', () => {
  it.each([
    [201, '', 'applied'],
    [412, '<Code>ConditionNotMet</Code>', 'refused'],
    [409, '<Code>BlobAlreadyExists</Code>', 'refused'],
    [409, '<Code>ContainerBeingDeleted</Code>', 'neither'],
    [404, '<Code>ContainerNotFound</Code>', 'neither'],
    [503, '<Code>ServerBusy</Code>', 'neither'],
  ])('reads %i %s as %s', (status, responseBody, verdict) => {
    const traffic = azureTraffic({ leases: 'leases', charges: 'charges' });
    expect(traffic.verdictOn({ status, responseBody })).toBe(verdict);
  });
});
