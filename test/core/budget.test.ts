import { describe, expect, it } from 'vitest';
import { StaleTokenError, StoreUnavailableError } from 'tenure';
import { aborted, Bench, budgetOf, expiries, rejection } from './bench.ts';
import { failsWith, hangs } from './scripted-store.ts';

const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });

describe.each(expiries)('budget where expiry is judged by: %s', (expiry) => {
  it('ends work that checkpoints as paused, with what is done saved', async () => {
    const bench = new Bench(expiry);
    const budget = budgetOf(bench.clock, 20_000, 6_000);
    const outcome = await bench.lead(
      async (leadership) => {
        for (let done = 1; ; done += 1) {
          await bench.clock.sleep(1_000);
          await leadership.checkpoint({ done });
        }
      },
      { budget },
    );
    expect(outcome).toEqual({ status: 'led', end: 'paused', fencingToken: 33 });
    expect(bench.clock.monotonicMs()).toBe(14_000);
    bench.expectQuiet();
    const resumed = bench.election('b').lead((leadership) => leadership.progress);
    expect(await resumed).toMatchObject({ value: { done: 14 } });
  });
});

describe('budget', () => {
  it('makes checkpoint save and reject at the reserve, while the leadership goes on', async () => {
    const bench = new Bench();
    const budget = budgetOf(bench.clock, 9_000, 6_000);
    await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(2_999);
        await leadership.checkpoint({ done: 1 });
        expect(bench.store.count('renew')).toBe(0);
        await bench.clock.sleep(1);
        const error = await rejection(leadership.checkpoint({ done: 2 }));
        expect(error).toMatchObject({
          name: 'BudgetSpentError',
          code: 'BUDGET_SPENT',
          retryable: true,
          lease: 'orders',
        });
        // Saved at once: the process may be stopped before it can release.
        expect((await bench.records.stored())?.record.progress).toBe('{"done":2}');
        leadership.assertLeader();
        expect(leadership.signal.aborted).toBe(false);
        expect(await rejection(leadership.checkpoint())).toBe(error);
        expect(bench.store.count('renew')).toBe(1);
      },
      { budget },
    );
    expect.assertions(6);
  });

  it('aborts the signal when half of the reserve is gone', async () => {
    const bench = new Bench();
    const budget = budgetOf(bench.clock, 9_000, 6_000);
    const outcome = await bench.lead(
      async (leadership) => {
        const reason = await aborted(leadership.signal);
        expect(bench.clock.monotonicMs()).toBe(6_000);
        expect(reason).toMatchObject({ code: 'BUDGET_SPENT' });
        expect(await rejection(leadership.checkpoint({ done: 3 }))).toBe(reason);
        expect(leadership.remainingMs()).toBe(0);
      },
      { budget },
    );
    expect(outcome).toEqual({
      status: 'led',
      end: 'paused',
      fencingToken: 33,
      value: undefined,
    });
    expect((await bench.records.stored())?.record.progress).toBe('{"done":3}');
    bench.expectQuiet();
  });

  it('gives the same error at the reserve, as reason, and afterwards', async () => {
    const bench = new Bench();
    await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        const first = await rejection(leadership.checkpoint());
        expect(await aborted(leadership.signal)).toBe(first);
        expect(await rejection(leadership.checkpoint())).toBe(first);
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect.assertions(2);
  });

  it('resolves to what the work returned although it was told to stop', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        await rejection(leadership.checkpoint());
        return 'half';
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect(outcome).toEqual({ status: 'led', end: 'paused', fencingToken: 33, value: 'half' });
  });

  it('is no error of the work that lost the lease while it wound down', async () => {
    const bench = new Bench();
    const led = bench.election('a').lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        const spent = await rejection(leadership.checkpoint());
        await bench.clock.sleep(11_000);
        throw spent;
      },
      { budget: budgetOf(bench.clock, 40_000, 36_000) },
    );
    const outcome = await bench.settled(led);
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
  });

  it('counts work that never noticed as completed while time is left', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(() => bench.clock.sleep(4_000), {
      budget: budgetOf(bench.clock, 9_000, 6_000),
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
  });

  it("does not hide an error of the work's own", async () => {
    const bench = new Bench();
    const own = new Error('disk full');
    const attempt = bench.lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        await rejection(leadership.checkpoint({ done: 1 }));
        throw own;
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect(await rejection(attempt)).toBe(own);
    expect((await bench.records.stored())?.released).toBe(true);
  });

  it('still rejects at the reserve when the store is down', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], failsWith(down));
    const outcome = await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        await leadership.checkpoint({ done: 1 });
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect(outcome).toEqual({ status: 'led', end: 'paused', fencingToken: 33 });
    expect(bench.store.count('renew')).toBe(1);
    expect(bench.clock.monotonicMs()).toBe(4_000);
  });

  it('saves for no longer than one request timeout when the store hangs', async () => {
    const bench = new Bench();
    bench.store.every(['renew'], hangs);
    await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(3_000);
        await rejection(leadership.checkpoint({ done: 1 }));
        expect(bench.clock.monotonicMs()).toBe(5_000);
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect.assertions(1);
  });

  it('saves what a renewal under way was sent without', async () => {
    const bench = new Bench();
    bench.store.next('renew', async (apply) => {
      const result = await apply();
      await bench.clock.sleep(1_000);
      return result;
    });
    await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(5_000);
        const renewing = leadership.checkpoint({ done: 1 });
        await bench.clock.sleep(500);
        await rejection(leadership.checkpoint({ done: 2 }));
        expect((await bench.records.stored())?.record.progress).toBe('{"done":2}');
        await renewing;
      },
      { budget: budgetOf(bench.clock, 11_500, 6_000) },
    );
    expect.assertions(1);
  });

  it('ends as lost when the lease is lost first', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(5_000);
        await bench.records.overwrite({ holder: 'other', fencingToken: 34 });
        await leadership.checkpoint();
      },
      { budget: budgetOf(bench.clock, 60_000, 6_000) },
    );
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
  });

  it('ends as lost when the save shows that another leads', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        await bench.records.overwrite({ holder: 'other', fencingToken: 34 });
        await leadership.checkpoint({ done: 1 });
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
  });

  it('ends as lost when a guarded write afterwards is rejected for its token', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(
      async (leadership) => {
        await bench.clock.sleep(4_000);
        await rejection(leadership.checkpoint());
        throw new StaleTokenError('a newer leader has written', {
          store: 'table',
          fencingToken: 33,
          highestToken: 34,
        });
      },
      { budget: budgetOf(bench.clock, 9_000, 6_000) },
    );
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
  });

  it.each([NaN, undefined, '5000', () => 5_000])(
    'counts as spent where it is no number: %o',
    async (remaining) => {
      const bench = new Bench();
      const wrong = { remainingMs: () => remaining as number, reserveMs: 100 };
      await bench.election('b').lead(async () => {
        const followed = bench.election('a').lead(() => {}, { budget: wrong });
        expect(await followed).toMatchObject({ status: 'followed', reason: 'cannot-age' });
      });
      const paused = bench.election('a').lead((own) => own.checkpoint(), { budget: wrong });
      expect(await paused).toMatchObject({ status: 'led', end: 'paused' });
    },
  );

  it('may reserve nothing', async () => {
    const bench = new Bench();
    const outcome = await bench.lead(
      async (leadership) => {
        for (;;) {
          await bench.clock.sleep(1_000);
          await leadership.checkpoint();
        }
      },
      { budget: budgetOf(bench.clock, 3_000, 0) },
    );
    expect(outcome).toMatchObject({ status: 'led', end: 'paused' });
    expect(bench.clock.monotonicMs()).toBe(3_000);
    bench.expectQuiet();
  });
});
