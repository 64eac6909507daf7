import { describe, expect, it } from 'vitest';
import type { JobOutcome } from 'tenure/jobs';
import { budgetOf, deferred, expiries } from '../core/bench.ts';
import { itemRun, JobBench, monthlyJob, nothing, tickAt } from './bench.ts';

const names = ['2026-01', '2026-02', '2026-03'];

describe.each(expiries)('a job where expiry is judged by: %s', (expiry) => {
  it('works for each due period once, and costs one read when nothing is due', async () => {
    const bench = new JobBench(expiry);
    const seen: string[] = [];
    const job = monthlyJob(itemRun(bench, ['c1', 'c2'], seen));
    const outcome = await bench.tick(job);
    expect(outcome).toEqual({
      job: 'billing',
      lease: 'orders',
      identity: 'a',
      attempt: {},
      trigger: { nominalTime: '2026-04-10T00:00:00.000Z' },
      status: 'led',
      reason: 'completed',
      fencingToken: 33,
      periods: names.map((period) => ({
        period,
        end: 'completed',
        unfinished: 0,
        unknown: 0,
        counts: { charged: 2 },
        durationMs: 2_000,
      })),
      incomplete: [],
      incompleteCount: 0,
      stuck: [],
      completedThrough: '2026-03',
      periodLagSeconds: 0,
      leaseHeadroomMs: expect.any(Number),
      renewals: 1,
      durationMs: 6_000,
    });
    expect(seen).toEqual(names.flatMap((period) => [`${period} c1`, `${period} c2`]));
    const before = bench.store.calls.length;
    const idle = await bench.tick(job);
    expect(bench.store.operations.slice(before)).toEqual(['look']);
    expect(idle).toMatchObject({ status: 'idle', reason: 'nothing-due', periods: [] });
    expect(idle).not.toHaveProperty('fencingToken');
    expect(seen).toHaveLength(6);
    expect(bench.outcomes).toEqual([outcome, idle]);
    bench.expectQuiet();
  });

  it('costs a look, an acquire and a release where something is due, also when warm', async () => {
    const bench = new JobBench(expiry);
    const runner = bench.runner(monthlyJob(async () => nothing));
    await bench.settled(runner.run({ trigger: tickAt('2026-02-01T00:00:00Z') }));
    await bench.settled(runner.run({ trigger: tickAt('2026-03-01T00:00:00Z') }));
    const term = ['look', 'acquire', 'release'];
    expect(bench.store.operations).toEqual([...term, ...term]);
  });

  it('works for a period that is asked for by name, through the same path', async () => {
    const bench = new JobBench(expiry);
    const seen: string[] = [];
    const job = monthlyJob(itemRun(bench, ['c1'], seen));
    const first = await bench.tick(job, { trigger: { period: '2026-02' } });
    expect(first).toMatchObject({
      trigger: { period: '2026-02' },
      status: 'led',
      reason: 'completed',
      incomplete: ['2026-01', '2026-03'],
    });
    const again = await bench.tick(job, { trigger: { period: '2026-02' } });
    expect(again).toMatchObject({ status: 'idle', reason: 'already-complete' });
    const early = await bench.tick(job, { trigger: { period: '2026-04' } });
    expect(early).toMatchObject({ status: 'idle', reason: 'not-due' });
    await bench.tick(job);
    expect(seen).toEqual(['2026-02 c1', '2026-01 c1', '2026-03 c1']);
  });

  it('follows a leader that is alive, and names it', async () => {
    const bench = new JobBench(expiry);
    const end = deferred();
    const leading = bench.jobElection('b').lead(async (leadership) => {
      while (
        await Promise.race([end.promise.then(() => false), bench.clock.sleep(1_000)]).then(
          (going) => going !== false,
        )
      ) {
        await leadership.checkpoint();
      }
    }, {});
    await bench.clock.advance(0);
    const outcome = await bench.tick(monthlyJob(async () => nothing));
    expect(outcome).toMatchObject({
      status: 'followed',
      reason: 'held',
      leader: 'b',
      periods: [],
      incomplete: names,
      renewals: 0,
    });
    expect(outcome).not.toHaveProperty('fencingToken');
    end.resolve();
    await bench.settled(leading);
  });

  it('works for nothing where another has completed it between the look and the acquire', async () => {
    const bench = new JobBench(expiry);
    const seen: string[] = [];
    const job = monthlyJob(itemRun(bench, ['c1'], seen));
    bench.store.next('acquire', async (apply) => {
      await bench
        .runner(
          monthlyJob(async () => nothing),
          'b',
        )
        .run({ trigger: bench.now() });
      return apply();
    });
    const outcome = await bench.tick(job);
    expect(outcome).toMatchObject({ status: 'led', reason: 'nothing-due', periods: [] });
    expect(outcome).toMatchObject({ completedThrough: '2026-03', periodLagSeconds: 0 });
    expect(seen).toEqual([]);
  });

  it('claims nothing that a lost leadership left, and its successor does it again', async () => {
    const bench = new JobBench(expiry);
    const swept: string[] = [];
    const hanging = monthlyJob(async ({ period, count }) => {
      swept.push(`a ${period}`);
      count('charged');
      if (period === '2026-02') {
        await bench.clock.sleep(60_000);
      }
      return nothing;
    });
    const losing = bench.runner(hanging).run({ trigger: bench.now() });
    await bench.clock.advance(1_000);
    const job = monthlyJob(async ({ period }) => {
      swept.push(`b ${period}`);
      return nothing;
    });
    expect(await bench.tick(job, {}, 'b')).toMatchObject({ status: 'led', reason: 'completed' });
    const lost = await bench.settled(losing);
    expect(lost).toMatchObject({
      status: 'lost',
      fencingToken: 33,
      incomplete: names,
      incompleteCount: 3,
      leaseHeadroomMs: 0,
    });
    expect(lost).not.toHaveProperty('completedThrough');
    expect(lost.periods).toEqual([
      // This one was not stored before the loss.
      expect.objectContaining({ period: '2026-01', end: 'lost', counts: { charged: 1 } }),
      expect.objectContaining({ period: '2026-02', end: 'lost', counts: { charged: 1 } }),
    ]);
    expect(lost.periods[1]).not.toHaveProperty('unfinished');
    expect(swept).toEqual(['a 2026-01', 'a 2026-02', 'b 2026-01', 'b 2026-02', 'b 2026-03']);
    expect(await bench.tick(job)).toMatchObject({ reason: 'nothing-due' });
  });

  it('pauses at the reserve, and goes on at the cursor, then checks from the first item', async () => {
    const bench = new JobBench(expiry);
    const seen: string[] = [];
    const sweeps: unknown[] = [];
    const run = itemRun(bench, ['c1', 'c2', 'c3', 'c4', 'c5'], seen);
    const job = monthlyJob<string>((jobRun) => {
      sweeps.push([jobRun.period, jobRun.cursor]);
      return run(jobRun);
    });
    const options = { budget: budgetOf(bench.clock, 8_500, 1_000) };
    const paused = await bench.tick(job, options);
    expect(paused).toMatchObject({ status: 'led', reason: 'paused', completedThrough: '2026-01' });
    expect(paused.periods.map(({ period, end }) => [period, end])).toEqual([
      ['2026-01', 'completed'],
      ['2026-02', 'paused'],
    ]);
    expect(paused.periods[1]).toMatchObject({ counts: { charged: 3 } });
    expect(paused.periods[1]).not.toHaveProperty('unfinished');
    expect(paused.incomplete).toEqual(['2026-02', '2026-03']);
    const resumed = await bench.tick(job);
    expect(sweeps).toEqual([
      ['2026-01', undefined],
      ['2026-02', undefined],
      ['2026-02', 'c3'],
      ['2026-02', undefined],
      ['2026-03', undefined],
    ]);
    expect(resumed.periods[0]).toMatchObject({ end: 'completed', counts: { charged: 5 } });
    expect(resumed).toMatchObject({ reason: 'completed', completedThrough: '2026-03' });
  });

  it('makes everything since startFrom due again where the record was deleted', async () => {
    const bench = new JobBench(expiry);
    const swept: string[] = [];
    const job = monthlyJob(async ({ period }) => {
      swept.push(period);
      return nothing;
    });
    await bench.tick(job);
    const fresh = new JobBench(expiry);
    expect(await fresh.tick(job)).toMatchObject({ status: 'led', reason: 'completed' });
    expect(swept).toEqual([...names, ...names]);
  });

  it('is busy for a second run of one process while the first goes on', async () => {
    const bench = new JobBench(expiry);
    const end = deferred();
    const runner = bench.runner(
      monthlyJob(async () => {
        await end.promise;
        return nothing;
      }),
    );
    const first = bench.run(runner);
    await bench.clock.advance(0);
    const second = await bench.settled(bench.run(runner));
    expect(second).toMatchObject({ status: 'followed', reason: 'busy', renewals: 0 });
    expect(second).not.toHaveProperty('fencingToken');
    end.resolve();
    expect(await bench.settled(first)).toMatchObject({
      status: 'led',
      fencingToken: 33,
      incomplete: [],
    });
    expect(bench.outcomes.map(({ status }) => status)).toEqual(['followed', 'led']);
  });
});

describe('the outcome of a run', () => {
  it('is JSON, and says who ran, as which attempt', async () => {
    const bench = new JobBench();
    const outcome = await bench.tick(
      monthlyJob(async () => ({ unfinished: 1, unknown: 2 })),
      { label: 'request-7', attempt: { requestId: '7' } },
    );
    expect(outcome).toMatchObject({ identity: 'a/request-7', attempt: { requestId: '7' } });
    expect((await bench.jobElection('w').look(undefined))?.holder).toBe('a/request-7');
    expect(bench.outcomes).toEqual([outcome]);
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  });

  it('tells how long the oldest incomplete period has been due', async () => {
    const bench = new JobBench();
    const seconds = (text: string): number => Date.parse(text) / 1_000;
    const job = monthlyJob(async ({ period }) =>
      period === '2026-02' ? { unfinished: 1, unknown: 0 } : nothing,
    );
    const outcome = await bench.tick(job, { trigger: tickAt('2026-04-10T06:00:00Z') });
    expect(outcome).toMatchObject({ reason: 'unfinished', completedThrough: '2026-01' });
    expect(outcome.periodLagSeconds).toBe(
      seconds('2026-04-10T06:00:00Z') - seconds('2026-03-01T00:00:00Z'),
    );
  });

  it('names at most twenty incomplete periods, and how many there are', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async () => nothing, { startFrom: '2020-01', maxPeriodsPerRun: 1 });
    const outcome = await bench.tick(job);
    expect(outcome.incomplete).toHaveLength(20);
    expect(outcome).toMatchObject({ incompleteCount: 74, completedThrough: '2020-01' });
    expect(outcome.incomplete[0]).toBe('2020-02');
  });

  it('counts renewals and the least headroom, and tells of leaders that keep dying', async () => {
    const bench = new JobBench();
    const dying = monthlyJob(
      async () => {
        await bench.clock.sleep(40_000);
        return nothing;
      },
      { startFrom: '2026-03' },
    );
    const lost: Promise<JobOutcome>[] = [];
    for (const identity of ['b', 'c', 'd', 'e', 'f', 'g']) {
      lost.push(bench.runner(dying, identity).run({ trigger: bench.now() }));
      await bench.clock.advance(15_500);
    }
    const job = monthlyJob(
      async ({ checkpoint }) => {
        for (let step = 0; step < 6; step += 1) {
          await bench.clock.sleep(1_000);
          await checkpoint();
        }
        return nothing;
      },
      { startFrom: '2026-03' },
    );
    const outcome = await bench.tick(job);
    expect(outcome).toMatchObject({ status: 'led', renewals: 1, leaseHeadroomMs: 5_000 });
    expect(outcome.flapping?.terms).toBeGreaterThanOrEqual(5);
    await Promise.all(lost.map((run) => bench.settled(run)));
  });
});
