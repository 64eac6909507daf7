import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from 'tenure';
import { aborted, Bench, deferred, expiries, rejection } from './bench.ts';
import { failsWith } from './scripted-store.ts';

const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });

describe.each(expiries)('during where expiry is judged by: %s', (expiry) => {
  it('renews each renew interval until the operation settles', async () => {
    const bench = new Bench(expiry);
    const outcome = await bench.lead((leadership) =>
      leadership.during(
        async () => {
          await bench.clock.sleep(61_000);
          return 'exported';
        },
        { atMostMs: 120_000 },
      ),
    );
    expect(outcome).toMatchObject({ status: 'led', value: 'exported' });
    expect(bench.store.count('renew')).toBe(12);
    bench.expectQuiet();
  });

  it('keeps others away for as long as it renews', async () => {
    const bench = new Bench(expiry);
    const led = bench
      .election('a')
      .lead((leadership) =>
        leadership.during(() => bench.clock.sleep(61_000), { atMostMs: 120_000 }),
      );
    await bench.clock.advance(0);
    const other = bench.election('b').lead(() => bench.clock.monotonicMs(), { wait: 120_000 });
    expect(await bench.settled(led)).toMatchObject({ status: 'led' });
    const { value } = (await bench.settled(other)) as { value: number };
    expect(value).toBeGreaterThanOrEqual(61_000);
    expect(value).toBeLessThanOrEqual(63_000);
  });
});

describe('during', () => {
  it('settles as the operation did', async () => {
    const bench = new Bench();
    const error = new Error('disk full');
    await bench.lead(async (leadership) => {
      const limit = { atMostMs: 1_000 };
      expect(await leadership.during(() => 7, limit)).toBe(7);
      const failing = leadership.during(() => Promise.reject(error), limit);
      expect(await rejection(failing)).toBe(error);
      const throwing = leadership.during(() => {
        throw error;
      }, limit);
      expect(await rejection(throwing)).toBe(error);
    });
    bench.expectQuiet();
  });

  it('aborts its signal with a TimeoutError after atMostMs and renews no longer', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      const running = leadership.during(({ signal }) => aborted(signal), { atMostMs: 12_000 });
      const reason = await running;
      expect(reason).toBeInstanceOf(DOMException);
      expect(reason).toMatchObject({ name: 'TimeoutError' });
      expect(bench.clock.monotonicMs()).toBe(12_000);
      expect(bench.store.count('renew')).toBe(2);
      leadership.assertLeader();
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
    bench.expectQuiet();
  });

  it('loses the lease when the operation does not heed its time limit', async () => {
    const bench = new Bench();
    const outcome = await bench.lead((leadership) =>
      leadership.during(() => bench.clock.sleep(60_000), { atMostMs: 6_000 }),
    );
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
    expect(bench.store.count('renew')).toBe(1);
    expect(bench.eventsOf('lost')).toMatchObject([{ reason: 'expired' }]);
  });

  it("aborts its signal with the leadership's error, which outranks the operation's", async () => {
    const bench = new Bench();
    const failure = new Error('connection closed');
    const outcome = await bench.lead(async (leadership) => {
      let seen: unknown;
      const running = leadership.during(
        async ({ signal }) => {
          bench.store.every(['renew'], failsWith(down));
          seen = await aborted(signal);
          throw failure;
        },
        { atMostMs: 60_000 },
      );
      const error = await rejection(running);
      expect(error).toMatchObject({ code: 'LEASE_LOST', reason: 'expired', cause: down });
      expect(seen).toBe(error);
      expect(leadership.signal.reason).toBe(error);
      throw error;
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
    expect.assertions(4);
  });

  it("rejects with the leadership's error although the operation succeeded", async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      bench.store.every(['renew'], failsWith(down));
      const running = leadership.during(() => bench.clock.sleep(11_000), { atMostMs: 60_000 });
      expect(await rejection(running)).toMatchObject({ reason: 'expired' });
    });
    expect.assertions(1);
  });

  it('stops at proof of loss', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      await bench.records.overwrite({ holder: 'other', fencingToken: 34 });
      return leadership.during(({ signal }) => aborted(signal), { atMostMs: 60_000 });
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
    expect(bench.clock.monotonicMs()).toBe(5_000);
    bench.expectQuiet();
  });

  it('retries each retry period while the store does not answer', async () => {
    const bench = new Bench();
    bench.store.next('renew', failsWith(down), failsWith(down));
    const outcome = await bench.lead((leadership) =>
      leadership.during(() => bench.clock.sleep(12_000), { atMostMs: 60_000 }),
    );
    expect(outcome).toMatchObject({ status: 'led' });
    const renewals = bench.store.calls.filter(({ operation }) => operation === 'renew');
    expect(renewals.map(({ atMs }) => atMs)).toEqual([5_000, 7_000, 9_000]);
  });

  it('shares renewals between operations that overlap and with checkpoints', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], async (apply) => {
      await bench.clock.sleep(200);
      return apply();
    });
    const outcome = await bench.lead(async (leadership) => {
      const limit = { atMostMs: 60_000 };
      const first = leadership.during(() => bench.clock.sleep(9_000), limit);
      await bench.clock.sleep(1_000);
      const second = leadership.during(() => bench.clock.sleep(20_000), limit);
      for (let step = 0; step < 100; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint();
      }
      await Promise.all([first, second]);
    });
    expect(outcome).toMatchObject({ status: 'led' });
    const renewals = bench.store.calls.filter(({ operation }) => operation === 'renew');
    expect(renewals.map(({ atMs }) => atMs)).toEqual([5_000, 10_000, 15_000, 20_000]);
    bench.expectQuiet();
  });

  it('goes on renewing for one operation after another has settled', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      const brief = leadership.during(() => bench.clock.sleep(1_000), { atMostMs: 2_000 });
      const long = leadership.during(() => bench.clock.sleep(30_000), { atMostMs: 60_000 });
      await Promise.all([brief, long]);
    });
    expect(outcome).toMatchObject({ status: 'led' });
    expect(bench.store.count('renew')).toBe(5);
  });

  it('is waited for before the release when the work leaves it running', async () => {
    const bench = new Bench();
    const end = deferred();
    let reason: unknown;
    let settledLate: unknown;
    const led = bench.election('a').lead(async (leadership) => {
      leadership
        .during(
          async ({ signal }) => {
            reason = await aborted(signal);
            await end.promise;
          },
          { atMostMs: 60_000 },
        )
        .catch((error: unknown) => {
          settledLate = error;
        });
      return 'returned';
    });
    await bench.clock.advance(3_000);
    expect(reason).toMatchObject({ code: 'LEASE_LOST', reason: 'settled' });
    expect(bench.store.count('release')).toBe(0);
    end.resolve();
    expect(await bench.settled(led)).toMatchObject({ status: 'led', value: 'returned' });
    expect(settledLate).toBe(reason);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    bench.expectQuiet();
  });

  it('refuses to begin when the leadership is over', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(10_000);
      let began = false;
      const running = leadership.during(
        () => {
          began = true;
        },
        { atMostMs: 1_000 },
      );
      expect(await rejection(running)).toBe(leadership.signal.reason);
      expect(began).toBe(false);
    });
    expect.assertions(2);
  });

  it('leaves no listener on the signal of the leadership', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      for (let index = 0; index < 20; index += 1) {
        await leadership.during(() => bench.clock.sleep(10), { atMostMs: 1_000 });
      }
      expect(getEventListeners(leadership.signal, 'abort')).toEqual([]);
    });
    expect.assertions(1);
  });
});
