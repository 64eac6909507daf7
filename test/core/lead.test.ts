import { describe, expect, it } from 'vitest';
import { StoreRejectedError, StoreUnavailableError } from 'tenure';
import { Bench, deferred, expiries, rejection } from './bench.ts';
import { failsWith } from './scripted-store.ts';

describe.each(expiries)('lead where expiry is judged by: %s', (expiry) => {
  it('runs the work as leader and resolves to what it returned', async () => {
    const bench = new Bench(expiry);
    const outcome = await bench.election('a').lead((leadership) => leadership.fencingToken * 2);
    expect(outcome).toEqual({ status: 'led', end: 'completed', fencingToken: 33, value: 66 });
    bench.expectQuiet();
  });

  it('asks a cold store twice and a warm one once to acquire', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    await election.lead(() => 'cold');
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    expect(await election.lead(() => 'warm')).toMatchObject({ value: 'warm', fencingToken: 34 });
    expect(bench.store.operations.slice(3)).toEqual(['acquire', 'release']);
  });

  it('follows at once while it leads or stands itself, without a request', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    const end = deferred();
    const first = election.lead(() => end.promise);
    const whileStanding = await election.lead(() => 'second');
    await bench.clock.advance(0);
    const requests = bench.store.calls.length;
    const whileLeading = await election.lead(() => 'third');
    expect([whileStanding, whileLeading]).toEqual([
      { status: 'followed', reason: 'busy' },
      { status: 'followed', reason: 'busy' },
    ]);
    expect(bench.store.calls).toHaveLength(requests);
    end.resolve();
    expect(await first).toMatchObject({ status: 'led' });
    expect(await election.lead(() => 'fourth')).toMatchObject({ status: 'led', value: 'fourth' });
  });

  it('hands on to the next process with a greater token and the progress', async () => {
    const bench = new Bench(expiry);
    await bench.election('a').lead((leadership) => leadership.checkpoint({ done: 7 }));
    const next = await bench.election('b').lead((leadership) => leadership.progress);
    expect(next).toMatchObject({ fencingToken: 34, value: { done: 7 } });
  });

  it('says who leads when it follows', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise);
    await bench.clock.advance(1_000);
    expect(await bench.election('b').lead(() => {}, { wait: 'none' })).toEqual({
      status: 'followed',
      reason: 'held',
      leader: {
        holder: 'a',
        fencingToken: 33,
        leaseDurationMs: 15_000,
        state: expiry === 'store' ? 'alive' : 'unconfirmed',
        unchangedForMs: 0,
      },
    });
    end.resolve();
    await led;
  });

  it('follows as lost-race when another is faster between look and bid', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    let first: Promise<unknown> = Promise.resolve();
    bench.store.next('acquire', async (apply) => {
      first = bench.election('b').lead(() => end.promise);
      await bench.clock.sleep(100);
      return apply();
    });
    const outcome = await bench.settled(bench.election('a').lead(() => {}, { wait: 'none' }));
    expect(outcome).toMatchObject({
      status: 'followed',
      reason: 'lost-race',
      leader: { holder: 'b', fencingToken: 33 },
    });
    end.resolve();
    await first;
  });

  it('follows as held when only its old look was overtaken', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    await election.lead(() => {});
    const end = deferred();
    const other = bench.election('b').lead(() => end.promise);
    await bench.clock.advance(0);
    const outcome = await election.lead(() => {}, { wait: 'none' });
    expect(outcome).toMatchObject({ status: 'followed', reason: 'held' });
    end.resolve();
    await other;
  });

  it('gives the lease to exactly one of many that stand at once', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const outcomes = Array.from({ length: 8 }, (_, index) =>
      bench.election(`p${index}`).lead(() => end.promise, { wait: 'none' }),
    );
    await bench.clock.advance(0);
    end.resolve();
    const settled = await Promise.all(outcomes);
    expect(settled.filter(({ status }) => status === 'led')).toHaveLength(1);
    expect(settled.filter(({ status }) => status === 'followed')).toHaveLength(7);
  });

  it('stores the label behind the identity', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise, { label: 'call-1' });
    await bench.clock.advance(0);
    expect(await bench.election('b').leader()).toMatchObject({ holder: 'a/call-1' });
    end.resolve();
    await led;
  });

  it('keeps leases of different names apart', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise);
    await bench.clock.advance(0);
    const other = await bench.election('b', { lease: 'invoices' }).lead(() => 'both');
    expect(other).toMatchObject({ status: 'led', value: 'both' });
    end.resolve();
    await led;
  });
});

describe('lead where the store cannot be asked', () => {
  const context = { lease: 'orders', store: 'scripted' };

  it.each([
    ['look', new StoreUnavailableError('no contact', context)],
    ['look', new StoreRejectedError('no such table', context)],
    ['acquire', new StoreUnavailableError('no contact', context)],
    ['acquire', new StoreRejectedError('no permission', context)],
  ] as const)('rejects with the error of a failed %s: %s', async (operation, error) => {
    const bench = new Bench();
    bench.store.next(operation, failsWith(error));
    let worked = false;
    const election = bench.election('a');
    const work = (): void => {
      worked = true;
    };
    expect(await rejection(bench.settled(election.lead(work)))).toBe(error);
    expect(worked).toBe(false);
    bench.expectQuiet();
    expect(await election.lead(work)).toMatchObject({ status: 'led' });
  });

  it('rejects when what is stored is no lease record, and leaves it alone', async () => {
    const bench = new Bench();
    await bench.election('a').lead(() => {});
    const before = await bench.records.stored();
    bench.records.break();
    const error = await rejection(bench.election('b').lead(() => {}));
    expect(error).toMatchObject({
      name: 'LeaseRecordInvalidError',
      code: 'LEASE_RECORD_INVALID',
      retryable: false,
      reason: 'malformed',
      lease: 'orders',
    });
    expect(bench.store.count('acquire')).toBe(1);
    expect(await bench.records.stored()).toEqual(before);
  });

  it('gives up a look that is never answered after the request timeout', async () => {
    const bench = new Bench();
    bench.store.next('look', () => new Promise(() => {}));
    const startMs = bench.clock.monotonicMs();
    const error = await rejection(bench.settled(bench.election('a').lead(() => {})));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(bench.clock.monotonicMs() - startMs).toBe(2_000);
    expect(bench.clock.pendingSleeps).toBe(0);
  });
});

describe('work', () => {
  it('is given what it may use', async () => {
    const bench = new Bench();
    await bench.election('a').lead((leadership) => {
      expect(leadership.fencingToken).toBe(33);
      expect(leadership.progress).toBeUndefined();
      expect(leadership.signal.aborted).toBe(false);
      expect(leadership.remainingMs()).toBe(10_000);
      leadership.assertLeader();
    });
    expect.assertions(4);
  });

  it('may throw at once like it may reject', async () => {
    const bench = new Bench();
    const error = new Error('no customers');
    const work = (): never => {
      throw error;
    };
    expect(await rejection(bench.election('a').lead(work))).toBe(error);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    bench.expectQuiet();
  });
});
