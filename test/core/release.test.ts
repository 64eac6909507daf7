import { describe, expect, it } from 'vitest';
import { OutcomeUnknownError, StoreRejectedError, StoreUnavailableError } from 'tenure';
import { Bench, expiries, rejection } from './bench.ts';
import { failsWith, hangs, hangsAfterwards, losesReply } from './scripted-store.ts';

const context = { lease: 'orders', store: 'scripted' };
const down = new StoreUnavailableError('no contact', context);
const refused = new StoreRejectedError('no permission', context);

describe.each(expiries)('release where expiry is judged by: %s', (expiry) => {
  it('frees the lease and keeps token, last holder and progress', async () => {
    const bench = new Bench(expiry);
    await bench.lead((leadership) => leadership.checkpoint({ done: 1 }));
    expect(await bench.election('b').leader()).toBeUndefined();
    const next = bench.election('b').lead((leadership) => leadership.progress, { wait: 'none' });
    expect(await next).toMatchObject({ fencingToken: 34, value: { done: 1 } });
  });

  it('writes the newest progress, also when the work failed', async () => {
    const bench = new Bench(expiry);
    const failed = bench.lead(async (leadership) => {
      await leadership.checkpoint({ done: 1 });
      await leadership.checkpoint({ done: 2 });
      throw new Error('disk full');
    });
    expect(await rejection(failed)).toMatchObject({ message: 'disk full' });
    const next = bench.election('b').lead((leadership) => leadership.progress);
    expect(await next).toMatchObject({ value: { done: 2 } });
  });

  it('keeps the progress of earlier terms when none was given', async () => {
    const bench = new Bench(expiry);
    await bench.lead((leadership) => leadership.checkpoint({ done: 1 }));
    await bench.lead((leadership) => leadership.checkpoint());
    const next = bench.election('b').lead((leadership) => leadership.progress);
    expect(await next).toMatchObject({ value: { done: 1 } });
  });

  it('clears the progress that null was given for', async () => {
    const bench = new Bench(expiry);
    await bench.lead((leadership) => leadership.checkpoint({ done: 1 }));
    await bench.lead((leadership) => leadership.checkpoint(null));
    const next = bench.election('b').lead((leadership) => leadership.progress);
    expect(await next).toMatchObject({ status: 'led', value: undefined });
    expect(bench.eventsOf('foreign-progress')).toEqual([]);
  });

  it('gives a warm process the progress that it released itself', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    await election.lead((leadership) => leadership.checkpoint({ done: 1 }));
    const before = bench.store.count('look');
    const next = await election.lead((leadership) => leadership.progress);
    expect(next).toMatchObject({ value: { done: 1 } });
    expect(bench.store.count('look')).toBe(before);
  });

  it('frees a lease that expired but that nobody took, with the progress', async () => {
    const bench = new Bench(expiry);
    const outcome = await bench.lead(async (leadership) => {
      await leadership.checkpoint({ done: 1 });
      await bench.clock.sleep(40_000);
      await rejection(leadership.checkpoint({ done: 2 }));
    });
    expect(outcome).toMatchObject({ status: 'lost', reason: 'expired' });
    const next = bench.election('b').lead((leadership) => leadership.progress, { wait: 'none' });
    expect(await next).toMatchObject({ fencingToken: 34, value: { done: 2 } });
  });

  it('changes nothing when another leads by then', async () => {
    const bench = new Bench(expiry);
    const led = bench.election('a').lead(async (leadership) => {
      await leadership.checkpoint({ done: 1 });
      await bench.clock.sleep(16_000);
    });
    await bench.clock.advance(0);
    const taken = bench.election('b').lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
    });
    expect(await bench.settled(led)).toMatchObject({ status: 'lost' });
    expect(bench.eventsOf('released')).toMatchObject([
      { identity: 'a', fencingToken: 33, error: { code: 'LEASE_LOST', reason: 'taken-over' } },
    ]);
    expect(await bench.election('c').lead(() => {}, { wait: 'none' })).toMatchObject({
      status: 'followed',
      leader: { holder: 'b', fencingToken: 34 },
    });
    expect(await bench.settled(taken)).toMatchObject({ status: 'led', end: 'completed' });
  });

  it.each([
    ['the reply is lost', [losesReply]],
    ['the store is down for a moment', [failsWith(down), failsWith(down)]],
    ['an answer is unknown', [failsWith(new OutcomeUnknownError('?', context))]],
  ])('is repeated when %s', async (_, faults) => {
    const bench = new Bench(expiry);
    bench.store.next('release', ...faults);
    expect(await bench.lead(() => 'done')).toMatchObject({ status: 'led', value: 'done' });
    expect(bench.store.count('release')).toBe(faults.length + 1);
    expect(bench.eventsOf('released')).toEqual([
      { type: 'released', lease: 'orders', identity: 'a', fencingToken: 33 },
    ]);
    const next = bench.election('b').lead(() => {}, { wait: 'none' });
    expect(await next).toMatchObject({ status: 'led', fencingToken: 34 });
  });

  it.each([
    ['down', failsWith(down)],
    ['hanging', hangs],
    ['losing replies', losesReply],
    ['applying without an answer', hangsAfterwards],
  ])('is given up after two seconds when the store keeps %s', async (_, fault) => {
    const bench = new Bench(expiry);
    bench.store.every(['release'], fault);
    const own = new Error('disk full');
    expect(await rejection(bench.lead(() => Promise.reject(own)))).toBe(own);
    expect(bench.clock.monotonicMs()).toBeLessThanOrEqual(2_000);
    expect(bench.eventsOf('released')).toMatchObject([{ error: { retryable: true } }]);
    bench.expectQuiet();
  });

  it('is not repeated when it is refused, and never masks the result', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['release'], failsWith(refused));
    expect(await bench.lead(() => 'done')).toMatchObject({ status: 'led', value: 'done' });
    expect(bench.store.count('release')).toBe(1);
    expect(bench.eventsOf('released')).toMatchObject([{ error: refused }]);
  });

  it('that failed is not waited out by the same process, but by others', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    bench.store.every(['release'], failsWith(refused));
    await election.lead((leadership) => leadership.checkpoint());
    const other = await bench.election('b').lead(() => {}, { wait: 'none' });
    expect(other).toMatchObject({ status: 'followed', leader: { holder: 'a' } });
    const again = await election.lead(() => 'again', { wait: 'none' });
    expect(again).toMatchObject({ status: 'led', fencingToken: 34 });
  });

  it('waits for a renewal that is under way', async () => {
    const bench = new Bench(expiry);
    bench.store.next('renew', async (apply) => {
      const result = await apply();
      await bench.clock.sleep(1_000);
      return result;
    });
    const outcome = await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      leadership.checkpoint({ done: 1 }).catch(() => {});
      return 'returned';
    });
    expect(outcome).toMatchObject({ status: 'led', value: 'returned' });
    expect(bench.store.calls.map(({ operation, atMs }) => [operation, atMs])).toEqual([
      ['look', 0],
      ['acquire', 0],
      ['renew', 5_000],
      ['release', 6_000],
    ]);
  });

  it('follows renewals whose replies were lost', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['renew'], losesReply);
    const outcome = await bench.lead(async (leadership) => {
      for (let done = 1; done <= 75; done += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint({ done });
      }
      expect(bench.store.count('renew')).toBe(2);
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
    const next = bench.election('b').lead((leadership) => leadership.progress, { wait: 'none' });
    expect(await next).toMatchObject({ fencingToken: 34, value: { done: 75 } });
  });
});
