import { describe, expect, it } from 'vitest';
import { StoreRejectedError, StoreUnavailableError } from 'tenure';
import { Bench, deferred, expiries, rejection } from './bench.ts';
import { failsWith, hangs, hangsAfterwards, losesReply, type Fault } from './scripted-store.ts';

const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });
const refused = new StoreRejectedError('no permission', { lease: 'orders', store: 'scripted' });

const bids = (bench: Bench) =>
  bench.store.calls.flatMap(({ operation, bid }) => (operation === 'acquire' && bid ? [bid] : []));

describe.each(expiries)('an ambiguous acquire where expiry is judged by: %s', (expiry) => {
  it.each([
    ['the reply is lost', losesReply],
    ['the reply never comes', hangsAfterwards],
    ['the request never arrives', hangs],
  ])('is repeated and recognised with the same token when %s', async (_, fault) => {
    const bench = new Bench(expiry);
    bench.store.next('acquire', fault, fault);
    const outcome = await bench.settled(
      bench.election('a').lead((leadership) => leadership.fencingToken),
    );
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 33, value: 33 });
    expect(bids(bench)).toHaveLength(3);
    expect(new Set(bids(bench).map(({ attemptId }) => attemptId)).size).toBe(1);
    expect(bench.store.count('abandon')).toBe(0);
    expect(await bench.election('b').lead(() => {})).toMatchObject({ fencingToken: 34 });
  });

  it('counts from before the first of its requests', async () => {
    const bench = new Bench(expiry);
    bench.store.next('acquire', hangsAfterwards);
    const outcome = await bench.settled(
      bench.election('a').lead((leadership) => leadership.remainingMs()),
    );
    expect(outcome).toMatchObject({ value: 8_000 });
  });

  it('is given up and freed when no answer comes at all', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['acquire'], hangsAfterwards);
    const error = await rejection(bench.settled(bench.election('a').lead(() => {})));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const sent = bench.store.calls.filter(({ operation }) => operation === 'acquire');
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 2_000, 4_000]);
    expect(bench.clock.monotonicMs()).toBe(6_000);
    bench.store.every(['acquire'], undefined);
    const next = bench.election('b').lead(() => {}, { wait: 'none' });
    expect(await next).toMatchObject({ status: 'led', fencingToken: 34 });
    bench.expectQuiet();
  });

  it.each([
    ['an outage', down],
    ['a refusal', refused],
  ])('stays ambiguous when %s meets the repeat', async (_, error) => {
    const bench = new Bench(expiry);
    bench.store.next('acquire', losesReply, failsWith(error));
    const rejected = await rejection(bench.settled(bench.election('a').lead(() => {})));
    expect(rejected).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(bench.store.count('abandon')).toBe(1);
    const next = bench.election('b').lead(() => {}, { wait: 'none' });
    expect(await next).toMatchObject({ status: 'led', fencingToken: 34 });
  });

  it('is not waited out by the process that gave it up', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['acquire'], hangsAfterwards);
    bench.store.every(['abandon'], failsWith(down));
    const election = bench.election('a');
    await rejection(bench.settled(election.lead(() => {})));
    bench.store.every(['acquire'], undefined);
    const startMs = bench.clock.monotonicMs();
    const other = await bench.election('b').lead(() => {}, { wait: 'none' });
    expect(other).toMatchObject({ status: 'followed', reason: 'held', leader: { holder: 'a' } });
    const outcome = await bench.settled(election.lead(() => {}));
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34 });
    expect(bench.clock.monotonicMs()).toBe(startMs);
  });

  it('does not take the lease from a process that was faster', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    let other: Promise<unknown> = Promise.resolve();
    bench.store.next('acquire', async () => {
      other = bench.election('b').lead(() => end.promise);
      await bench.clock.sleep(100);
      throw down;
    });
    expect(await rejection(bench.settled(bench.election('a').lead(() => {})))).toBe(down);
    end.resolve();
    expect(await other).toMatchObject({ status: 'led', fencingToken: 33 });
  });
});

describe('acquire', () => {
  it('is sent once when nothing was written', async () => {
    const bench = new Bench();
    bench.store.next('acquire', failsWith(down));
    expect(await rejection(bench.election('a').lead(() => {}))).toBe(down);
    expect(bench.store.operations).toEqual(['look', 'acquire']);
  });

  it('changes nothing when it arrives after its term has ended', async () => {
    const bench = new Bench();
    let late: () => Promise<unknown> = () => Promise.resolve();
    const keepsAndApplies: Fault = (apply) => {
      late = apply;
      return apply();
    };
    bench.store.next('acquire', keepsAndApplies);
    await bench.election('a').lead((leadership) => leadership.checkpoint({ done: 1 }));
    const before = await bench.records.stored();
    expect(await late()).toMatchObject({ acquired: false });
    expect(await bench.records.stored()).toEqual(before);
  });

  it('gives no leadership when its answer comes after the renew deadline', async () => {
    const bench = new Bench();
    bench.store.next('acquire', async (apply) => {
      const result = await apply();
      // Suspended: the monotonic clock stands still, and no timer runs.
      bench.clock.advanceWall(10_000);
      return result;
    });
    const outcome = await bench.settled(
      bench.election('a').lead((leadership) => leadership.remainingMs()),
    );
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34, value: 10_000 });
  });
});
