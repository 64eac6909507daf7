import { describe, expect, it } from 'vitest';
import { isLeadershipOver, LeaseLostError, StaleTokenError } from 'tenure';
import { aborted, Bench, deferred, expiries, rejection, thrown } from './bench.ts';

const staleToken = (fencingToken: number): StaleTokenError =>
  new StaleTokenError('a newer leader has written', {
    store: 'table',
    fencingToken,
    highestToken: fencingToken + 1,
  });

describe.each(expiries)('lead where expiry is judged by: %s', (expiry) => {
  it("rejects with the work's own error while it leads, after the release", async () => {
    const bench = new Bench(expiry);
    const own = new Error('disk full');
    expect(await rejection(bench.lead(() => Promise.reject(own)))).toBe(own);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    bench.expectQuiet();
  });

  it('does not settle before the work has, however long ago the lease was lost', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    let settled = false;
    const led = bench
      .election('a')
      .lead(() => end.promise)
      .finally(() => {
        settled = true;
      });
    await bench.clock.advance(100_000);
    expect(settled).toBe(false);
    const other = bench.election('b').lead((leadership) => leadership.fencingToken);
    expect(await bench.settled(other)).toMatchObject({ status: 'led', value: 34 });
    end.resolve();
    expect(await led).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
    bench.expectQuiet();
  });

  it('ends the leadership when the work settles, before anything else', async () => {
    const bench = new Bench(expiry);
    let late: () => Promise<void> = () => Promise.resolve();
    let signal: AbortSignal | undefined;
    bench.store.next('release', async (apply) => {
      expect(signal?.reason).toMatchObject({ code: 'LEASE_LOST', reason: 'settled' });
      expect(await rejection(late())).toBe(signal?.reason);
      return apply();
    });
    await bench.lead((leadership) => {
      signal = leadership.signal;
      late = () => leadership.checkpoint();
    });
    expect.assertions(2);
  });
});

describe('a lost leadership', () => {
  it("says what the work's own error was", async () => {
    const bench = new Bench();
    const own = new Error('disk full');
    const outcome = await bench.settled(
      bench.election('a').lead(async () => {
        await bench.clock.sleep(10_000);
        throw own;
      }),
    );
    expect(outcome).toEqual({
      status: 'lost',
      reason: 'expired',
      fencingToken: 33,
      workError: own,
    });
  });

  it.each([
    ["the leadership's error", (error: unknown) => error],
    ['an error that it caused', (error: unknown) => new Error('charge failed', { cause: error })],
    ['an abort', () => new DOMException('aborted', 'AbortError')],
    [
      'an abort under another error',
      () => new Error('?', { cause: new DOMException('', 'AbortError') }),
    ],
    ['a rejected token of this term', () => staleToken(33)],
  ])('has no error of the work when that was %s', async (_, errorOf) => {
    const bench = new Bench();
    const outcome = await bench.settled(
      bench.election('a').lead(async (leadership) => {
        throw errorOf(await aborted(leadership.signal));
      }),
    );
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
  });

  it('stays lost although the work returned', async () => {
    const bench = new Bench();
    expect(await bench.lead(() => bench.clock.sleep(10_000))).toEqual({
      status: 'lost',
      reason: 'expired',
      fencingToken: 33,
    });
  });

  it('is one with a rejected token of this term', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(() => {
      throw new Error('charge failed', { cause: staleToken(33) });
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
  });

  it('is not one with a rejected token of another term', async () => {
    const bench = new Bench();
    const foreign = staleToken(7);
    expect(await rejection(bench.lead(() => Promise.reject(foreign)))).toBe(foreign);
  });

  it('is not one because the work throws an error that looks like it', async () => {
    const bench = new Bench();
    const context = { lease: 'orders', store: 'other', fencingToken: 33 };
    const forged = new LeaseLostError('expired', 'from elsewhere', context);
    expect(await rejection(bench.lead(() => Promise.reject(forged)))).toBe(forged);
  });
});

describe('the reason of the signal', () => {
  it.each([
    [
      'expired',
      async (bench: Bench) => {
        await bench.clock.sleep(10_000);
      },
    ],
    [
      'taken-over',
      async (bench: Bench) => {
        await bench.clock.sleep(5_000);
        await bench.records.overwrite({ holder: 'other', fencingToken: 34 });
      },
    ],
  ] as const)('is what every later call rejects with: %s', async (reason, lose) => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      await lose(bench);
      const error = await rejection(leadership.checkpoint());
      expect(error).toMatchObject({ name: 'LeaseLostError', reason, retryable: false });
      expect(leadership.signal.reason).toBe(error);
      expect(await rejection(leadership.checkpoint())).toBe(error);
      expect(await rejection(leadership.during(() => {}, { atMostMs: 1 }))).toBe(error);
      expect(thrown(() => leadership.assertLeader())).toBe(error);
      expect(isLeadershipOver(error)).toBe(true);
      expect(isLeadershipOver(new Error('charge failed', { cause: error }))).toBe(true);
    });
    expect.assertions(7);
  });
});

describe('isLeadershipOver', () => {
  it('lets the failure of one item pass as such', async () => {
    expect(isLeadershipOver(new Error('card declined'))).toBe(false);
    expect(isLeadershipOver(new DOMException('', 'AbortError'))).toBe(false);
    expect(isLeadershipOver(undefined)).toBe(false);
    expect(isLeadershipOver(staleToken(33))).toBe(true);
  });
});
