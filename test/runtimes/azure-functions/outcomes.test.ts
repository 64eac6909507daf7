import { describe, expect, it } from 'vitest';
import { StaleTokenError, StoreUnavailableError } from 'tenure';
import type { JobLeadership, JobOutcome } from 'tenure/jobs';
import { AppBench, nothingLeft } from './bench.ts';

const invocationId = '11111111-2222-3333-4444-555555555555';

describe('a timer for a job', () => {
  it('works for what its tick makes due, and tells so in one line of JSON', async () => {
    const bench = new AppBench();
    bench.register(bench.job(), { environment: 'prod' });
    const { ok, returned, entries, line } = await bench.tick({ invocationId });
    expect(ok).toBe(true);
    expect(bench.worked).toEqual(['2026-10']);
    expect(entries).toMatchObject([{ level: 'information' }]);
    expect(returned).toMatchObject({ status: 'led', reason: 'completed' });
    expect(line).toEqual({
      event: 'tenure.job.outcome',
      level: 'info',
      environment: 'prod',
      functionName: 'billing',
      nominalTimeSource: 'schedule',
      isPastDue: false,
      coldStart: true,
      job: 'billing',
      lease: 'billing',
      identity: `azure:westeurope:billing-prod:billing:1.2.0/${invocationId}`,
      attempt: { invocationId },
      trigger: { nominalTime: '2026-11-01T00:00:00.000Z' },
      status: 'led',
      reason: 'completed',
      fencingToken: expect.any(Number) as number,
      periods: [{ period: '2026-10', end: 'completed', ...nothingLeft, counts: {}, durationMs: 0 }],
      incomplete: [],
      incompleteCount: 0,
      stuck: [],
      completedThrough: '2026-10',
      renewals: 0,
      figures: {
        periodLagSeconds: 0,
        failures: 0,
        unknownItems: 0,
        unfinishedItems: 0,
        periodsCompleted: 1,
        flapping: 0,
        leaseHeadroomMs: 10_000,
        durationMs: 0,
      },
    });
  });

  it('has nothing to do at the next tick, and is no cold start any more', async () => {
    const bench = new AppBench();
    bench.register(bench.job());
    await bench.tick();
    const { ok, line } = await bench.tick({ next: '2026-11-01T00:00:00Z' });
    expect(ok).toBe(true);
    expect(line).toMatchObject({ status: 'idle', reason: 'nothing-due', coldStart: false });
    expect(bench.worked).toEqual(['2026-10']);
  });

  it.each([
    [0.4, '2026-11-01T00:00:00Z', ['2026-10']],
    [-59, '2026-11-01T00:00:00Z', ['2026-10']],
    [-59, '2026-10-31T23:59:00Z', []],
  ])('takes the tick for the time, %d s before it, at %s', async (earlyS, next, worked) => {
    const bench = new AppBench();
    bench.register(bench.job());
    bench.clock.advanceWall(-earlyS * 1_000);
    await bench.tick({ next });
    expect(bench.worked).toEqual(worked);
  });

  it('works for what was due at a tick that was missed, and for the rest at the next one', async () => {
    const bench = new AppBench();
    bench.register(bench.job());
    await bench.clock.advance(40 * 86_400_000);
    const { line } = await bench.tick({ next: '2026-11-02T00:00:00Z', isPastDue: true });
    expect(line).toMatchObject({ isPastDue: true, nominalTimeSource: 'schedule' });
    expect(bench.worked).toEqual(['2026-10']);
    await bench.tick({ next: '2026-12-11T00:05:00Z' });
    expect(bench.worked).toEqual(['2026-10', '2026-11']);
  });

  it.each([
    ['a tick to come', '2026-12-01T00:00:00Z'],
    ['no tick', null],
  ])('makes due what is over when the host names %s, and warns', async (_, next) => {
    const bench = new AppBench();
    bench.register(bench.job());
    const { ok, entries, line } = await bench.tick({ next });
    expect(ok).toBe(true);
    expect(bench.worked).toEqual(['2026-10']);
    expect(line).toMatchObject({ level: 'warn', nominalTimeSource: 'clock', status: 'led' });
    expect(line['warnings']).toEqual([expect.stringContaining('the present time stands in')]);
    expect(entries).toMatchObject([{ level: 'warning' }]);
  });

  it('returns while another leads', async () => {
    const bench = new AppBench();
    bench.register(bench.job(() => new Promise(() => {})));
    void bench.tick();
    await bench.clock.advance(0);
    bench.register(bench.job(), { wait: 'none', where: {} });
    const { ok, line } = await bench.tick();
    expect(ok).toBe(true);
    expect(line).toMatchObject({
      level: 'info',
      status: 'followed',
      reason: 'held',
      leader: expect.stringMatching(/^azure:westeurope:billing-prod:billing:1\.2\.0\//) as string,
      identity: expect.stringMatching(/^azure:-:-:billing:-\//) as string,
    });
  });

  it('returns when it lost to another holder', async () => {
    const bench = new AppBench();
    bench.register(
      bench.job(({ leadership: { fencingToken } }) => {
        const context = { store: 'charges', fencingToken, highestToken: fencingToken + 1 };
        throw new StaleTokenError('a higher token was seen', context);
      }),
    );
    const { ok, line, entries } = await bench.tick();
    expect(ok).toBe(true);
    expect(line).toMatchObject({ level: 'warn', status: 'lost', reason: 'taken-over' });
    expect(line.figures).toMatchObject({ failures: 0 });
    expect(entries).toMatchObject([{ level: 'warning' }]);
  });

  it('fails when its lease ran out over the work, which is not done', async () => {
    const bench = new AppBench();
    bench.register(
      bench.job(async (jobRun) => {
        bench.clock.block(20_000);
        await jobRun.checkpoint();
        return nothingLeft;
      }),
    );
    const { ok, error, line, entries } = await bench.tick();
    expect(ok).toBe(false);
    expect(error).toMatchObject({
      name: 'LeaseLostError',
      message:
        'the job billing was not done before its lease ran out, another invocation must go on with it [memory:billing]',
    });
    expect(line).toMatchObject({ level: 'error', status: 'lost', reason: 'expired' });
    expect(line.figures).toMatchObject({ failures: 1 });
    expect(entries).toMatchObject([{ level: 'error' }]);
  });

  it('fails with the error of the work', async () => {
    const bench = new AppBench();
    bench.register(bench.job(() => Promise.reject(new RangeError('no gateway'))));
    const { ok, error, line, entries } = await bench.tick();
    expect(ok).toBe(false);
    expect(error).toMatchObject({ name: 'RangeError', message: 'no gateway' });
    expect(line).toMatchObject({
      level: 'error',
      status: 'failed',
      reason: 'work',
      error: { name: 'RangeError', message: 'no gateway' },
      incomplete: ['2026-10'],
    });
    expect(entries).toMatchObject([{ level: 'error' }]);
  });

  it('fails when the store cannot be asked, and knows no lag then', async () => {
    const bench = new AppBench();
    const down = new StoreUnavailableError('no contact', { store: 'memory' });
    const store = Object.assign(Object.create(bench.store) as typeof bench.store, {
      look: () => Promise.reject(down),
    });
    bench.register(bench.job(), { store });
    const { ok, error, line } = await bench.tick();
    expect(ok).toBe(false);
    expect(error).toMatchObject({ name: 'StoreUnavailableError' });
    expect(line).toMatchObject({ level: 'error', status: 'failed', reason: 'store' });
    expect(line.figures).not.toHaveProperty('periodLagSeconds');
  });

  it('tells of an error in a line that stays readable, however long its message is', async () => {
    const bench = new AppBench();
    bench.register(bench.job(() => Promise.reject(new Error('"'.repeat(40_000)))));
    const { entries, line } = await bench.tick();
    expect(entries[0]?.message.length).toBeLessThan(32_768);
    expect(line.error?.message).toHaveLength(1_000);
  });

  it.each<[string, (error: Error) => unknown]>([
    [
      'throws',
      (error) => {
        throw error;
      },
    ],
    ['rejects', (error) => Promise.reject(error)],
  ])('tells onOutcome too, and goes on where it %s', async (_, fail) => {
    const bench = new AppBench();
    const told: JobOutcome[] = [];
    const options = {
      onOutcome: (outcome: JobOutcome) => {
        told.push(outcome);
        return fail(new Error('no disk')) as void;
      },
    };
    bench.register(bench.job(), options);
    const { ok, returned } = await bench.tick();
    expect(ok).toBe(true);
    bench.register(
      bench.job(() => Promise.reject(new Error('no gateway')), { lease: 'other' }),
      options,
    );
    expect((await bench.tick()).error).toMatchObject({ message: 'no gateway' });
    expect(told).toMatchObject([returned, { status: 'failed', reason: 'work' }]);
    // A rejection that nobody handles would end this test run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('says which attempt of the host it is', async () => {
    const bench = new AppBench();
    bench.register(bench.job());
    const retryContext = { retryCount: 2, maxRetryCount: 3 };
    const { line } = await bench.tick({ invocationId, retryContext });
    expect(line.attempt).toEqual({ invocationId, retryCount: '2' });
  });

  it('keeps its identity short, whatever the app is called', async () => {
    const bench = new AppBench();
    const long = '€'.repeat(200);
    bench.register(bench.job(), { where: { region: long, app: long, version: `\uD800${long}` } });
    const { ok, line } = await bench.tick({ invocationId });
    expect(ok).toBe(true);
    const cut = '€'.repeat(17);
    expect(line.identity).toBe(
      `azure:${cut}:${cut}:billing:\uFFFD${'€'.repeat(16)}/${invocationId}`,
    );
  });

  it('leaves no leadership to a later invocation, and no timer', async () => {
    const bench = new AppBench();
    const kept: JobLeadership[] = [];
    bench.register(
      bench.job(({ leadership }) => {
        kept.push(leadership);
        return Promise.resolve({ unfinished: 1, unknown: 0 });
      }),
    );
    const first = await bench.tick();
    expect(first.line).toMatchObject({ level: 'warn', reason: 'unfinished' });
    expect(bench.clock.pendingSleeps).toBe(0);
    await bench.tick();
    expect(kept).toHaveLength(2);
    for (const leadership of kept) {
      expect(() => leadership.assertLeader()).toThrow(
        expect.objectContaining({ code: 'LEASE_LOST', reason: 'settled' }),
      );
      expect(leadership.signal.aborted).toBe(true);
    }
  });
});
