import { describe, expect, it } from 'vitest';
import { StoreRejectedError, StoreUnavailableError, type Leadership } from 'tenure';
import { Bench, deferred, expiries, iteratorOf, rejection, type Done } from './bench.ts';
import { failsWith, hangs } from './scripted-store.ts';

const context = { lease: 'orders', store: 'scripted' };

describe.each(expiries)('leader where expiry is judged by: %s', (expiry) => {
  it('is undefined for an absent and for a free record', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('b');
    expect(await election.leader()).toBeUndefined();
    await bench.lead(() => {});
    expect(await election.leader()).toBeUndefined();
    bench.expectQuiet();
  });

  it('shows the leader after one look, without standing', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise);
    await bench.clock.advance(0);
    expect(await bench.election('b').leader()).toEqual({
      holder: 'a',
      fencingToken: 33,
      leaseDurationMs: 15_000,
      state: expiry === 'store' ? 'alive' : 'unconfirmed',
      unchangedForMs: 0,
    });
    expect(bench.store.operations).toEqual(['look', 'acquire', 'look']);
    end.resolve();
    await led;
  });

  it('is known to lead itself', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    await bench.settled(
      election.lead(async (leadership) => {
        expect(await election.leader()).toMatchObject({ holder: 'a', state: 'alive' });
        // It has not looked for longer than one lease duration, but it knows.
        await leadership.during(() => bench.clock.sleep(31_000), { atMostMs: 60_000 });
        expect(await election.leader()).toMatchObject({ holder: 'a', state: 'alive' });
      }),
    );
    expect.assertions(2);
  });

  it('is expired once silent for the recorded duration', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise);
    await bench.clock.advance(0);
    const election = bench.election('b');
    await election.leader();
    await bench.clock.advance(14_999);
    expect((await election.leader())?.state).not.toBe('expired');
    await bench.clock.advance(1);
    expect(await election.leader()).toMatchObject({ holder: 'a', state: 'expired' });
    end.resolve();
    await led;
  });
});

describe('leader', () => {
  it('is unconfirmed at first, alive after a write, then unconfirmed, then expired', async () => {
    const bench = new Bench();
    const end = deferred();
    const shared: { leadership?: Leadership<Done> } = {};
    const led = bench.election('a').lead((leadership) => {
      shared.leadership = leadership;
      return end.promise;
    });
    await bench.clock.advance(0);
    const election = bench.election('b');
    const states: unknown[] = [];
    const looks = async (afterMs: number): Promise<void> => {
      await bench.clock.advance(afterMs);
      const view = await election.leader();
      states.push([bench.clock.monotonicMs(), view?.state, view?.unchangedForMs]);
    };
    await looks(0);
    await looks(5_000);
    await shared.leadership?.checkpoint();
    await looks(1_000);
    await looks(13_999);
    await looks(1);
    await looks(1_000);
    expect(states).toEqual([
      [0, 'unconfirmed', 0],
      [5_000, 'unconfirmed', 5_000],
      [6_000, 'alive', 0],
      [19_999, 'alive', 13_999],
      // It wrote after 5 s, which is now one lease duration ago, but was seen only at 6 s.
      [20_000, 'unconfirmed', 14_000],
      [21_000, 'expired', 15_000],
    ]);
    end.resolve();
    await bench.settled(led);
  });

  it('rejects when the store cannot be asked', async () => {
    const bench = new Bench();
    const down = new StoreUnavailableError('no contact', context);
    const refused = new StoreRejectedError('no such table', context);
    bench.store.next('look', failsWith(down), failsWith(refused));
    const election = bench.election('b');
    expect(await rejection(election.leader())).toBe(down);
    expect(await rejection(election.leader())).toBe(refused);
    bench.records.break();
    expect(await rejection(election.leader())).toMatchObject({ code: 'LEASE_RECORD_INVALID' });
  });

  it('ends with the reason of its signal', async () => {
    const bench = new Bench();
    bench.store.next('look', hangs);
    const stop = new AbortController();
    const asked = bench.election('b').leader({ signal: stop.signal });
    await bench.clock.advance(100);
    stop.abort('enough');
    expect(await rejection(asked)).toBe('enough');
    bench.expectQuiet(stop.signal);
  });
});

describe.each(expiries)('observe where expiry is judged by: %s', (expiry) => {
  it('yields each change of leader, "no leader" included', async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const seen: unknown[] = [];
    const observing = (async () => {
      for await (const view of bench.election('watcher').observe({ signal: stop.signal })) {
        seen.push([bench.clock.monotonicMs(), view?.holder, view?.fencingToken]);
      }
    })();
    await bench.clock.advance(9_000);
    const renewing = bench
      .election('a')
      .lead((leadership) =>
        leadership.during(() => bench.clock.sleep(30_000), { atMostMs: 60_000 }),
      );
    await bench.settled(renewing);
    const handedOver = bench.election('b').lead(() => bench.clock.sleep(6_000));
    await bench.settled(handedOver);
    await bench.clock.advance(4_000);
    stop.abort();
    await observing;
    expect(seen).toEqual([
      [0, undefined, undefined],
      [10_000, 'a', 33],
      [40_000, 'b', 34],
      [46_000, undefined, undefined],
    ]);
    bench.expectQuiet(stop.signal);
  });

  it('yields that nobody leads when a leader falls silent', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise);
    await bench.clock.advance(0);
    const stop = new AbortController();
    const seen: unknown[] = [];
    const observing = (async () => {
      for await (const view of bench.election('b').observe({ signal: stop.signal })) {
        seen.push([bench.clock.monotonicMs(), view?.holder]);
      }
    })();
    await bench.clock.advance(30_000);
    stop.abort();
    await observing;
    expect(seen).toEqual([
      [0, 'a'],
      [16_000, undefined],
    ]);
    end.resolve();
    await led;
  });
});

describe('observe', () => {
  it('waits out outages with pauses that grow to one lease duration', async () => {
    const bench = new Bench();
    const down = new StoreUnavailableError('no contact', context);
    bench.store.every(['look'], failsWith(down));
    const stop = new AbortController();
    const iterator = iteratorOf(bench.election('b').observe({ signal: stop.signal }));
    const first = iterator.next();
    await bench.clock.advance(60_000);
    expect(bench.store.calls.map(({ atMs }) => atMs)).toEqual([
      0, 2_000, 6_000, 14_000, 29_000, 44_000, 59_000,
    ]);
    bench.store.every(['look'], undefined);
    expect(await bench.settled(first)).toEqual({ done: false, value: undefined });
    await iterator.return?.();
    bench.expectQuiet(stop.signal);
  });

  it.each([
    [
      'a refusal',
      (bench: Bench) => {
        bench.store.every(['look'], failsWith(new StoreRejectedError('no such table', context)));
        return 'STORE_REJECTED';
      },
    ],
    [
      'an invalid record',
      (bench: Bench) => {
        bench.records.break();
        return 'LEASE_RECORD_INVALID';
      },
    ],
  ])('ends with %s', async (_, spoil) => {
    const bench = new Bench();
    const code = spoil(bench);
    const iterator = iteratorOf(bench.election('b').observe());
    expect(await rejection(iterator.next())).toMatchObject({ code });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    bench.expectQuiet();
  });

  it('ends quietly when its signal aborts, also during a request', async () => {
    const bench = new Bench();
    bench.store.next('look', hangs);
    const stop = new AbortController();
    const iterator = iteratorOf(bench.election('b').observe({ signal: stop.signal }));
    const first = iterator.next();
    await bench.clock.advance(100);
    stop.abort();
    expect(await first).toEqual({ done: true, value: undefined });
    bench.expectQuiet(stop.signal);
  });

  it('ends at once when its signal has aborted before', async () => {
    const bench = new Bench();
    const signal = AbortSignal.abort();
    const iterator = iteratorOf(bench.election('b').observe({ signal }));
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(bench.store.calls).toEqual([]);
  });
});
