import { describe, expect, it } from 'vitest';
import { budgetOf, rejection } from '../../core/bench.ts';
import { BillingBench } from './job-bench.ts';
import { customersNamed } from './support.ts';

const everybody = ['a', 'b', 'c', 'd', 'e'];

/** A gateway that takes a second, so that a budget can end in mid-run. */
function withSlowGateway(bench: BillingBench): BillingBench {
  bench.answer = async ({ customerId }) => {
    await bench.clock.sleep(1_000);
    return { status: 'charged', chargeId: `ch-${customerId}` };
  };
  return bench;
}

describe('billingJob', () => {
  it('bills each month that is over, and each customer once', async () => {
    const bench = new BillingBench();
    const job = bench.job({ startFrom: '2026-01' });
    const months = ['2026-01', '2026-02', '2026-03'];
    const counts = { charged: 5 };
    expect(await bench.tick(job)).toMatchObject({
      status: 'led',
      reason: 'completed',
      periods: months.map((period) => ({ period, end: 'completed', counts })),
      completedThrough: '2026-03',
    });
    expect(bench.asked).toEqual(
      months.flatMap((period) => everybody.map((id) => `${period} ${id}`)),
    );
    expect(bench.charges.rows).toHaveLength(15);
    expect(bench.charges.rows.every(({ fencingToken }) => fencingToken === 33)).toBe(true);
    expect(await bench.tick(job)).toMatchObject({ status: 'idle', reason: 'nothing-due' });
  });

  it('is about the months of its time zone, under the lease and the limits that it is given', () => {
    const job = new BillingBench().job({
      timeZone: 'America/New_York',
      lease: 'billing-us',
      catchUp: 'latest',
      maxPeriodsPerRun: 2,
    });
    expect(job).toMatchObject({ lease: 'billing-us', catchUp: 'latest', maxPeriodsPerRun: 2 });
    expect(new Date(job.periods.dueFromMs('2026-03')).toISOString()).toBe(
      '2026-04-01T04:00:00.000Z',
    );
  });

  it('charges nobody when the record of the lease is deleted and every month is due again', async () => {
    const bench = new BillingBench();
    const job = bench.job({ startFrom: '2026-01' });
    await bench.tick(job);
    bench.newlyAsked();
    bench.newLedgerCalls();
    bench.records.delete();
    expect(await bench.tick(job)).toMatchObject({
      reason: 'completed',
      periods: [
        { period: '2026-01', counts: { charged: 5 } },
        { period: '2026-02', counts: { charged: 5 } },
        { period: '2026-03', counts: { charged: 5 } },
      ],
    });
    expect(bench.newlyAsked()).toEqual([]);
    expect(bench.newLedgerCalls()).toEqual({ read: 15, write: 0 });
    expect(bench.charges.rows).toHaveLength(15);
  });

  it('goes on where a spent budget left it, then looks through the ledger once from the start', async () => {
    const bench = withSlowGateway(new BillingBench());
    const job = bench.job();
    const budget = budgetOf(bench.clock, 7_500, 4_000);
    expect(await bench.tick(job, { budget })).toMatchObject({
      reason: 'paused',
      periods: [{ end: 'paused', counts: { charged: 4 } }],
    });
    expect(bench.newlyAsked()).toEqual(['a', 'b', 'c', 'd']);
    bench.newLedgerCalls();
    expect(await bench.tick(job)).toMatchObject({
      reason: 'completed',
      periods: [{ end: 'completed', counts: { charged: 5 } }],
    });
    expect(bench.newlyAsked()).toEqual(['e']);
    // Two reads and two writes for the charge of e; then one read for each customer, and no more.
    expect(bench.newLedgerCalls()).toEqual({ read: 7, write: 2 });
  });

  it('finds a customer who was added before the mark while the run was interrupted', async () => {
    const bench = withSlowGateway(new BillingBench());
    const budget = budgetOf(bench.clock, 7_500, 4_000);
    await bench.tick(bench.job(), { budget });
    bench.newlyAsked();
    const customers = customersNamed('a', 'added', 'b', 'c', 'd', 'e').map((customer) => ({
      ...customer,
      // Those of the first run.
      amountMinor: 100 + Math.max(everybody.indexOf(customer.id), 0),
    }));
    expect(await bench.tick(bench.job({ customers }))).toMatchObject({
      periods: [{ end: 'completed', counts: { charged: 6 } }],
    });
    expect(bench.newlyAsked()).toEqual(['e', 'added']);
  });

  it('repeats, and charges nobody twice, where the ids are too long for the mark', async () => {
    const bench = withSlowGateway(new BillingBench());
    // 100 characters, of three bytes each.
    const ids = ['b', 'c', 'd', 'e'].map((id) => id.padEnd(100, '顧'));
    const job = bench.job({ customers: customersNamed('a', ...ids) });
    const budget = budgetOf(bench.clock, 7_500, 4_000);
    expect(await bench.tick(job, { budget })).toMatchObject({ reason: 'paused' });
    expect(await bench.stored()).toContain('"cursor":"a"');
    expect(await bench.tick(job)).toMatchObject({
      reason: 'completed',
      periods: [{ counts: { charged: 5 } }],
    });
    expect(bench.newlyAsked()).toEqual(['a', ...ids]);
    expect(new Set(bench.keys).size).toBe(5);
  });

  it('takes a mark that another version of the code left for none', async () => {
    const bench = withSlowGateway(new BillingBench());
    const budget = budgetOf(bench.clock, 7_500, 4_000);
    await bench.tick(bench.job(), { budget });
    const stored = (await bench.stored()) ?? '';
    const jobState = stored.replace('"cursor":"d"', '"cursor":{"after":"d"}');
    expect(jobState).not.toBe(stored);
    await bench.records.overwrite({ released: true, jobState });
    bench.newLedgerCalls();
    expect(await bench.tick(bench.job())).toMatchObject({
      periods: [{ end: 'completed', counts: { charged: 5 } }],
    });
    expect(bench.newlyAsked()).toEqual(everybody);
    // One sweep from the start, in which e is charged, and no second one to look behind a mark.
    expect(bench.newLedgerCalls()).toEqual({ read: 6, write: 2 });
  });
});

describe('billingJob beside a gateway that fails', () => {
  it('stops after a run of failures, fails, and charges the others at the next tick', async () => {
    const bench = new BillingBench();
    bench.answer = ({ customerId }) => {
      if (customerId !== 'a') {
        throw new Error('503');
      }
      return { status: 'charged', chargeId: 'ch-a' };
    };
    const job = bench.job();
    expect(await rejection(bench.tick(job))).toMatchObject({ name: 'BillingStoppedError' });
    expect(bench.outcomes).toMatchObject([
      {
        status: 'failed',
        reason: 'work',
        error: {
          name: 'BillingStoppedError',
          message: 'stopped after 3 failures in a row',
          cause: 'Error: 503',
        },
        periods: [{ period: '2026-03', end: 'failed', counts: { charged: 1 } }],
        incomplete: ['2026-03'],
      },
    ]);
    expect(bench.newlyAsked()).toEqual(['a', 'b', 'c', 'd']);
    bench.answer = ({ customerId }) => ({ status: 'charged', chargeId: `ch-${customerId}` });
    expect(await bench.tick(job)).toMatchObject({ reason: 'completed' });
    expect(bench.newlyAsked()).toEqual(['b', 'c', 'd', 'e']);
    expect(bench.keys.slice(1, 4)).toEqual(bench.keys.slice(4, 7));
  });

  it('keeps its lease while one customer takes long, and comes to those behind', async () => {
    const bench = new BillingBench();
    bench.answer = async ({ customerId }) => {
      await bench.clock.sleep(customerId === 'b' ? 50_000 : 9_000);
      return { status: 'charged', chargeId: `ch-${customerId}` };
    };
    expect(await bench.tick(bench.job())).toMatchObject({
      status: 'led',
      reason: 'completed',
      fencingToken: 33,
    });
    expect(bench.asked).toHaveLength(5);
    bench.expectQuiet();
  });

  it('renews for no longer than a charge may take', async () => {
    const bench = new BillingBench();
    bench.answer = async () => {
      await bench.clock.sleep(50_000);
      return { status: 'charged', chargeId: 'ch' };
    };
    const outcome = await bench.tick(bench.job({ chargeAtMostMs: 20_000 }));
    expect(outcome).toMatchObject({ status: 'lost', reason: 'expired' });
    expect(bench.asked).toEqual(['2026-03 a']);
  });

  it('writes down what the gateway answered after the leadership was over', async () => {
    const bench = new BillingBench();
    bench.answer = async ({ customerId }) => {
      // The process was suspended.
      bench.clock.advanceWall(customerId === 'b' ? 60_000 : 0);
      return { status: 'charged', chargeId: `ch-${customerId}` };
    };
    const job = bench.job();
    expect(await bench.tick(job)).toMatchObject({ status: 'lost', reason: 'expired' });
    expect(bench.newlyAsked()).toEqual(['a', 'b']);
    expect(await bench.tick(job)).toMatchObject({ reason: 'completed' });
    expect(bench.newlyAsked()).toEqual(['c', 'd', 'e']);
  });
});
