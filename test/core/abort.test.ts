import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Bench, deferred, expiries, rejection } from './bench.ts';
import { hangs, hangsAfterwards } from './scripted-store.ts';

const reason = new Error('deployment');

describe.each(expiries)("the caller's signal where expiry is judged by: %s", (expiry) => {
  it('ends an attempt before it has begun', async () => {
    const bench = new Bench(expiry);
    const signal = AbortSignal.abort(reason);
    expect(await rejection(bench.election('a').lead(() => {}, { signal }))).toBe(reason);
    expect(bench.store.calls).toEqual([]);
  });

  it('ends a look', async () => {
    const bench = new Bench(expiry);
    bench.store.next('look', hangs);
    const stop = new AbortController();
    const attempt = bench.election('a').lead(() => {}, { signal: stop.signal });
    await bench.clock.advance(500);
    stop.abort(reason);
    expect(await rejection(attempt)).toBe(reason);
    bench.expectQuiet(stop.signal);
  });

  it('ends a wait', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const other = bench.election('b').lead(() => end.promise);
    await bench.clock.advance(0);
    const stop = new AbortController();
    const attempt = bench.election('a').lead(() => {}, { signal: stop.signal, wait: 60_000 });
    await bench.clock.advance(500);
    const calls = bench.store.calls.length;
    stop.abort(reason);
    expect(await rejection(attempt)).toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(bench.store.calls).toHaveLength(calls);
    end.resolve();
    await other;
    bench.expectQuiet();
  });

  it.each([
    ['is applied', hangsAfterwards],
    ['is lost', hangs],
  ])('ends an acquire that %s, and frees what it may have won', async (_, fault) => {
    const bench = new Bench(expiry);
    bench.store.next('acquire', fault);
    const stop = new AbortController();
    let worked = false;
    const work = (): void => {
      worked = true;
    };
    const attempt = bench.election('a').lead(work, { signal: stop.signal });
    await bench.clock.advance(500);
    stop.abort(reason);
    expect(await rejection(bench.settled(attempt))).toBe(reason);
    expect(worked).toBe(false);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'abandon']);
    bench.expectQuiet(stop.signal);
    const next = bench.election('b').lead(() => {}, { wait: 'none' });
    expect(await next).toMatchObject({ status: 'led' });
  });

  it('ends an acquire within one request timeout when the store hangs', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['acquire', 'abandon'], hangs);
    const stop = new AbortController();
    const attempt = bench.election('a').lead(() => {}, { signal: stop.signal });
    await bench.clock.advance(500);
    stop.abort(reason);
    expect(await rejection(bench.settled(attempt))).toBe(reason);
    expect(bench.clock.monotonicMs()).toBe(2_500);
    bench.expectQuiet(stop.signal);
  });

  it('ends the leadership, and lead rejects with its reason after the release', async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const wound = deferred();
    const attempt = bench.election('a').lead(
      async (leadership) => {
        await bench.clock.sleep(1_000);
        stop.abort(reason);
        const error = await rejection(leadership.checkpoint({ done: 1 }));
        expect(error).toMatchObject({ code: 'LEASE_LOST', reason: 'aborted', cause: reason });
        expect(leadership.signal.reason).toBe(error);
        expect(leadership.remainingMs()).toBe(0);
        await wound.promise;
        throw error;
      },
      { signal: stop.signal },
    );
    await bench.clock.advance(3_000);
    expect(bench.store.count('release')).toBe(0);
    wound.resolve();
    expect(await rejection(bench.settled(attempt))).toBe(reason);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    bench.expectQuiet(stop.signal);
    const next = bench.election('b').lead((leadership) => leadership.progress, { wait: 'none' });
    expect(await next).toMatchObject({ status: 'led', value: { done: 1 } });
  });

  it('wakes a checkpoint that waits for the store', async () => {
    const bench = new Bench(expiry);
    bench.store.every(['renew'], hangs);
    const stop = new AbortController();
    const attempt = bench.election('a').lead(
      async (leadership) => {
        await bench.clock.sleep(9_000);
        await leadership.checkpoint();
      },
      { signal: stop.signal },
    );
    await bench.clock.advance(9_500);
    stop.abort(reason);
    expect(await rejection(bench.settled(attempt))).toBe(reason);
    expect(bench.clock.monotonicMs()).toBeLessThanOrEqual(10_000);
    bench.expectQuiet(stop.signal);
  });

  it('does not disturb work that returns all the same', async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const outcome = await bench.lead(
      async () => {
        stop.abort(reason);
        return 'finished';
      },
      { signal: stop.signal },
    );
    expect(outcome).toMatchObject({ status: 'led', end: 'completed', value: 'finished' });
    bench.expectQuiet(stop.signal);
  });

  it("does not hide an error of the work's own", async () => {
    const bench = new Bench(expiry);
    const stop = new AbortController();
    const own = new Error('disk full');
    const attempt = bench.election('a').lead(
      async () => {
        stop.abort(reason);
        throw own;
      },
      { signal: stop.signal },
    );
    expect(await rejection(attempt)).toBe(own);
  });

  it('does not disturb the release', async () => {
    const bench = new Bench(expiry);
    bench.store.next('release', async (apply) => {
      await bench.clock.sleep(1_000);
      return apply();
    });
    const stop = new AbortController();
    const attempt = bench.election('a').lead(() => 'done', { signal: stop.signal });
    await bench.clock.advance(500);
    stop.abort(reason);
    expect(await bench.settled(attempt)).toMatchObject({ status: 'led', value: 'done' });
    expect(bench.clock.monotonicMs()).toBeGreaterThanOrEqual(1_000);
    const next = bench.election('b').lead(() => {}, { wait: 'none' });
    expect(await next).toMatchObject({ status: 'led' });
    bench.expectQuiet(stop.signal);
  });
});

describe("the caller's signal", () => {
  it('collects no listeners over many attempts', async () => {
    const bench = new Bench();
    const { signal } = new AbortController();
    const election = bench.election('a');
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await election.lead((leadership) => leadership.checkpoint(), { signal });
    }
    bench.expectQuiet(signal);
  });

  it('may abort with a reason that is no error', async () => {
    const bench = new Bench();
    const stop = new AbortController();
    const attempt = bench.election('a').lead(
      async (leadership) => {
        stop.abort('enough');
        await leadership.checkpoint();
      },
      { signal: stop.signal },
    );
    expect(await rejection(attempt)).toBe('enough');
  });

  it('ends a leadership that has only just been won', async () => {
    const bench = new Bench();
    const stop = new AbortController();
    const election = bench.election('a', {
      observer: ({ type }) => {
        if (type === 'acquired') {
          stop.abort(reason);
        }
      },
    });
    const attempt = election.lead((leadership) => leadership.checkpoint(), {
      signal: stop.signal,
    });
    expect(await rejection(attempt)).toBe(reason);
    expect(bench.store.operations).toEqual(['look', 'acquire', 'release']);
    bench.expectQuiet(stop.signal);
  });
});
