import { describe, expect, it } from 'vitest';
import { isLeadershipOver } from 'tenure';
import type { Job } from 'tenure/jobs';
import { budgetOf, rejection } from '../core/bench.ts';
import { JobBench, monthlyJob, nothing, tickAt } from './bench.ts';

const january = { trigger: tickAt('2026-02-01T00:00:00Z') };

describe('the sweep of a period', () => {
  it('that left something leaves the period open, and later ones are worked for', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async ({ period }) =>
      period === '2026-01' ? { unfinished: 2, unknown: 1 } : nothing,
    );
    const outcome = await bench.tick(job);
    expect(outcome.periods.map(({ period, end }) => [period, end])).toEqual([
      ['2026-01', 'unfinished'],
      ['2026-02', 'completed'],
      ['2026-03', 'completed'],
    ]);
    expect(outcome.periods[0]).toMatchObject({ unfinished: 2, unknown: 1 });
    expect(outcome).toMatchObject({ reason: 'unfinished', incomplete: ['2026-01'], stuck: [] });
  });

  it('that left only unknown items makes it stuck: told at each tick, swept at most hourly', async () => {
    const bench = new JobBench();
    const left = { unfinished: 0, unknown: 3 };
    const job = monthlyJob(async () => left, { startFrom: '2026-03' });
    const stuck = { stuck: ['2026-03'], incomplete: ['2026-03'] };
    expect(await bench.tick(job)).toMatchObject({ status: 'led', reason: 'stuck', ...stuck });
    await bench.clock.advance(900_000);
    expect(await bench.tick(job)).toMatchObject({ status: 'idle', reason: 'stuck', ...stuck });
    await bench.clock.advance(2_700_000);
    left.unknown = 0;
    expect(await bench.tick(job)).toMatchObject({ status: 'led', reason: 'completed', stuck: [] });
  });

  it.each([
    undefined,
    null,
    7,
    {},
    { unfinished: 0 },
    { unfinished: 0, unknown: -1 },
    { unfinished: 0.5, unknown: 0 },
    { unfinished: Number.NaN, unknown: 0 },
    { unfinished: '0', unknown: '0' },
  ])('that does not tell what is left completes nothing: %j', async (result) => {
    const bench = new JobBench();
    const error = await rejection(
      bench.tick(
        monthlyJob(async () => result as typeof nothing),
        january,
      ),
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        'run(2026-01) must resolve to { unfinished, unknown }, two numbers of items, got ',
      ),
    });
    expect(bench.outcomes).toMatchObject([{ status: 'failed', reason: 'work' }]);
    expect(bench.outcomes[0]?.incomplete).toEqual(['2026-01']);
  });

  it('that took the end of its leadership for the failure of an item is not at its end', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async ({ checkpoint }) => {
      // Over before half of the reserve is gone, when the leadership would be.
      for (let item = 0; item < 4; item += 1) {
        await bench.clock.sleep(900);
        await checkpoint(item).catch(() => {});
      }
      return nothing;
    });
    const budget = budgetOf(bench.clock, 5_000, 2_000);
    const outcome = await bench.tick(job, { ...january, budget });
    expect(outcome).toMatchObject({ status: 'led', reason: 'paused', incomplete: ['2026-01'] });
    expect(outcome.periods).toMatchObject([{ period: '2026-01', end: 'paused' }]);
  });

  it('does not begin where periods that are left open have taken the room', async () => {
    const bench = new JobBench();
    const swept: string[] = [];
    const left = { unfinished: 0, unknown: 1 };
    const job = monthlyJob(
      async ({ period }) => {
        swept.push(period);
        return left;
      },
      { startFrom: '2024-04', maxPeriodsPerRun: 20 },
    );
    const full = await bench.tick(job);
    expect(full).toMatchObject({ reason: 'stuck', incompleteCount: 24 });
    expect(full.periods).toHaveLength(16);
    await bench.clock.advance(60_000);
    expect(await bench.tick(job)).toMatchObject({ status: 'idle', reason: 'too-many-open' });
    await bench.clock.advance(3_600_000);
    left.unknown = 0;
    expect(await bench.tick(job)).toMatchObject({ reason: 'completed', incompleteCount: 8 });
    expect(await bench.tick(job)).toMatchObject({ reason: 'completed', incompleteCount: 0 });
    expect(swept).toHaveLength(16 + 24);
  });

  it('that outlasted its leadership is not believed, though nobody took over', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async () => {
      await bench.clock.sleep(12_000);
      return nothing;
    });
    const outcome = await bench.tick(job, january);
    expect(outcome).toMatchObject({ status: 'lost', reason: 'expired', incomplete: ['2026-01'] });
    expect(outcome.periods).toMatchObject([{ end: 'lost' }]);
    expect(outcome).not.toHaveProperty('error');
  });
});

describe('an interrupted sweep', () => {
  /** Charges item 1, then fails at item 2 until `repaired`. */
  function brokenAtTwo(state: { readonly repaired: boolean }, sweeps: unknown[]): Job<number> {
    return monthlyJob<number>(async ({ cursor = 0, checkpoint, count, period }) => {
      sweeps.push([period, cursor]);
      for (let item = cursor + 1; item <= 3; item += 1) {
        if (item === 2 && !state.repaired) {
          throw new Error('the gateway is down');
        }
        count('charged');
        await checkpoint(item);
      }
      return nothing;
    });
  }

  it('keeps its cursor when the run throws, and no other period is worked for', async () => {
    const bench = new JobBench();
    const state = { repaired: false };
    const sweeps: unknown[] = [];
    const job = brokenAtTwo(state, sweeps);
    expect(await rejection(bench.tick(job))).toMatchObject({ message: 'the gateway is down' });
    expect(bench.outcomes).toMatchObject([
      {
        status: 'failed',
        reason: 'work',
        fencingToken: 33,
        periods: [{ period: '2026-01', end: 'failed', counts: { charged: 1 } }],
        incompleteCount: 3,
        error: { name: 'Error', message: 'the gateway is down' },
      },
    ]);
    expect(await bench.stored()).toBe(
      '{"v":1,"job":"billing","open":"2026-01~u0hmco0","run":{"period":"2026-01","cursor":1,"counts":{"charged":1}}}',
    );
    state.repaired = true;
    const outcome = await bench.tick(job, january);
    expect(outcome.periods).toMatchObject([{ end: 'completed', counts: { charged: 3 } }]);
    expect(sweeps).toEqual([
      ['2026-01', 0],
      ['2026-01', 1],
      ['2026-01', 0],
    ]);
  });

  it('is known as begun though it threw before its first checkpoint', async () => {
    const bench = new JobBench();
    const failing = monthlyJob(() => Promise.reject(new Error('at once')), { catchUp: 'latest' });
    await rejection(bench.tick(failing));
    const swept: string[] = [];
    const job = monthlyJob(
      async ({ period }) => {
        swept.push(period);
        return nothing;
      },
      { catchUp: 'latest' },
    );
    await bench.tick(job, { trigger: tickAt('2026-05-01T00:00:00Z') });
    // It has had its turn, and is finished all the same.
    expect(swept).toEqual(['2026-04', '2026-03']);
  });

  it('begins anew where parseCursor has no use for what was saved, and counts anew', async () => {
    const bench = new JobBench();
    const state = { repaired: false };
    await rejection(bench.tick(brokenAtTwo(state, []), january));
    const cursors: unknown[] = [];
    const job = monthlyJob<string>(
      async ({ cursor, count }) => {
        cursors.push(cursor);
        count('charged', 3);
        return nothing;
      },
      { parseCursor: (json) => (typeof json === 'string' ? json : undefined) },
    );
    const outcome = await bench.tick(job, january);
    expect(cursors).toEqual([undefined]);
    expect(outcome.periods).toMatchObject([{ end: 'completed', counts: { charged: 3 } }]);
  });

  it('of a check goes on as a check: one more sweep from the first item is not asked for', async () => {
    const bench = new JobBench();
    const cursors: unknown[] = [];
    let failures = 2;
    const job = monthlyJob<number>(async ({ cursor, checkpoint }) => {
      cursors.push(cursor);
      await checkpoint((cursor ?? 0) + 1);
      if (cursors.length !== 2 && failures > 0) {
        failures -= 1;
        throw new Error('interrupted');
      }
      return nothing;
    });
    await rejection(bench.tick(job, january));
    await rejection(bench.tick(job, january));
    expect(await bench.stored()).toContain('"check":1');
    await bench.tick(job, january);
    expect(cursors).toEqual([undefined, 1, undefined, 1]);
    expect(await bench.tick(job, january)).toMatchObject({ reason: 'nothing-due' });
  });

  it('finds in its check what was left behind the cursor', async () => {
    const bench = new JobBench();
    let interrupted = false;
    const job = monthlyJob<number>(async ({ cursor, checkpoint }) => {
      if (!interrupted) {
        interrupted = true;
        await checkpoint(5);
        throw new Error('interrupted');
      }
      return cursor === undefined ? { unfinished: 1, unknown: 0 } : nothing;
    });
    await rejection(bench.tick(job, january));
    expect(await bench.tick(job, january)).toMatchObject({ reason: 'unfinished' });
  });
});

describe('reconcile', () => {
  it('is called before a period is swept again of which items were unknown, and only then', async () => {
    const bench = new JobBench();
    const calls: string[] = [];
    const left = new Map([
      ['2026-01', { unfinished: 1, unknown: 1 }],
      ['2026-02', { unfinished: 1, unknown: 0 }],
    ]);
    const job = monthlyJob(
      async ({ period }) => {
        calls.push(`run ${period}`);
        return left.get(period) ?? nothing;
      },
      {
        reconcile: async ({ period, leadership, checkpoint }) => {
          leadership.assertLeader();
          await checkpoint();
          calls.push(`reconcile ${period}`);
          left.clear();
        },
      },
    );
    await bench.tick(job);
    expect(calls).toEqual(['run 2026-01', 'run 2026-02', 'run 2026-03']);
    const outcome = await bench.tick(job);
    expect(calls.slice(3)).toEqual(['reconcile 2026-01', 'run 2026-01', 'run 2026-02']);
    expect(outcome).toMatchObject({ reason: 'completed', completedThrough: '2026-03' });
  });

  it('fails the run when it rejects, before the period is swept', async () => {
    const bench = new JobBench();
    let sweeps = 0;
    const job = monthlyJob(
      async () => {
        sweeps += 1;
        return { unfinished: 0, unknown: 1 };
      },
      { reconcile: () => Promise.reject(new Error('cannot ask')) },
    );
    await bench.tick(job, january);
    await bench.clock.advance(3_600_000);
    const error = await rejection(bench.tick(job, january));
    expect(error).toMatchObject({ message: 'cannot ask' });
    expect(isLeadershipOver(error)).toBe(false);
    expect(sweeps).toBe(1);
    expect(bench.outcomes.at(-1)).toMatchObject({ status: 'failed', stuck: ['2026-01'] });
  });
});
