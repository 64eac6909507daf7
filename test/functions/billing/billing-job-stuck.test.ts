import type { LedgerEntry } from 'tenure/ledger';
import { describe, expect, it } from 'vitest';
import { BillingBench } from './job-bench.ts';

const hourMs = 3_600_000;
/** How long the gateway honours a key: the ledger leaves the last hour of that alone. */
const keyHonouredForMs = 3 * hourMs;

/** A gateway that declines b and gives no usable answer for d. */
function withStubbornCustomers(bench: BillingBench): BillingBench {
  bench.answer = ({ customerId }) => {
    if (customerId === 'd') {
      throw new Error('no answer');
    }
    return customerId === 'b'
      ? { status: 'declined' }
      : { status: 'charged', chargeId: `ch-${customerId}` };
  };
  return bench;
}

async function onlyUnfinished({ ledger }: BillingBench): Promise<LedgerEntry> {
  const entries: LedgerEntry[] = [];
  for await (const entry of ledger.unfinished()) {
    entries.push(entry);
  }
  const [entry, second] = entries;
  if (entry === undefined || second !== undefined) {
    throw new Error(`expected one unfinished entry, got ${entries.length}`);
  }
  return entry;
}

const stuck = { stuck: ['2026-03'], incomplete: ['2026-03'] };

describe('a month with a customer of whom nobody knows whether the charge took effect', () => {
  it('is stuck; one who was declined is settled', async () => {
    const bench = withStubbornCustomers(new BillingBench());
    expect(await bench.tick(bench.job({ keyHonouredForMs }))).toMatchObject({
      status: 'led',
      reason: 'stuck',
      periods: [{ end: 'stuck', unfinished: 0, unknown: 1, counts: { charged: 3, declined: 1 } }],
      ...stuck,
    });
    expect(bench.newlyAsked()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('is told at each tick and swept hourly, under the same key while that is honoured', async () => {
    const bench = withStubbornCustomers(new BillingBench());
    const job = bench.job({ keyHonouredForMs });
    await bench.tick(job);
    bench.newlyAsked();
    await bench.clock.advance(hourMs / 2);
    expect(await bench.tick(job)).toMatchObject({ status: 'idle', reason: 'stuck', ...stuck });
    expect(bench.newlyAsked()).toEqual([]);
    await bench.clock.advance(hourMs / 2);
    expect(await bench.tick(job)).toMatchObject({ status: 'led', reason: 'stuck', ...stuck });
    expect(bench.newlyAsked()).toEqual(['d']);
    expect(bench.keys.at(-1)).toBe(bench.keys[3]);
    // The first attempt is too old now: whether it took effect is for a person to find out.
    await bench.clock.advance(2 * hourMs);
    bench.newLedgerCalls();
    expect(await bench.tick(job)).toMatchObject({
      status: 'led',
      reason: 'stuck',
      periods: [{ unknown: 1 }],
    });
    expect(bench.newlyAsked()).toEqual([]);
    expect(bench.newLedgerCalls().write).toBe(0);
  });

  it('is completed by the next sweep after the gateway has answered', async () => {
    const bench = withStubbornCustomers(new BillingBench());
    const job = bench.job({ keyHonouredForMs });
    await bench.tick(job);
    bench.newlyAsked();
    bench.answer = () => ({ status: 'charged', chargeId: 'ch-late' });
    await bench.clock.advance(hourMs);
    expect(await bench.tick(job)).toMatchObject({
      reason: 'completed',
      stuck: [],
      completedThrough: '2026-03',
    });
    expect(bench.newlyAsked()).toEqual(['d']);
  });

  it('is completed by the next sweep after a person has reconciled the entry', async () => {
    const bench = withStubbornCustomers(new BillingBench());
    const job = bench.job({ keyHonouredForMs: 0 });
    await bench.tick(job);
    bench.newlyAsked();
    const entry = await onlyUnfinished(bench);
    expect(entry).toMatchObject({ key: ['billing', 'd', '2026-03'], state: 'unknown' });
    expect(
      await bench.ledger.reconcile(entry, { status: 'done', result: { chargeId: 'ch-9' } }),
    ).toMatchObject({ reconciled: true });
    await bench.clock.advance(hourMs);
    expect(await bench.tick(job)).toMatchObject({
      reason: 'completed',
      periods: [{ end: 'completed', counts: { charged: 4, declined: 1 } }],
    });
    expect(bench.newlyAsked()).toEqual([]);
  });

  it('keeps no newer month waiting', async () => {
    const bench = withStubbornCustomers(new BillingBench());
    const job = bench.job({ keyHonouredForMs, maxPeriodsPerRun: 1 });
    await bench.tick(job);
    bench.newlyAsked();
    bench.answer = ({ customerId }) => ({ status: 'charged', chargeId: `ch-${customerId}` });
    bench.clock.advanceWall(21 * 24 * hourMs);
    expect(await bench.tick(job)).toMatchObject({
      reason: 'stuck',
      periods: [
        { period: '2026-04', end: 'completed' },
        { period: '2026-03', end: 'stuck' },
      ],
      ...stuck,
    });
    expect(bench.newlyAsked()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
