import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from 'tenure';
import { Bench, deferred, expiries, rejection } from './bench.ts';
import { failsWith } from './scripted-store.ts';

const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });
const origin = { lease: 'orders', identity: 'a' };

describe.each(expiries)('the observer where expiry is judged by: %s', (expiry) => {
  it('is told of a term from acquire to release', async () => {
    const bench = new Bench(expiry);
    bench.store.next('renew', failsWith(down));
    await bench.lead(async (leadership) => {
      for (let step = 0; step < 80; step += 1) {
        await bench.clock.sleep(100);
        await leadership.checkpoint();
      }
    });
    expect(bench.events).toEqual([
      { ...origin, type: 'acquired', fencingToken: 33, remainingMs: 10_000 },
      {
        ...origin,
        type: 'renewal-failed',
        fencingToken: 33,
        remainingMs: 5_000,
        error: down,
      },
      { ...origin, type: 'renewed', fencingToken: 33, headroomMs: 3_000 },
      { ...origin, type: 'released', fencingToken: 33 },
    ]);
  });

  it('is told of a loss, and of work that goes on when another may lead', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async () => {
      await bench.clock.sleep(14_999);
      expect(bench.eventsOf('lost')).toEqual([
        {
          ...origin,
          type: 'lost',
          fencingToken: 33,
          reason: 'expired',
          error: expect.objectContaining({ code: 'LEASE_LOST', reason: 'expired' }),
        },
      ]);
      expect(bench.eventsOf('work-overdue')).toEqual([]);
      await bench.clock.sleep(1);
      expect(bench.eventsOf('work-overdue')).toEqual([
        { ...origin, type: 'work-overdue', fencingToken: 33, overdueMs: 5_000 },
      ]);
      await bench.clock.sleep(60_000);
    });
    expect(bench.eventsOf('work-overdue')).toHaveLength(1);
    expect.assertions(4);
  });

  it('is not told that work is overdue while it renews', async () => {
    const bench = new Bench(expiry);
    await bench.lead((leadership) =>
      leadership.during(() => bench.clock.sleep(60_000), { atMostMs: 90_000 }),
    );
    expect(bench.eventsOf('work-overdue')).toEqual([]);
  });

  it('is told why a campaign does not get to stand, each time', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['look'], failsWith(down));
    const stop = new AbortController();
    const campaign = bench.election('a').campaign(() => {}, { signal: stop.signal });
    const ended = campaign[Symbol.asyncIterator]().next();
    await bench.clock.advance(6_000);
    expect(bench.eventsOf('attempt-failed').map(({ error }) => error)).toEqual([down, down, down]);
    stop.abort();
    await bench.settled(ended);
  });

  it('is told who leads when that changes', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.election('a').lead(() => end.promise);
    await bench.clock.advance(0);
    const watcher = bench.election('w');
    await watcher.leader();
    await watcher.leader();
    end.resolve();
    await led;
    await watcher.leader();
    await watcher.leader();
    expect(
      bench.eventsOf('leader-changed').map(({ identity, leader }) => [identity, leader?.holder]),
    ).toEqual([
      ['w', 'a'],
      ['w', undefined],
    ]);
  });

  it('ends nothing by throwing', async () => {
    const bench = new Bench(expiry);
    const types: string[] = [];
    const election = bench.election('a', {
      observer: (event) => {
        types.push(event.type);
        throw new Error('no metrics');
      },
    });
    const outcome = await bench.settled(
      election.lead(async (leadership) => {
        await bench.clock.sleep(5_000);
        await leadership.checkpoint();
        return 'done';
      }),
    );
    expect(outcome).toMatchObject({ status: 'led', value: 'done' });
    expect(types).toEqual(['acquired', 'renewed', 'released']);
  });
});

describe('progress that is not ours', () => {
  const refuses = (): undefined => undefined;
  const throws = (): never => {
    throw new Error('no such version');
  };

  it.each([
    ['is no JSON', 'opaque bytes', undefined],
    ['is JSON null', 'null', undefined],
    ['is refused by parseProgress', '{"done":1}', refuses],
    ['makes parseProgress throw', '{"done":1}', throws],
  ])('reads as none and is reported when it %s', async (_, progress, parseProgress) => {
    const bench = new Bench();
    await bench.records.overwrite({ progress, released: true, holder: 'java' });
    const election = bench.election('a', parseProgress ? { parseProgress } : {});
    const outcome = await election.lead((leadership) => [leadership.progress]);
    expect(outcome).toMatchObject({ status: 'led', value: [undefined] });
    expect(bench.eventsOf('foreign-progress')).toMatchObject([{ fencingToken: 2 }]);
    // Not ours to throw away either.
    expect((await bench.records.stored())?.record.progress).toBe(progress);
  });

  it('is parsed once per term and not reported when it is usable', async () => {
    const bench = new Bench();
    await bench.lead((leadership) => leadership.checkpoint({ done: 3 }));
    let calls = 0;
    const election = bench.election('b', {
      parseProgress: (json) => {
        calls += 1;
        return { done: (json as { done: number }).done * 2 };
      },
    });
    const outcome = await election.lead((leadership) => [leadership.progress, leadership.progress]);
    expect(outcome).toMatchObject({ value: [{ done: 6 }, { done: 6 }] });
    expect(calls).toBe(1);
    expect(bench.eventsOf('foreign-progress')).toEqual([]);
  });
});

describe('progress that is ours', () => {
  it.each([
    ['any language', { text: 'счёт 請求書 فاتورة ٪ 🧾' }],
    ['nothing but a number', 0],
    ['false', false],
    ['an empty text', ''],
    ['nested', { a: [{ b: null }], c: { d: '\n"\\' } }],
  ])('comes back as it was: %s', async (_, progress) => {
    const bench = new Bench();
    await bench.election<unknown>('a').lead((leadership) => leadership.checkpoint(progress));
    const outcome = await bench.election<unknown>('b').lead((leadership) => [leadership.progress]);
    expect(outcome).toMatchObject({ value: [progress] });
  });

  it('is at most 2 KiB of UTF-8, refused before a request is sent', async () => {
    const bench = new Bench();
    const fits = 'é'.repeat(1_023);
    await bench.election<string>('a').lead(async (leadership) => {
      await bench.clock.advance(6_000);
      const error = await rejection(leadership.checkpoint(`${fits}a`));
      expect(error).toBeInstanceOf(RangeError);
      expect((error as Error).message).toContain('2049');
      expect(bench.store.count('renew')).toBe(0);
      await leadership.checkpoint(fits);
      expect(bench.store.count('renew')).toBe(1);
    });
    expect((await bench.records.stored())?.record.progress).toBe(JSON.stringify(fits));
    expect.assertions(5);
  });

  it.each([
    ['a function', () => {}],
    ['a date', new Date(0)],
    ['NaN', { done: Number.NaN }],
    ['a big integer', 1n],
    ['a map', new Map()],
  ])('is JSON, and refused before a request is sent otherwise: %s', async (_, progress) => {
    const bench = new Bench();
    await bench.election<unknown>('a').lead(async (leadership) => {
      await leadership.checkpoint({ done: 1 });
      await bench.clock.advance(6_000);
      expect(await rejection(leadership.checkpoint(progress))).toBeInstanceOf(TypeError);
      expect(bench.store.count('renew')).toBe(0);
    });
    // What was refused does not replace what was given before it.
    expect((await bench.records.stored())?.record.progress).toBe('{"done":1}');
    expect.assertions(3);
  });
});
