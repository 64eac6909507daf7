import { describe, expect, it } from 'vitest';
import { StoreRejectedError, StoreUnavailableError } from 'tenure';
import { Bench, expiries, rejection } from './bench.ts';
import { failsWith, hangs, losesReply } from './scripted-store.ts';

const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });

describe.each(expiries)('checkpoint where expiry is judged by: %s', (expiry) => {
  it('sends nothing while no renewal is due', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async (leadership) => {
      for (let step = 0; step < 49; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint({ done: step });
      }
      expect(bench.clock.monotonicMs()).toBe(4_900);
      expect(bench.store.count('renew')).toBe(0);
    });
    expect.assertions(2);
  });

  it('renews each renew interval, and leads for as long as it is called', async () => {
    const bench = new Bench(expiry);
    const outcome = await bench.lead(async (leadership) => {
      for (let step = 0; step < 600; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint();
      }
      return bench.store.calls.filter(({ operation }) => operation === 'renew');
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
    const times = bench.store.calls
      .filter(({ operation }) => operation === 'renew')
      .map(({ atMs }) => atMs);
    expect(times).toEqual(Array.from({ length: 12 }, (_, index) => 5_000 * (index + 1)));
  });

  it('leaves the renew deadline alone until it renews, then moves it', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(4_000);
      await leadership.checkpoint();
      expect(leadership.remainingMs()).toBe(6_000);
      await bench.clock.sleep(1_000);
      await leadership.checkpoint();
      expect(leadership.remainingMs()).toBe(10_000);
    });
    expect.assertions(2);
  });

  it('saves the newest progress with the renewal and keeps it without an argument', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async (leadership) => {
      await leadership.checkpoint({ done: 1 });
      await bench.clock.sleep(5_000);
      await leadership.checkpoint({ done: 2 });
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
    });
    const writes = bench.store.calls.filter(({ operation }) => operation === 'renew');
    expect(writes.map(({ progress }) => progress)).toEqual(['{"done":2}', '{"done":2}']);
  });

  it('shares one renewal between concurrent calls', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['renew'], async (apply) => {
      await bench.clock.sleep(300);
      return apply();
    });
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await Promise.all([1, 2, 3].map((done) => leadership.checkpoint({ done })));
      expect(bench.store.count('renew')).toBe(1);
      expect(leadership.remainingMs()).toBe(9_700);
    });
    expect.assertions(2);
  });
});

describe('checkpoint', () => {
  it('renews early when a step as long as the longest would end too late', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(4_500);
      await leadership.checkpoint();
      // 5.5 s are left: too little for 4.5 s and a request of 2 s.
      expect(bench.store.count('renew')).toBe(1);
      await bench.clock.sleep(1_000);
      await leadership.checkpoint();
      expect(bench.store.count('renew')).toBe(1);
      await bench.clock.sleep(2_600);
      await leadership.checkpoint();
      expect(bench.store.count('renew')).toBe(2);
    });
    expect.assertions(3);
  });

  it('does not count what during covered as a step', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      await leadership.during(() => bench.clock.sleep(4_500), { atMostMs: 60_000 });
      await leadership.checkpoint();
      expect(bench.store.count('renew')).toBe(0);
    });
    expect.assertions(1);
  });

  it('does not count its own wait for the store as a step', async () => {
    const bench = new Bench();
    bench.store.next('renew', async (apply) => {
      await bench.clock.sleep(1_900);
      return apply();
    });
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
      await bench.clock.sleep(1_000);
      await leadership.checkpoint();
      expect(bench.store.count('renew')).toBe(1);
    });
    expect.assertions(1);
  });

  it.each([
    ['an outage', failsWith(down)],
    ['a refusal', failsWith(new StoreRejectedError('no permission', { store: 'scripted' }))],
    ['a store that never answers', hangs],
    ['an error that no store may throw', failsWith(new Error('?'))],
  ])('resolves during %s while there is room for the longest step', async (_, fault) => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      for (let step = 0; step < 70; step += 1) {
        bench.store.every(['renew'], bench.clock.monotonicMs() < 6_500 ? fault : undefined);
        await bench.clock.sleep(100);
        await leadership.checkpoint();
      }
      return bench.clock.monotonicMs();
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
    expect(bench.eventsOf('renewal-failed')).not.toEqual([]);
    expect(bench.eventsOf('renewed')).toHaveLength(1);
  });

  it('retries each retry period in place when there is no room for a step', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], failsWith(down));
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      const checked = leadership.checkpoint();
      await bench.clock.sleep(3_000);
      bench.store.every(['renew'], undefined);
      await checked;
      expect(bench.clock.monotonicMs()).toBe(9_000);
      expect(leadership.remainingMs()).toBe(10_000);
    });
    const times = bench.store.calls.filter(({ operation }) => operation === 'renew');
    expect(times.map(({ atMs }) => atMs)).toEqual([5_000, 7_000, 9_000]);
    expect.assertions(3);
  });

  it('does not ask more often than each retry period while it resolves', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], failsWith(down));
    await bench.lead(async (leadership) => {
      for (let step = 0; step < 75; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint();
      }
      bench.store.every(['renew'], undefined);
    });
    const times = bench.store.calls.filter(({ operation }) => operation === 'renew');
    expect(times.map(({ atMs }) => atMs)).toEqual([5_000, 7_000]);
  });

  it('rejects at the renew deadline with the last error as its cause', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], failsWith(down));
    const outcome = await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      const error = await rejection(leadership.checkpoint());
      expect(bench.clock.monotonicMs()).toBe(10_000);
      expect(error).toMatchObject({
        name: 'LeaseLostError',
        code: 'LEASE_LOST',
        reason: 'expired',
        fencingToken: 33,
        lease: 'orders',
        store: 'scripted',
        cause: down,
      });
      expect(leadership.signal.reason).toBe(error);
      expect(await rejection(leadership.checkpoint())).toBe(error);
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
    bench.expectQuiet();
  });

  it('forgets the failure once a renewal has succeeded', async () => {
    const bench = new Bench();
    bench.store.next('renew', failsWith(down));
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
      await bench.clock.sleep(11_000);
      const error = await rejection(leadership.checkpoint());
      expect(error).toMatchObject({ reason: 'expired' });
      expect(error).not.toHaveProperty('cause');
    });
    expect.assertions(2);
  });

  it('keeps the lease through renewals whose replies are lost', async () => {
    const bench = new Bench();
    bench.store.next('renew', losesReply, losesReply);
    const outcome = await bench.lead(async (leadership) => {
      for (let step = 0; step < 130; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint({ done: step });
      }
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
    expect(bench.store.count('renew')).toBe(4);
    expect(await bench.records.stored()).toMatchObject({
      released: true,
      record: { fencingToken: 33, progress: '{"done":129}' },
    });
  });

  it('sends no request for a term that a clock shows to be over', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], failsWith(down));
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      const checked = rejection(leadership.checkpoint());
      await bench.clock.sleep(1_000);
      bench.store.every(['renew'], undefined);
      // The machine was suspended: what wakes next finds the lease long gone.
      bench.clock.advanceWall(60_000);
      expect(await checked).toMatchObject({ reason: 'expired', cause: down });
      expect(bench.store.count('renew')).toBe(1);
    });
    expect.assertions(2);
  });
});
