import { describe, expect, it } from 'vitest';
import { StoreRejectedError, StoreUnavailableError, type Outcome } from 'tenure';
import { Bench, deferred, expiries, iteratorOf, rejection } from './bench.ts';
import { failsWith, hangs } from './scripted-store.ts';

const context = { lease: 'orders', store: 'scripted' };
const down = new StoreUnavailableError('no contact', context);

/** Collects outcomes, with the time of each. */
async function collect<T>(
  bench: Bench,
  campaign: AsyncIterable<Outcome<T>>,
  into: [number, Outcome<T>][],
): Promise<void> {
  for await (const outcome of campaign) {
    into.push([bench.clock.monotonicMs(), outcome]);
  }
}

describe.each(expiries)('campaign where expiry is judged by: %s', (expiry) => {
  it('yields each term, pauses a retry period, and stands again', async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const outcomes: [number, Outcome<number>][] = [];
    const work = async (leadership: { fencingToken: number }): Promise<number> => {
      await bench.clock.sleep(1_000);
      return leadership.fencingToken;
    };
    const campaign = bench.election('a').campaign(work, { signal: stop.signal });
    const collecting = collect(bench, campaign, outcomes);
    await bench.clock.advance(8_500);
    expect(bench.clock.pendingSleeps).toBe(1);
    stop.abort();
    await collecting;
    expect(outcomes.map(([atMs, outcome]) => [atMs, 'value' in outcome && outcome.value])).toEqual([
      [1_000, 33],
      [4_000, 34],
      [7_000, 35],
    ]);
    bench.expectQuiet(stop.signal);
  });

  it('stands for as long as another leads, and takes over from one that fell silent', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('b').lead(async (leadership) => {
      await leadership.during(() => bench.clock.sleep(60_000), { atMostMs: 90_000 });
      await end.promise;
    });
    await bench.clock.advance(0);
    const stop = new AbortController();
    const outcomes: [number, Outcome<number>][] = [];
    const work = ({ fencingToken }: { fencingToken: number }): number => fencingToken;
    const campaign = bench.election('a').campaign(work, { signal: stop.signal });
    const collecting = collect(bench, campaign, outcomes);
    // The last renewal was at 55 s.
    await bench.clock.advance(69_000);
    expect(outcomes).toEqual([]);
    await bench.clock.advance(8_000);
    stop.abort();
    await collecting;
    expect(outcomes[0]?.[1]).toMatchObject({ status: 'led', value: 34 });
    end.resolve();
    expect(await bench.settled(led)).toMatchObject({ status: 'lost' });
  });

  it('yields a lost term and stands again', async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const outcomes: [number, Outcome<void>][] = [];
    const campaign = bench
      .election('a')
      .campaign(() => bench.clock.sleep(12_000), { signal: stop.signal });
    const collecting = collect(bench, campaign, outcomes);
    await bench.clock.advance(27_000);
    stop.abort();
    await bench.settled(collecting);
    expect(outcomes).toMatchObject([
      [12_000, { status: 'lost', reason: 'expired', fencingToken: 33 }],
      [26_000, { status: 'lost', reason: 'expired', fencingToken: 34 }],
    ]);
  });

  it('waits for the work and releases before it ends by its signal', async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const outcomes: [number, Outcome<unknown>][] = [];
    const work = async (leadership: { signal: AbortSignal }): Promise<void> => {
      await bench.clock.sleep(60_000, leadership.signal).catch(() => {});
      await bench.clock.sleep(3_000);
      throw leadership.signal.reason;
    };
    const collecting = collect(
      bench,
      bench.election('a').campaign(work, { signal: stop.signal }),
      outcomes,
    );
    await bench.clock.advance(1_000);
    stop.abort();
    await bench.settled(collecting);
    expect(bench.clock.monotonicMs()).toBe(4_000);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    expect(outcomes).toEqual([]);
    bench.expectQuiet(stop.signal);
  });
});

describe('campaign', () => {
  it('waits out outages with pauses that grow to one lease duration', async () => {
    const bench = new Bench();
    bench.store.every(['look'], failsWith(down));
    const iterator = iteratorOf(bench.election('a').campaign(() => 'led'));
    const first = iterator.next();
    await bench.clock.advance(45_000);
    expect(bench.store.calls.map(({ atMs }) => atMs)).toEqual([
      0, 2_000, 6_000, 14_000, 29_000, 44_000,
    ]);
    bench.store.every(['look'], undefined);
    expect(await bench.settled(first)).toMatchObject({ value: { status: 'led', value: 'led' } });
    await iterator.return?.();
    bench.expectQuiet();
  });

  it('starts its pauses anew after each success', async () => {
    const bench = new Bench();
    bench.store.next('look', failsWith(down), failsWith(down));
    const iterator = iteratorOf(bench.election('a').campaign(() => 'led'));
    await bench.settled(iterator.next());
    expect(bench.clock.monotonicMs()).toBe(6_000);
    bench.store.next('acquire', failsWith(down));
    await bench.settled(iterator.next());
    expect(bench.store.calls.map(({ atMs }) => atMs).slice(-3)).toEqual([8_000, 10_000, 10_000]);
    await iterator.return?.();
  });

  it.each([
    [
      'a refused request',
      'STORE_REJECTED',
      (bench: Bench) => {
        bench.store.every(['look'], failsWith(new StoreRejectedError('no such table', context)));
      },
    ],
    ['an invalid record', 'LEASE_RECORD_INVALID', (bench: Bench) => bench.records.break()],
  ])('ends with %s', async (_, code, spoil) => {
    const bench = new Bench();
    spoil(bench);
    const iterator = iteratorOf(bench.election('a').campaign(() => {}));
    expect(await rejection(bench.settled(iterator.next()))).toMatchObject({ code });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    bench.expectQuiet();
  });

  it('ends with an error of the work, after the release', async () => {
    const bench = new Bench();
    const own = new Error('disk full');
    const iterator = iteratorOf(bench.election('a').campaign(() => Promise.reject(own)));
    expect(await rejection(iterator.next())).toBe(own);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    bench.expectQuiet();
  });

  it('does not end because a renewal is refused', async () => {
    const bench = new Bench();
    bench.store.next('renew', failsWith(new StoreRejectedError('no permission', context)));
    const work = async (leadership: { checkpoint(): Promise<void> }): Promise<string> => {
      for (let step = 0; step < 80; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint();
      }
      return 'led';
    };
    const iterator = iteratorOf(bench.election('a').campaign(work));
    expect(await bench.settled(iterator.next())).toMatchObject({ value: { value: 'led' } });
    await iterator.return?.();
  });

  it.each([
    ['during a look', 'look'],
    ['during an acquire', 'acquire'],
  ] as const)('ends quietly when its signal aborts %s', async (_, operation) => {
    const bench = new Bench();
    bench.store.next(operation, hangs);
    const stop = new AbortController();
    const campaign = bench.election('a').campaign(() => {}, { signal: stop.signal });
    const first = iteratorOf(campaign).next();
    await bench.clock.advance(100);
    stop.abort();
    expect(await bench.settled(first)).toEqual({ done: true, value: undefined });
    bench.expectQuiet(stop.signal);
  });

  it('ends quietly when its signal aborts during an outage', async () => {
    const bench = new Bench();
    bench.store.every(['look'], failsWith(down));
    const stop = new AbortController();
    const campaign = bench.election('a').campaign(() => {}, { signal: stop.signal });
    const first = iteratorOf(campaign).next();
    await bench.clock.advance(20_000);
    stop.abort(down);
    expect(await first).toEqual({ done: true, value: undefined });
    bench.expectQuiet(stop.signal);
  });

  it('ends at once, without a request, when its signal has aborted before', async () => {
    const bench = new Bench();
    const campaign = bench.election('a').campaign(() => {}, { signal: AbortSignal.abort() });
    const first = await campaign[Symbol.asyncIterator]().next();
    expect(first).toEqual({ done: true, value: undefined });
    expect(bench.store.calls).toEqual([]);
  });

  it('leaves nothing running when its consumer stops asking', async () => {
    const bench = new Bench();
    for await (const outcome of bench.election('a').campaign(() => 'led')) {
      expect(outcome).toMatchObject({ status: 'led' });
      break;
    }
    bench.expectQuiet();
    expect.assertions(1);
  });

  it('jitter only shortens the pause', async () => {
    const bench = new Bench();
    const election = bench.election('a', { random: () => 0.999_999 });
    const iterator = election.campaign(() => bench.clock.monotonicMs())[Symbol.asyncIterator]();
    await iterator.next();
    const { value } = (await bench.settled(iterator.next())) as { value: { value: number } };
    expect(value.value).toBeGreaterThanOrEqual(1_600);
    expect(value.value).toBeLessThan(1_700);
    await iterator.return?.();
  });

  it('waits while the same election leads by lead', async () => {
    const bench = new Bench();
    const end = deferred();
    const election = bench.election('a');
    const led = election.lead(() => end.promise);
    const iterator = election.campaign(() => 'led')[Symbol.asyncIterator]();
    const first = iterator.next();
    await bench.clock.advance(5_000);
    expect(bench.store.operations).toEqual(['look', 'acquire']);
    end.resolve();
    expect(await led).toMatchObject({ status: 'led' });
    expect(await bench.settled(first)).toMatchObject({ value: { status: 'led', value: 'led' } });
    await iterator.return?.();
    bench.expectQuiet();
  });
});
