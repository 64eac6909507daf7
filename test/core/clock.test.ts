import { getEventListeners } from 'node:events';
import { afterEach, assert, beforeEach, describe, expect, it, vi } from 'vitest';
import { instantOf, longestTimerMs, systemClock } from '../../src/core/clock.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

describe('systemClock', () => {
  it('reads the system’s clocks', () => {
    const before = [performance.now(), Date.now()] as const;
    const now = instantOf(systemClock);
    const after = [performance.now(), Date.now()] as const;
    expect(now.monotonicMs).toBeGreaterThanOrEqual(before[0]);
    expect(now.monotonicMs).toBeLessThanOrEqual(after[0]);
    expect(now.wallMs).toBeGreaterThanOrEqual(before[1]);
    expect(now.wallMs).toBeLessThanOrEqual(after[1]);
  });
});

describe('systemClock.sleep', () => {
  let signal: AbortSignal;
  let controller: AbortController;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    controller = new AbortController();
    ({ signal } = controller);
  });

  afterEach(() => {
    assert.strictEqual(vi.getTimerCount(), 0);
    assert.lengthOf(getEventListeners(signal, 'abort'), 0);
    vi.useRealTimers();
  });

  /** Starts a sleep; `ended` holds how it ended, once it has. */
  function sleeping(ms: number): { readonly ended: unknown[] } {
    const ended: unknown[] = [];
    systemClock.sleep(ms, signal).then(
      () => ended.push('slept'),
      (error: unknown) => ended.push(error),
    );
    return { ended };
  }

  it('resolves after its time and removes its listener', async () => {
    const { ended } = sleeping(50);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(49);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['slept']);
  });

  it('resolves without a signal', async () => {
    const sleep = systemClock.sleep(50);
    await vi.advanceTimersByTimeAsync(50);
    await expect(sleep).resolves.toBeUndefined();
  });

  it('rejects with the reason of a signal as soon as it aborts', async () => {
    const { ended } = sleeping(50);
    const reason = new Error('stop');
    await vi.advanceTimersByTimeAsync(10);
    controller.abort(reason);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual([reason]);
    expect(ended[0]).toBe(reason);
  });

  it('rejects at once with the reason of a signal that has aborted', async () => {
    controller.abort('stop');
    const { ended } = sleeping(50);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['stop']);
  });

  it('waits longer than one timer can', async () => {
    const { ended } = sleeping(longestTimerMs * 2 + 500);
    await vi.advanceTimersByTimeAsync(longestTimerMs * 2 + 499);
    expect(ended).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['slept']);
  });

  it('can be aborted in the second of its timers', async () => {
    const { ended } = sleeping(longestTimerMs + 500);
    await vi.advanceTimersByTimeAsync(longestTimerMs + 1);
    controller.abort('stop');
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['stop']);
  });

  it.each([0, -5])('lets others run once when there is nothing to wait for: %i ms', async (ms) => {
    const { ended } = sleeping(ms);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['slept']);
  });
});

describe('longestTimerMs', () => {
  it('is the longest delay that does not overflow', () => {
    // Node warns and fires after 1 ms beyond it.
    expect(longestTimerMs).toBe(2 ** 31 - 1);
  });
});

describe('instantOf', () => {
  it('reads both clocks', async () => {
    const clock = new ManualClock({ monotonicMs: 5, wallMs: 1_000 });
    await clock.advanceMonotonic(2);
    clock.advanceWall(-300);
    expect(instantOf(clock)).toEqual({ monotonicMs: 7, wallMs: 700 });
  });
});
