import { describe, expect, it } from 'vitest';
import type { JobRun } from 'tenure/jobs';
import { AppBench, nothingLeft } from './bench.ts';

/** Sweeps over 1 000 items, one each second. */
function slowSweep(bench: AppBench, done: number[]) {
  return async (jobRun: JobRun): Promise<typeof nothingLeft> => {
    const { cursor } = jobRun;
    for (let item = typeof cursor === 'number' ? cursor + 1 : 0; item < 1_000; item += 1) {
      await bench.clock.sleep(1_000);
      done.push(item);
      await jobRun.checkpoint(item);
    }
    return nothingLeft;
  };
}

describe('the budget of an invocation', () => {
  it('pauses the work when only the reserve is left, and the next tick goes on', async () => {
    const bench = new AppBench();
    const done: number[] = [];
    bench.register(bench.job(slowSweep(bench, done)), { budgetMs: 60_000, reserveMs: 10_000 });
    const first = bench.tick();
    await bench.clock.advance(49_000);
    expect(done).toHaveLength(49);
    await bench.clock.advance(1_000);
    const { ok, line } = await first;
    expect(ok).toBe(true);
    expect(line).toMatchObject({ level: 'info', status: 'led', reason: 'paused' });
    expect(line.figures).toMatchObject({ durationMs: 50_000, failures: 0, periodsCompleted: 0 });
    expect(done).toHaveLength(50);
    const second = bench.tick();
    await bench.clock.advance(50_000);
    expect((await second).line).toMatchObject({ reason: 'paused' });
    expect(done.slice(49, 51)).toEqual([49, 50]);
    expect(bench.clock.pendingSleeps).toBe(0);
  });

  it('keeps 5 s in reserve unless told otherwise', async () => {
    const bench = new AppBench();
    const done: number[] = [];
    bench.register(bench.job(slowSweep(bench, done)), { budgetMs: 60_000 });
    const tick = bench.tick();
    await bench.clock.advance(55_000);
    expect((await tick).line).toMatchObject({ reason: 'paused' });
  });

  it('counts time that the process was frozen and its monotonic clock stood still', async () => {
    const bench = new AppBench();
    const done: number[] = [];
    bench.register(bench.job(slowSweep(bench, done)), {
      budgetMs: 60_000,
      timing: { leaseDurationMs: 600_000 },
    });
    const tick = bench.tick();
    await bench.clock.advance(1_500);
    bench.clock.advanceWall(56_000);
    await bench.clock.advance(500);
    expect((await tick).line).toMatchObject({ reason: 'paused' });
    expect(done).toEqual([0, 1]);
  });

  it('begins anew with each invocation', async () => {
    const bench = new AppBench();
    bench.register(bench.job(), { budgetMs: 60_000 });
    await bench.clock.advance(3_600_000);
    expect((await bench.tick()).line).toMatchObject({ status: 'led', reason: 'completed' });
  });

  it('may be so short that only several invocations see a silent holder out, which the first warns of', async () => {
    const bench = new AppBench();
    bench.register(bench.job(() => new Promise(() => {})));
    void bench.tick();
    await bench.clock.advance(0);
    // Another process: the first one is never heard of again.
    bench.register(bench.job(), { budgetMs: 15_000, reserveMs: 5_000 });
    const first = bench.tick();
    await bench.clock.advance(10_000);
    const { ok, line } = await first;
    expect(ok).toBe(true);
    expect(line).toMatchObject({ level: 'warn', status: 'followed', reason: 'cannot-age' });
    expect(line['warnings']).toEqual([
      expect.stringMatching(
        /^the lease \(15000 ms\) is not shorter than what an invocation may use \(15000 ms less reserveMs, 10000 ms\)/,
      ),
    ]);
    const second = bench.tick();
    await bench.clock.advance(5_000);
    const ended = await second;
    expect(ended.line).toMatchObject({ level: 'info', status: 'led', reason: 'completed' });
    expect(ended.line).not.toHaveProperty('warnings');
  });

  it.each([
    [20_000, true],
    [20_001, false],
  ])('of %d ms with a reserve of 5 s warns of a lease of 15 s: %s', async (budgetMs, warns) => {
    const bench = new AppBench();
    bench.register(bench.job(), { budgetMs });
    expect('warnings' in (await bench.tick()).line).toBe(warns);
  });

  it('is the wait of a follower, who waits for no longer', async () => {
    const bench = new AppBench();
    bench.register(bench.job(() => new Promise(() => {})));
    void bench.tick();
    await bench.clock.advance(0);
    bench.register(bench.job(), { wait: 3_000 });
    const tick = bench.tick();
    await bench.clock.advance(3_000);
    expect((await tick).line).toMatchObject({ status: 'followed', reason: 'held' });
  });
});
