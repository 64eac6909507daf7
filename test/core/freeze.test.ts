import { describe, expect, it } from 'vitest';
import { aborted, Bench, expiries, rejection, thrown } from './bench.ts';

describe.each(expiries)('a leadership where expiry is judged by: %s', (expiry) => {
  it('aborts its signal by a timer at the renew deadline', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(9_999);
      expect(leadership.signal.aborted).toBe(false);
      leadership.assertLeader();
      await bench.clock.sleep(1);
      expect(leadership.signal.aborted).toBe(true);
    });
    expect.assertions(2);
  });

  it('wakes code that only listens to the signal', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async (leadership) => {
      expect(await aborted(leadership.signal)).toMatchObject({ reason: 'expired' });
      expect(bench.clock.monotonicMs()).toBe(10_000);
    });
    expect.assertions(2);
  });
});

describe('a leadership whose timer has not fired', () => {
  it.each([
    ['assertLeader', ({ leadership }) => thrown(() => leadership.assertLeader())],
    ['checkpoint', ({ leadership }) => rejection(leadership.checkpoint())],
    ['during', ({ leadership }) => rejection(leadership.during(() => {}, { atMostMs: 1 }))],
    ['remainingMs', ({ leadership, signal }) => leadership.remainingMs() === 0 && signal.reason],
    ['signal', ({ leadership }) => leadership.signal.reason],
    ['fencingToken', ({ leadership, signal }) => leadership.fencingToken && signal.reason],
    ['progress', ({ leadership, signal }) => leadership.progress ?? signal.reason],
  ] as readonly [
    string,
    (given: {
      leadership: Parameters<Parameters<Bench['lead']>[0]>[0];
      signal: AbortSignal;
    }) => unknown,
  ][])('is over at the first use after the deadline: %s', async (_, use) => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      const { signal } = leadership;
      bench.clock.block(10_000);
      expect(signal.aborted).toBe(false);
      expect(await use({ leadership, signal })).toMatchObject({ reason: 'expired' });
      expect(signal.aborted).toBe(true);
      expect(leadership.remainingMs()).toBe(0);
      expect(thrown(() => leadership.assertLeader())).toBe(signal.reason);
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
    expect(bench.store.count('renew')).toBe(0);
    expect.assertions(7);
  });

  it('is over when only the wall clock moved: a frozen machine stops the other', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      bench.clock.advanceWall(9_999);
      leadership.assertLeader();
      expect(leadership.remainingMs()).toBe(1);
      bench.clock.advanceWall(1);
      expect(thrown(() => leadership.assertLeader())).toMatchObject({ reason: 'expired' });
    });
    expect(outcome).toMatchObject({ status: 'lost', reason: 'expired' });
    expect.assertions(3);
  });

  it('is over when only the monotonic clock moved', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      await bench.clock.advanceMonotonic(10_000);
      expect(thrown(() => leadership.assertLeader())).toMatchObject({ reason: 'expired' });
    });
    expect.assertions(1);
  });

  it('is judged over when the work settles, although it asked nothing', async () => {
    const bench = new Bench();
    expect(await bench.lead(() => bench.clock.advanceWall(10_000))).toEqual({
      status: 'lost',
      reason: 'expired',
      fencingToken: 33,
    });
  });
});

describe('a leadership', () => {
  it('is not prolonged by a wall clock that is set back', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      bench.clock.advanceWall(-3_600_000);
      await bench.clock.sleep(9_999);
      expect(leadership.remainingMs()).toBe(1);
      await bench.clock.sleep(1);
      expect(leadership.remainingMs()).toBe(0);
    });
    expect.assertions(2);
  });

  it('stays over when a clock goes back', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      bench.clock.advanceWall(10_000);
      const error = thrown(() => leadership.assertLeader());
      bench.clock.advanceWall(-10_000);
      expect(thrown(() => leadership.assertLeader())).toBe(error);
      expect(leadership.remainingMs()).toBe(0);
      expect(await rejection(leadership.checkpoint())).toBe(error);
    });
    expect(bench.store.count('renew')).toBe(0);
    expect.assertions(4);
  });

  it('stays over when a renewal is answered after the deadline', async () => {
    const bench = new Bench();
    bench.store.next('renew', async (apply) => {
      const result = await apply();
      bench.clock.advanceWall(10_000);
      return result;
    });
    const outcome = await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      const error = await rejection(leadership.checkpoint());
      expect(error).toMatchObject({ reason: 'expired' });
      expect(thrown(() => leadership.assertLeader())).toBe(error);
    });
    expect(outcome).toMatchObject({ status: 'lost', reason: 'expired' });
    expect(bench.eventsOf('renewed')).toEqual([]);
  });

  it('counts a renewal from before its request', async () => {
    const bench = new Bench();
    bench.store.next('renew', async (apply) => {
      const result = await apply();
      await bench.clock.sleep(1_500);
      return result;
    });
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
      expect(leadership.remainingMs()).toBe(8_500);
    });
    expect.assertions(1);
  });

  it('counts its acquisition from before its request', async () => {
    const bench = new Bench();
    bench.store.next('acquire', async (apply) => {
      const result = await apply();
      await bench.clock.sleep(1_500);
      return result;
    });
    const outcome = await bench.lead((leadership) => leadership.remainingMs());
    expect(outcome).toMatchObject({ value: 8_500 });
  });

  it('is over before a follower that counts from its reply may take over', async () => {
    const bench = new Bench();
    let overAtMs = 0;
    const led = bench.election('a').lead(async (leadership) => {
      await aborted(leadership.signal);
      overAtMs = bench.clock.monotonicMs();
      await bench.clock.sleep(60_000);
    });
    await bench.clock.advance(0);
    const next = await bench.settled(bench.election('b').lead(() => bench.clock.monotonicMs()));
    expect(overAtMs).toBe(10_000);
    expect(next).toMatchObject({ status: 'led', value: 15_000 });
    await bench.settled(led);
    bench.expectQuiet();
  });

  it('sends nothing by itself: work that hangs loses the lease', async () => {
    const bench = new Bench();
    await bench.lead(() => bench.clock.sleep(60_000));
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    expect(bench.clock.monotonicMs()).toBe(60_000);
  });
});
