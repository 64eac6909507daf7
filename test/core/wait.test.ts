import { describe, expect, it } from 'vitest';
import { StoreUnavailableError, type Election, type Outcome } from 'tenure';
import { Bench, budgetOf, deferred, expiries, rejection, type Done } from './bench.ts';
import { failsWith, hangs } from './scripted-store.ts';

/** A process that leads and renews until it is told to release, or goes silent. */
async function holder(bench: Bench): Promise<{
  readonly goSilent: () => void;
  readonly release: () => Promise<unknown>;
}> {
  const silence = new AbortController();
  const end = deferred();
  const led = bench.election('holder').lead(async (leadership) => {
    while (!silence.signal.aborted && !leadership.signal.aborted) {
      await leadership.checkpoint();
      await Promise.race([end.promise, bench.clock.sleep(1_000)]);
      if (leadership.remainingMs() > 0 && released) {
        return;
      }
    }
    await end.promise;
  });
  let released = false;
  await bench.clock.advance(0);
  return {
    goSilent: () => silence.abort(),
    release: () => {
      released = true;
      end.resolve();
      return led;
    },
  };
}

/** Leads and never renews, with a clock of its own that stands still: it looks like a dead process. */
async function dead(bench: Bench): Promise<void> {
  const store = bench.store;
  store.every(['release'], hangs);
  const stop = new AbortController();
  const led = bench.election('dead').lead(() => Promise.reject(new Error('dies')), {
    signal: stop.signal,
  });
  await rejection(bench.settled(led));
  store.every(['release'], undefined);
}

const timeOf = async (
  bench: Bench,
  attempt: Promise<Outcome<unknown>>,
): Promise<{ outcome: Outcome<unknown>; tookMs: number }> => {
  const startMs = bench.clock.monotonicMs();
  const outcome = await bench.settled(attempt);
  return { outcome, tookMs: bench.clock.monotonicMs() - startMs };
};

const stands = (election: Election<Done>, wait?: 'none' | 'one-lease' | number) =>
  election.lead((leadership) => leadership.fencingToken, wait === undefined ? {} : { wait });

describe.each(expiries)('wait where expiry is judged by: %s', (expiry) => {
  it("follows after one look with 'none', whatever the holder does", async () => {
    const bench = new Bench(expiry);
    const { release } = await holder(bench);
    const before = bench.store.calls.length;
    const { outcome, tookMs } = await timeOf(bench, stands(bench.election('b'), 'none'));
    expect(outcome).toMatchObject({ status: 'followed', reason: 'held' });
    expect(tookMs).toBe(0);
    expect(bench.store.operations.slice(before)).toEqual(['look']);
    await bench.settled(release());
    expect(await stands(bench.election('b'), 'none')).toMatchObject({ status: 'led' });
  });

  it('follows by default as soon as the holder is seen alive', async () => {
    const bench = new Bench(expiry);
    const { release } = await holder(bench);
    await bench.clock.advance(2_000);
    const { outcome, tookMs } = await timeOf(bench, stands(bench.election('b')));
    expect(outcome).toMatchObject({
      status: 'followed',
      reason: 'held',
      leader: { holder: 'holder', state: 'alive' },
    });
    // It renews at 5 s, and this looks every 2 s from 2 s on.
    expect(tookMs).toBe(4_000);
    await bench.settled(release());
  });

  it('takes over by default once the holder was silent for its recorded duration', async () => {
    const bench = new Bench(expiry);
    await dead(bench);
    const { outcome, tookMs } = await timeOf(bench, stands(bench.election('b')));
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34 });
    // Where it observes: exactly then, and not at the next poll, which would be at 16 s. Where the
    // store judges: it knew 2 s earlier, since that is how long the release took.
    expect(tookMs).toBe(expiry === 'observed' ? 15_000 : 14_000);
    bench.expectQuiet();
  });

  it('wins by default a lease that is released meanwhile', async () => {
    const bench = new Bench(expiry);
    const { release } = await holder(bench);
    const attempt = stands(bench.election('b'));
    await bench.clock.advance(1_000);
    await release();
    const { outcome } = await timeOf(bench, attempt);
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34 });
    expect(bench.clock.monotonicMs()).toBe(2_000);
  });

  it('waits its milliseconds for a holder that is alive, and follows as held', async () => {
    const bench = new Bench(expiry);
    const { release } = await holder(bench);
    const { outcome, tookMs } = await timeOf(bench, stands(bench.election('b'), 33_333));
    expect(outcome).toMatchObject({ status: 'followed', reason: 'held' });
    expect(tookMs).toBeGreaterThanOrEqual(33_333);
    expect(tookMs).toBeLessThan(33_350);
    await bench.settled(release());
  });

  it('wins within its milliseconds what is released meanwhile', async () => {
    const bench = new Bench(expiry);
    const { release } = await holder(bench);
    const attempt = stands(bench.election('b'), 60_000);
    await bench.clock.advance(31_000);
    await bench.settled(release());
    expect(await bench.settled(attempt)).toMatchObject({ status: 'led', fencingToken: 34 });
    expect(bench.clock.monotonicMs()).toBeLessThanOrEqual(33_010);
  });

  it('takes over within its milliseconds what fell silent', async () => {
    const bench = new Bench(expiry);
    await dead(bench);
    expect(await bench.settled(stands(bench.election('b'), 20_000))).toMatchObject({
      status: 'led',
      fencingToken: 34,
    });
  });

  it('follows as held when its milliseconds end before the record comes of age', async () => {
    const bench = new Bench(expiry);
    await dead(bench);
    const { outcome, tookMs } = await timeOf(bench, stands(bench.election('b'), 5_000));
    expect(outcome).toMatchObject({ status: 'followed', reason: 'held' });
    expect(tookMs).toBe(5_000);
    bench.expectQuiet();
  });

  it('waits for no longer than the budget less its reserve, then cannot age', async () => {
    const bench = new Bench(expiry);
    await dead(bench);
    const election = bench.election('b');
    const budget = budgetOf(bench.clock, 9_000, 3_000);
    const { outcome, tookMs } = await timeOf(
      bench,
      election.lead(() => {}, { budget }),
    );
    expect(outcome).toMatchObject({ status: 'followed', reason: 'cannot-age' });
    expect(tookMs).toBe(6_000);
    bench.expectQuiet();
  });

  it('follows as held when the budget ends a wait of milliseconds', async () => {
    const bench = new Bench(expiry);
    await dead(bench);
    const budget = budgetOf(bench.clock, 9_000, 3_000);
    const attempt = bench.election('b').lead(() => {}, { wait: 60_000, budget });
    const { outcome, tookMs } = await timeOf(bench, attempt);
    expect(outcome).toMatchObject({ status: 'followed', reason: 'held' });
    expect(tookMs).toBe(6_000);
  });

  it('adds up age over attempts that are each too short', async () => {
    const bench = new Bench(expiry);
    await dead(bench);
    const election = bench.election('b');
    const outcomes: Outcome<unknown>[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const budget = budgetOf(bench.clock, 9_000, 3_000);
      outcomes.push(await bench.settled(election.lead(() => {}, { budget })));
    }
    expect(outcomes).toMatchObject([
      { reason: 'cannot-age' },
      { reason: 'cannot-age' },
      { status: 'led', fencingToken: 34 },
    ]);
  });
});

describe('wait', () => {
  it('bids without another look for a record that came of age between two attempts', async () => {
    const bench = new Bench();
    await dead(bench);
    const election = bench.election('b');
    await election.lead(() => {}, { wait: 'none' });
    await bench.clock.advance(14_999);
    expect(await election.lead(() => {}, { wait: 'none' })).toMatchObject({ reason: 'held' });
    await bench.clock.advance(1);
    const before = bench.store.calls.length;
    expect(await election.lead(() => {}, { wait: 'none' })).toMatchObject({ fencingToken: 34 });
    expect(bench.store.operations.slice(before)).toEqual(['acquire', 'release']);
  });

  it('counts the duration that the record names, and not its own', async () => {
    const bench = new Bench();
    await dead(bench);
    const brief = bench.election('b', { timing: { leaseDurationMs: 3_000 } });
    const { outcome, tookMs } = await timeOf(bench, stands(brief));
    expect(outcome).toMatchObject({ status: 'led' });
    expect(tookMs).toBe(15_000);
  });

  it('does not let the wall clock age a record', async () => {
    const bench = new Bench();
    await dead(bench);
    const election = bench.election('b');
    await election.lead(() => {}, { wait: 'none' });
    bench.clock.advanceWall(60_000);
    expect(await election.lead(() => {}, { wait: 'none' })).toMatchObject({ reason: 'held' });
  });

  it('counts age from after the reply and not from the request', async () => {
    const bench = new Bench();
    await dead(bench);
    bench.store.next('look', async (apply) => {
      const look = await apply();
      await bench.clock.sleep(1_500);
      return look;
    });
    const { outcome, tookMs } = await timeOf(bench, stands(bench.election('b')));
    expect(outcome).toMatchObject({ status: 'led' });
    expect(tookMs).toBe(16_500);
  });

  it('starts to age again after every write of the holder', async () => {
    const bench = new Bench();
    const { goSilent } = await holder(bench);
    const election = bench.election('b');
    await bench.clock.advance(4_000);
    await election.lead(() => {}, { wait: 'none' });
    await bench.clock.advance(2_000);
    goSilent();
    const { outcome, tookMs } = await timeOf(bench, stands(election, 60_000));
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34 });
    expect(tookMs).toBe(15_000);
  });

  it('outlasts looks that fail while a record ages', async () => {
    const bench = new Bench();
    await dead(bench);
    const down = new StoreUnavailableError('no contact', { store: 'scripted' });
    const attempt = stands(bench.election('b'));
    await bench.clock.advance(100);
    bench.store.every(['look'], failsWith(down));
    await bench.clock.advance(9_000);
    bench.store.every(['look'], undefined);
    expect(await bench.settled(attempt)).toMatchObject({ status: 'led', fencingToken: 34 });
  });

  it.each([
    ['a wait of milliseconds', () => ({ wait: 5_000 })],
    ['a budget', (bench: Bench) => ({ budget: budgetOf(bench.clock, 8_000, 3_000) })],
  ])('does not outlast %s although looks fail', async (_, limit) => {
    const bench = new Bench();
    await dead(bench);
    const down = new StoreUnavailableError('no contact', { store: 'scripted' });
    const startMs = bench.clock.monotonicMs();
    const attempt = bench.election('b').lead(() => {}, limit(bench));
    await bench.clock.advance(100);
    bench.store.every(['look'], failsWith(down));
    expect(await rejection(bench.settled(attempt))).toBe(down);
    expect(bench.clock.monotonicMs() - startMs).toBe(5_000);
    bench.expectQuiet();
  });
});
