import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobRun } from 'tenure/jobs';
import { ManualClock } from 'tenure/testing';
import { Drain } from '../../../src/runtimes/azure-functions/drain.ts';
import { AppBench, registrations, type nothingLeft } from './bench.ts';
import { runHooks } from '../../support/azure-functions/run-app.ts';

/** Works on until the leadership is over, for a second at a time. */
function endless(bench: AppBench) {
  return async (jobRun: JobRun): Promise<typeof nothingLeft> => {
    for (;;) {
      await bench.clock.sleep(1_000);
      await jobRun.checkpoint();
    }
  };
}

/** Ends the app; whether it has, by now. */
function terminate(): { readonly hasEnded: () => boolean } {
  let hasEnded = false;
  void runHooks(registrations, 'appTerminate', {}).then(() => {
    hasEnded = true;
  });
  return { hasEnded: () => hasEnded };
}

const timeLimit = { timeoutMs: 1_000, signal: new AbortController().signal };

describe('the end of an app', () => {
  let bench: AppBench;

  beforeEach(async () => {
    // Each test is a process of its own: one that ends does not begin again.
    vi.resetModules();
    registrations.hooks.appTerminate = [];
    const { registerTimer } = await import('tenure/azure-functions');
    bench = new AppBench(registerTimer);
  });

  it('pauses the work at its next checkpoint and waits until the lease is released', async () => {
    bench.register(bench.job(endless(bench)));
    const tick = bench.tick();
    await bench.clock.advance(2_500);
    const end = terminate();
    await bench.clock.advance(400);
    expect(end.hasEnded()).toBe(false);
    await bench.clock.advance(100);
    const { ok, line } = await tick;
    expect(ok).toBe(true);
    expect(line).toMatchObject({ level: 'info', status: 'led', reason: 'paused' });
    expect(await bench.store.look('billing', timeLimit)).toMatchObject({ state: 'free' });
    expect(end.hasEnded()).toBe(false);
    await bench.clock.advance(100);
    expect(end.hasEnded()).toBe(true);
    expect(bench.clock.pendingSleeps).toBe(0);
  });

  it('waits for no longer than the reserve, whatever the work does', async () => {
    bench.register(
      bench.job(() => new Promise(() => {})),
      { reserveMs: 7_000 },
    );
    void bench.tick();
    await bench.clock.advance(1_000);
    const end = terminate();
    await bench.clock.advance(6_999);
    expect(end.hasEnded()).toBe(false);
    await bench.clock.advance(1);
    expect(end.hasEnded()).toBe(true);
  });

  it('does not wait where nothing runs', async () => {
    bench.register(bench.job());
    await bench.tick();
    const end = terminate();
    await bench.clock.advance(0);
    expect(end.hasEnded()).toBe(true);
  });

  it('does not keep a follower waiting for the lease', async () => {
    bench.register(bench.job(() => new Promise(() => {})));
    void bench.tick();
    await bench.clock.advance(0);
    bench.register(bench.job());
    const tick = bench.tick();
    await bench.clock.advance(1_000);
    terminate();
    await bench.clock.advance(2_000);
    expect((await tick).line).toMatchObject({ status: 'followed', reason: 'cannot-age' });
  });

  it('lets a tick that comes late begin no work, and release what it acquired', async () => {
    bench.register(bench.job(endless(bench)));
    terminate();
    await bench.clock.advance(0);
    expect((await bench.tick()).line).toMatchObject({ status: 'led', reason: 'paused' });
    expect(bench.worked).toEqual([]);
    expect(await bench.store.look('billing', timeLimit)).toMatchObject({ state: 'free' });
  });
});

describe('Drain', () => {
  it('waits for each invocation by its own clock, and only for those under way', async () => {
    const drain = new Drain();
    const clock = new ManualClock();
    const slow = new ManualClock();
    drain.begin({ clock, reserveMs: 5_000 });
    drain.begin({ clock: slow, reserveMs: 1_000 });
    drain.begin({ clock, reserveMs: 60_000 })();
    expect(drain.isDraining).toBe(false);
    let hasDrained = false;
    void drain.drain().then(() => {
      hasDrained = true;
    });
    expect(drain.isDraining).toBe(true);
    await clock.advance(5_000);
    expect(hasDrained).toBe(false);
    await slow.advance(1_000);
    expect(hasDrained).toBe(true);
  });
});
