import { describe, expect, it } from 'vitest';
import { StoreUnavailableError, type PastTerm } from 'tenure';
import { Bench, deferred, expiries, rejection } from './bench.ts';
import { failsWith, hangs } from './scripted-store.ts';

/** Ends `count` terms, one after another, by the silence of their holders. */
async function fallSilent(bench: Bench, count: number, pauseMs = 0): Promise<void> {
  for (let term = 0; term < count; term += 1) {
    const never = deferred();
    void bench.election(`silent-${term}`).lead(() => never.promise);
    // The lease of the one before, and one retry period where only a look shows that it expired.
    await bench.clock.advance(17_000);
    await bench.clock.advance(pauseMs);
  }
}

describe.each(expiries)('history where expiry is judged by: %s', (expiry) => {
  it('is empty where there is no record', async () => {
    const bench = new Bench(expiry);
    expect(await bench.election('w').history()).toEqual([]);
    expect(bench.store.operations).toEqual(['look']);
    bench.expectQuiet();
  });

  it('shows who led, since when, and how it ended, after one look', async () => {
    const bench = new Bench(expiry);
    const startMs = bench.clock.wallMs();
    await bench.settled(bench.election('a').lead(() => bench.clock.sleep(1_000)));
    await fallSilent(bench, 1);
    const end = deferred();
    let beganMs = 0;
    const led = bench.election('b').lead(() => {
      beganMs = bench.clock.wallMs();
      return end.promise;
    });
    await bench.clock.advance(17_000);
    const looks = bench.store.count('look');
    const history = await bench.election('w').history();
    expect(bench.store.count('look')).toBe(looks + 1);
    expect(history).toMatchObject([
      { fencingToken: 33, holder: 'a', startedMs: startMs, end: 'released' },
      { fencingToken: 34, holder: 'silent-0', startedMs: startMs + 1_000, end: 'taken-over' },
      { fencingToken: 35, holder: 'b', startedMs: beganMs },
    ]);
    expect(history[2]).not.toHaveProperty('end');
    expect(beganMs).toBeGreaterThan(startMs + 15_000);
    end.resolve();
    await bench.settled(led);
    expect((await bench.election('w').history()).at(-1)).toMatchObject({
      fencingToken: 35,
      end: 'released',
    });
  });

  it('shows the last ten terms', async () => {
    const bench = new Bench(expiry);
    for (let term = 0; term < 12; term += 1) {
      await bench.election(`p${term}`).lead(() => {});
    }
    const history = await bench.election('w').history();
    const holders = Array.from({ length: 10 }, (_, index) => `p${index + 2}`);
    expect(history.map(({ holder }) => holder)).toEqual(holders);
  });
});

describe('history', () => {
  it('rejects when the store cannot be asked, and with the reason of its signal', async () => {
    const bench = new Bench();
    const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });
    bench.store.next('look', failsWith(down), hangs);
    const election = bench.election('w');
    expect(await rejection(election.history())).toBe(down);
    const stop = new AbortController();
    const asked = election.history({ signal: stop.signal });
    stop.abort('enough');
    expect(await rejection(asked)).toBe('enough');
    bench.expectQuiet(stop.signal);
  });

  it('refuses a signal that is none', async () => {
    const signal = 7 as unknown as AbortSignal;
    const error = await rejection(new Bench().election('w').history({ signal }));
    expect(error).toEqual(new TypeError('signal must be an AbortSignal, got 7'));
  });
});

describe.each(expiries)('flapping where expiry is judged by: %s', (expiry) => {
  it('is reported from the fifth takeover within an hour on', async () => {
    const bench = new Bench(expiry);
    await fallSilent(bench, 5);
    expect(bench.eventsOf('acquired')).toHaveLength(5);
    expect(bench.eventsOf('flapping')).toEqual([]);
    await fallSilent(bench, 1);
    const origin = { lease: 'orders', identity: 'silent-0' };
    expect(bench.eventsOf('flapping')).toEqual([
      { ...origin, type: 'flapping', terms: 5, withinMs: 3_600_000 },
    ]);
    const index = bench.events.findIndex(({ type }) => type === 'flapping');
    expect(bench.events[index - 1]).toMatchObject({ type: 'acquired', fencingToken: 38 });
    await fallSilent(bench, 1);
    expect(bench.eventsOf('flapping').map(({ terms }) => terms)).toEqual([5, 6]);
  });

  it('is not reported of terms that were released', async () => {
    const bench = new Bench(expiry);
    for (let term = 0; term < 12; term += 1) {
      await bench.election('a').lead(() => {});
    }
    await fallSilent(bench, 5);
    expect(bench.eventsOf('acquired')).toHaveLength(17);
    expect(bench.eventsOf('flapping')).toEqual([]);
  });

  it('is not reported of takeovers that lie far apart', async () => {
    const bench = new Bench(expiry);
    await fallSilent(bench, 9, 900_000);
    expect(bench.eventsOf('acquired')).toHaveLength(9);
    expect(bench.eventsOf('flapping')).toEqual([]);
  });
});

describe('flapping', () => {
  it('is not reported where an older version did not keep when terms began', async () => {
    const bench = new Bench();
    const terms = (startedMs?: number): readonly PastTerm[] =>
      Array.from({ length: 9 }, (_, index) => ({
        fencingToken: 20 + index,
        holder: 'old',
        end: 'taken-over',
        ...(startedMs !== undefined && { startedMs }),
      }));
    await bench.records.overwrite({ history: terms(), fencingToken: 32, released: true });
    await bench.lead(() => {});
    expect(bench.eventsOf('flapping')).toEqual([]);
    const history = terms(bench.clock.wallMs());
    await bench.records.overwrite({ history, fencingToken: 34, released: true });
    await bench.lead(() => {});
    expect(bench.eventsOf('flapping')).toMatchObject([{ terms: 9 }]);
  });
});
