import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from 'tenure/testing';

function sleeping(clock: ManualClock, ...sleepsMs: readonly number[]): string[] {
  const woken: string[] = [];
  for (const ms of sleepsMs) {
    void clock.sleep(ms).then(() => woken.push(`${ms} at ${clock.monotonicMs()}`));
  }
  return woken;
}

describe('ManualClock', () => {
  it('stands still until it is moved', async () => {
    const clock = new ManualClock({ monotonicMs: 5, wallMs: 7 });
    const woken = sleeping(clock, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([clock.monotonicMs(), clock.wallMs(), woken]).toEqual([5, 7, []]);
  });

  it('starts at 0 and at the beginning of 2026 unless told otherwise', () => {
    const clock = new ManualClock();
    expect(clock.monotonicMs()).toBe(0);
    expect(new Date(clock.wallMs()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('wakes sleepers in the order in which they come due, each at its own time', async () => {
    const clock = new ManualClock();
    const woken = sleeping(clock, 20, 10, 30, 31);
    await clock.advance(30);
    expect(woken).toEqual(['10 at 10', '20 at 20', '30 at 30']);
    expect(clock.monotonicMs()).toBe(30);
    expect(clock.pendingSleeps).toBe(1);
  });

  it('wakes sleepers that are due at the same time in the order in which they went to sleep', async () => {
    const clock = new ManualClock();
    const woken: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      void clock.sleep(10).then(() => woken.push(name));
    }
    await clock.advance(10);
    expect(woken).toEqual(['a', 'b', 'c']);
  });

  it('lets a sleeper run, and sleep again, before it wakes the next', async () => {
    const clock = new ManualClock();
    const woken: string[] = [];
    const again = async (): Promise<void> => {
      await clock.sleep(10);
      for (let hops = 0; hops < 20; hops += 1) {
        await Promise.resolve();
      }
      await clock.sleep(5);
      woken.push(`again at ${clock.monotonicMs()}`);
    };
    void again();
    void clock.sleep(20).then(() => woken.push('other'));
    await clock.advance(100);
    expect(woken).toEqual(['again at 15', 'other']);
  });

  it('wakes code that was started in the same turn', async () => {
    const clock = new ManualClock();
    const woken: number[] = [];
    void (async () => {
      await Promise.resolve();
      await clock.sleep(10);
      woken.push(clock.monotonicMs());
    })();
    await clock.advance(10);
    expect(woken).toEqual([10]);
  });

  it('moves both clocks together, also while sleepers wake', async () => {
    const clock = new ManualClock({ wallMs: 1_000 });
    const walls: number[] = [];
    void clock.sleep(10).then(() => walls.push(clock.wallMs()));
    await clock.advance(25);
    expect([walls, clock.monotonicMs(), clock.wallMs()]).toEqual([[1_010], 25, 1_025]);
  });

  it('wakes sleepers by the monotonic clock alone', async () => {
    const clock = new ManualClock({ wallMs: 1_000 });
    const woken = sleeping(clock, 10);
    clock.advanceWall(60_000);
    await clock.advance(0);
    expect([woken, clock.monotonicMs(), clock.wallMs()]).toEqual([[], 0, 61_000]);
    await clock.advanceMonotonic(10);
    expect([woken, clock.monotonicMs(), clock.wallMs()]).toEqual([['10 at 10'], 10, 61_000]);
  });

  it('sets the wall clock back', () => {
    const clock = new ManualClock({ wallMs: 1_000 });
    clock.advanceWall(-400);
    expect([clock.wallMs(), clock.monotonicMs()]).toEqual([600, 0]);
  });

  it('wakes nobody while it is blocked, and the overdue late', async () => {
    const clock = new ManualClock();
    const woken = sleeping(clock, 10, 5);
    clock.block(60);
    await Promise.resolve();
    expect([woken, clock.monotonicMs(), clock.pendingSleeps]).toEqual([[], 60, 2]);
    await clock.advance(0);
    expect(woken).toEqual(['5 at 60', '10 at 60']);
  });

  it('ends where it was told to, whatever the sleeps on the way', async () => {
    const clock = new ManualClock();
    const woken = sleeping(clock, 0.1, 0.7, 10.3, 30);
    await clock.advance(30);
    expect(woken).toHaveLength(4);
    expect(clock.monotonicMs()).toBe(30);
  });

  it('adds up calls that overlap', async () => {
    const clock = new ManualClock();
    const woken = sleeping(clock, 10, 25);
    await Promise.all([clock.advance(10), clock.advance(20)]);
    expect(clock.monotonicMs()).toBe(30);
    expect(woken).toHaveLength(2);
  });

  it('rejects a sleep with the reason of its signal and forgets it', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const slept = clock.sleep(10, controller.signal).catch((reason: unknown) => reason);
    expect(clock.pendingSleeps).toBe(1);
    controller.abort('enough');
    expect(await slept).toBe('enough');
    expect(clock.pendingSleeps).toBe(0);
    await expect(clock.sleep(10, controller.signal)).rejects.toBe('enough');
    expect(clock.pendingSleeps).toBe(0);
  });

  it('leaves no listener on the signal of a sleep that ended', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const slept = clock.sleep(10, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await clock.advance(10);
    await slept;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends a loop that sleeps for what rounding leaves until the clock has moved', async () => {
    const clock = new ManualClock({ monotonicMs: 1e6 });
    let rounds = 0;
    const loop = (async () => {
      while (clock.monotonicMs() === 1e6 && rounds < 100) {
        rounds += 1;
        await clock.sleep(1e-12);
      }
    })();
    await clock.advance(1);
    await loop;
    expect(rounds).toBe(1);
  });

  it('moves on although a test runner fakes timers', async () => {
    vi.useFakeTimers();
    try {
      const clock = new ManualClock();
      const woken = sleeping(clock, 10);
      await clock.advance(10);
      expect(woken).toEqual(['10 at 10']);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses to move by %s', async (ms) => {
    const clock = new ManualClock();
    await expect(clock.advance(ms)).rejects.toThrow(RangeError);
    await expect(clock.advanceMonotonic(ms)).rejects.toThrow(`got ${ms}`);
    expect(() => clock.block(ms)).toThrow(RangeError);
    expect([clock.monotonicMs(), clock.wallMs()]).toEqual([0, 1_767_225_600_000]);
  });

  it('refuses a wall clock that is no number', () => {
    expect(() => new ManualClock().advanceWall(Number.NaN)).toThrow('got NaN');
    expect(() => new ManualClock({ wallMs: Number.NaN })).toThrow('wallMs must be a finite number');
  });
});
