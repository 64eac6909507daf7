import { describe, expect, it } from 'vitest';
import { daily, monthly, type JobRun, type Periods } from 'tenure/jobs';
import { rejection } from '../core/bench.ts';
import { JobBench, monthlyJob, nothing, tickAt } from './bench.ts';

const fiveMinutesMs = 300_000;

describe('a period whose run fails', () => {
  it('has had its turn: the next invocation begins with those that have not', async () => {
    const bench = new JobBench();
    const ran: string[] = [];
    const job = monthlyJob(async ({ period }) => {
      ran.push(period);
      if (period === '2026-01') {
        throw new Error('no such currency');
      }
      return nothing;
    });
    await rejection(bench.tick(job));
    await bench.clock.advance(fiveMinutesMs);
    const error = await rejection(bench.tick(job));
    expect(error).toMatchObject({ message: 'no such currency' });
    expect(ran).toEqual(['2026-01', '2026-02', '2026-03', '2026-01']);
    expect(bench.outcomes.at(-1)).toMatchObject({
      status: 'failed',
      reason: 'work',
      incomplete: ['2026-01'],
    });
  });

  it('goes on at its cursor', async () => {
    const bench = new JobBench();
    const cursors: unknown[] = [];
    const january = { trigger: tickAt('2026-02-01T00:00:00Z') };
    const job = monthlyJob(async ({ cursor, checkpoint }) => {
      cursors.push(cursor);
      if (cursor === undefined && cursors.length === 1) {
        await checkpoint('c-011');
        throw new Error('gateway down');
      }
      return nothing;
    });
    await rejection(bench.tick(job, january));
    await bench.tick(job, january);
    // And then a check from the beginning.
    expect(cursors).toEqual([undefined, 'c-011', undefined]);
  });
});

describe('a reconciliation that fails', () => {
  it('keeps no other period from its turn, and is paced as the sweep is', async () => {
    const bench = new JobBench();
    const asked: string[] = [];
    const swept: string[] = [];
    const job = monthlyJob(
      async ({ period }) => {
        swept.push(period);
        return { unfinished: 0, unknown: 1 };
      },
      {
        reconcile: async ({ period }) => {
          asked.push(period);
          if (period === '2026-01') {
            throw new Error('cannot ask');
          }
        },
      },
    );
    await bench.tick(job);
    await bench.clock.advance(3_600_000);
    swept.length = 0;
    expect(await rejection(bench.tick(job))).toMatchObject({ message: 'cannot ask' });
    expect(asked).toEqual(['2026-01', '2026-02', '2026-03']);
    expect(swept).toEqual(['2026-02', '2026-03']);
    expect(bench.outcomes.at(-1)?.periods).toMatchObject([
      { period: '2026-01', end: 'failed' },
      { period: '2026-02', end: 'stuck' },
      { period: '2026-03', end: 'stuck' },
    ]);
    await bench.clock.advance(fiveMinutesMs);
    expect(await bench.tick(job)).toMatchObject({ status: 'idle', reason: 'stuck' });
    expect(asked).toHaveLength(3);
  });
});

describe('the run of a period', () => {
  it('may not save any more once it has settled', async () => {
    const bench = new JobBench();
    const late: unknown[] = [];
    let first: JobRun | undefined;
    const job = monthlyJob(async (run) => {
      if (first) {
        late.push(await rejection(first.checkpoint('late')));
      }
      first ??= run;
      return nothing;
    });
    await bench.tick(job);
    const message = 'a checkpoint of 2026-01 came after its run had settled';
    expect(late).toMatchObject([{ message }, { message }]);
    expect(await bench.stored()).toBe('{"v":1,"job":"billing","settled":"2026-01/2026-03"}');
  });

  it('has of its leadership only what cannot pass by its own checkpoint', async () => {
    const bench = new JobBench();
    let given: object = {};
    await bench.tick(
      monthlyJob(async ({ leadership }) => {
        given = leadership;
        return nothing;
      }),
    );
    expect(Object.keys(given).toSorted()).toEqual([
      'assertLeader',
      'during',
      'fencingToken',
      'remainingMs',
      'signal',
    ]);
  });
});

describe('a record', () => {
  it('has room for the schedule however many days here and there were run by hand', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async () => nothing, { periods: daily(), startFrom: '2026-01-01' });
    const reasons = new Set<string>();
    for (let index = 0; index < 60; index += 1) {
      const period = new Date(Date.UTC(2025, 0, 1 + 2 * index)).toISOString().slice(0, 10);
      reasons.add((await bench.tick(job, { trigger: { period } })).reason);
    }
    expect([...reasons]).toEqual(['completed', 'too-many-open']);
    expect(await bench.tick(job)).toMatchObject({ status: 'led', reason: 'completed' });
  });

  it('is of one job: another one on the same lease is refused, and not called done', async () => {
    const bench = new JobBench();
    const run = async (): Promise<typeof nothing> => nothing;
    await bench.tick(monthlyJob(run));
    const other = monthlyJob(run, { name: 'refunds' });
    expect(await rejection(bench.tick(other))).toMatchObject({
      code: 'LEASE_RECORD_INVALID',
      message: expect.stringContaining('give each job a lease of its own'),
    });
  });

  it('tells of stuck periods also at a tick that is older than they are', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async () => ({ unfinished: 0, unknown: 1 }));
    await bench.tick(job);
    await bench.clock.advance(fiveMinutesMs);
    const late = await bench.tick(job, { trigger: tickAt('2026-02-01T00:00:00Z') });
    expect(late).toMatchObject({ reason: 'stuck', stuck: ['2026-01', '2026-02', '2026-03'] });
  });
});

describe('periods that are due at one instant', () => {
  it('are refused, since they cannot be told apart by when they are due', async () => {
    const bench = new JobBench();
    const halves: Periods = {
      parse: (text) => text,
      next: (period) =>
        period.endsWith('a') ? `${period.slice(0, -1)}b` : `${Number(period.slice(0, -1)) + 1}a`,
      dueFromMs: (period) => Date.UTC(2026, Number(period.slice(0, -1))),
    };
    const job = monthlyJob(async () => nothing, { periods: halves, startFrom: '1a' });
    expect(await rejection(bench.tick(job))).toMatchObject({
      name: 'RangeError',
      message: expect.stringContaining('dueFromMs must rise from one period to the next'),
    });
  });

  it.each(['after', 'at-start'] as const)(
    'are not among the days of a zone that skipped one, due %s',
    (due) => {
      const apia = daily({ timeZone: 'Pacific/Apia', due });
      const days = ['2011-12-28', '2011-12-29', '2011-12-30', '2011-12-31', '2012-01-01'];
      const dueMs = days.map((day) => apia.dueFromMs(day));
      expect(dueMs).toEqual(dueMs.toSorted((a, b) => a - b));
      expect(new Set(dueMs).size).toBe(days.length);
    },
  );
});

describe('an outcome', () => {
  it('is told although the periods begin to throw in the course of the run', async () => {
    const bench = new JobBench();
    const months = monthly();
    let isBroken = false;
    const periods: Periods = {
      parse: (text) => months.parse(text),
      dueFromMs: (period) => months.dueFromMs(period),
      next: (period) => {
        if (isBroken) {
          throw new Error('no calendar');
        }
        return months.next(period);
      },
    };
    const job = monthlyJob(
      async () => {
        isBroken = true;
        throw new Error('gateway down');
      },
      { periods },
    );
    expect(await rejection(bench.tick(job))).toMatchObject({ message: 'gateway down' });
    expect(bench.outcomes).toMatchObject([{ status: 'failed', reason: 'work' }]);
  });

  it('has the figures of its own term, of several runs in one runner', async () => {
    const bench = new JobBench();
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const job = monthlyJob(async () => {
      await held;
      return nothing;
    });
    const runner = bench.runner(job);
    const first = runner.run({ trigger: bench.now() });
    await bench.clock.advance(1);
    const second = await runner.run({ trigger: bench.now() });
    expect(second).toMatchObject({ status: 'followed', reason: 'busy' });
    expect(second).not.toHaveProperty('fencingToken');
    finish();
    expect(await first).toMatchObject({ status: 'led', fencingToken: 33 });
    const third = await runner.run({ trigger: { period: '2025-12' } });
    expect(third).toMatchObject({ status: 'led', fencingToken: 34 });
  });
});
