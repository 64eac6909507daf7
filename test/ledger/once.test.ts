import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/testing/index.ts';
import { createLedger, memoryLedgerStore, NotSentError } from '../../src/ledger/index.ts';
import type { Effect, LedgerStore } from '../../src/ledger/index.ts';
import { isLeadershipOver } from '../../src/core/errors.ts';
import {
  chargeAt,
  charging,
  collected,
  gate,
  gateway,
  hooked,
  hourMs,
  key,
  term,
} from './bench.ts';

const setUp = (store: LedgerStore = memoryLedgerStore()) => {
  const clock = new ManualClock();
  return { clock, store, ledger: createLedger({ store, clock }), downstream: gateway() };
};

const failing: Effect = async () => {
  throw new Error('no answer');
};

describe('once', () => {
  it('makes the effect once and then returns what it came to', async () => {
    const { ledger, downstream } = setUp();
    const done = { status: 'done', result: { chargeId: 'ch-1' } };
    expect(await ledger.once(charging(term(33)), chargeAt(downstream))).toEqual(done);
    expect(await ledger.once(charging(term(34)), chargeAt(downstream))).toEqual(done);
    expect(downstream.requests).toBe(1);
    expect(await collected(ledger.unfinished())).toEqual([]);
  });

  it('has the entry pending, with all that a successor needs, when it makes the effect', async () => {
    const { clock, ledger } = setUp();
    await ledger.once(charging(term(33)), async ({ idempotencyKey }) => {
      expect(await collected(ledger.unfinished())).toEqual([
        {
          key,
          idempotencyKey,
          state: 'pending',
          firstAttemptMs: clock.wallMs(),
          fencingToken: 33,
          requestHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          result: undefined,
          version: expect.any(String),
        },
      ]);
      return { status: 'done' };
    });
  });

  it('keeps a decline for good', async () => {
    const { ledger, downstream } = setUp();
    const declined = await ledger.once(charging(term(33)), async () => ({ status: 'declined' }));
    expect(declined).toEqual({ status: 'declined', result: undefined });
    expect(await ledger.once(charging(term(34)), chargeAt(downstream))).toEqual(declined);
    expect(downstream.requests).toBe(0);
  });

  it('leaves the entry unknown when the effect rejects, and repeats it under the same key', async () => {
    const { ledger, downstream } = setUp();
    const unknown = await ledger.once(charging(term(33)), failing);
    expect(unknown).toMatchObject({ status: 'unknown', error: { message: 'no answer' } });
    const [entry] = await collected(ledger.unfinished());
    expect(unknown).toMatchObject({ entry });
    expect(entry?.state).toBe('unknown');
    await ledger.once(charging(term(34)), chargeAt(downstream));
    expect(downstream.charged).toEqual([entry?.idempotencyKey]);
  });

  it('repeats an unknown effect only while its key is honoured, less an hour', async () => {
    const { clock, ledger, downstream } = setUp();
    await ledger.once(charging(term(33)), failing);
    await clock.advance(23 * hourMs);
    const kept = await ledger.once(charging(term(34)), chargeAt(downstream));
    expect(kept).toMatchObject({ status: 'unknown', entry: { state: 'unknown' } });
    expect(kept).not.toHaveProperty('error');
    clock.advanceWall(-1);
    await ledger.once(charging(term(34)), chargeAt(downstream));
    expect(downstream.requests).toBe(1);
  });

  it('does not repeat an attempt that lies more than an hour ahead', async () => {
    const { clock, ledger, downstream } = setUp();
    await ledger.once(charging(term(33)), failing);
    clock.advanceWall(-hourMs);
    expect(await ledger.once(charging(term(34)), chargeAt(downstream))).toMatchObject({
      status: 'unknown',
    });
    expect(downstream.requests).toBe(0);
  });

  it('counts the window from the first attempt, however often it is repeated', async () => {
    const { clock, ledger, downstream } = setUp();
    for (let token = 1; token <= 12; token += 1) {
      await ledger.once(charging(term(token)), failing);
      await clock.advance(2 * hourMs - 1);
    }
    const outcome = await ledger.once(charging(term(13)), chargeAt(downstream));
    expect(outcome).toMatchObject({ status: 'unknown' });
    expect(downstream.requests).toBe(0);
  });

  it('never repeats an effect whose key is never honoured', async () => {
    const { ledger, downstream } = setUp();
    const options = { keyHonouredForMs: 0 };
    await ledger.once(charging(term(33), options), failing);
    const outcome = await ledger.once(charging(term(33), options), chargeAt(downstream));
    expect(outcome).toMatchObject({ status: 'unknown' });
    expect(downstream.requests).toBe(0);
  });

  it('sends nothing and leaves no entry when leadership ends before the effect', async () => {
    const leadership = term(33);
    const store = hooked(memoryLedgerStore(), {
      after: (operation) => (operation === 'write' ? (leadership.lose(), undefined) : undefined),
    });
    const { ledger, downstream } = setUp(store);
    const error: unknown = await ledger
      .once(charging(leadership), chargeAt(downstream))
      .catch((reason: unknown) => reason);
    expect(isLeadershipOver(error)).toBe(true);
    expect(downstream.requests).toBe(0);
    expect(await collected(ledger.unfinished())).toEqual([]);
    await ledger.once(charging(term(34), { keyHonouredForMs: 0 }), chargeAt(downstream));
    expect(downstream.requests).toBe(1);
  });

  it.each(['pending', 'unknown'] as const)(
    'returns a %s entry to what it was when leadership ends before the effect',
    async (state) => {
      const inner = memoryLedgerStore();
      const { clock, ledger } = setUp(inner);
      const never = ledger.once(charging(term(33)), () =>
        state === 'unknown' ? Promise.reject(new Error('no answer')) : new Promise(() => {}),
      );
      await (state === 'unknown' ? never : clock.advance(0));
      const before = await collected(ledger.unfinished());
      expect(before).toMatchObject([{ state }]);
      const leadership = term(34);
      const store = hooked(inner, {
        after: (operation) => (operation === 'write' ? (leadership.lose(), undefined) : undefined),
      });
      const other = createLedger({ store, clock });
      await expect(other.once(charging(leadership), failing)).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
      const changed = { version: expect.any(String), fencingToken: 34 };
      expect(await collected(ledger.unfinished())).toEqual([{ ...before[0], ...changed }]);
    },
  );

  it('sends nothing when the window closes before the effect', async () => {
    const clock = new ManualClock();
    const store = hooked(memoryLedgerStore(), {
      after: (operation) =>
        operation === 'write' ? (clock.advanceWall(23 * hourMs), undefined) : undefined,
    });
    const ledger = createLedger({ store, clock });
    const downstream = gateway();
    await expect(ledger.once(charging(term(33)), chargeAt(downstream))).rejects.toMatchObject({
      code: 'NOT_SENT',
    });
    expect(downstream.requests).toBe(0);
    expect(await collected(ledger.unfinished())).toEqual([]);
  });

  it('takes back an attempt that was not sent, and only that one', async () => {
    const { ledger, downstream } = setUp();
    const notSent: Effect = async () => {
      throw new NotSentError('no connection');
    };
    const never = { keyHonouredForMs: 0 };
    await expect(ledger.once(charging(term(33), never), notSent)).rejects.toThrow('no connection');
    expect(await collected(ledger.unfinished())).toEqual([]);
    await ledger.once(charging(term(33), never), failing);
    await expect(ledger.once(charging(term(33)), notSent)).rejects.toThrow('no connection');
    expect(await ledger.once(charging(term(33), never), chargeAt(downstream))).toMatchObject({
      status: 'unknown',
    });
  });

  it('refuses another request under the same key, also once it is settled', async () => {
    const { ledger, downstream } = setUp();
    const other = charging(term(34), { request: { amountMinor: 2990 } });
    await ledger.once(charging(term(33)), failing);
    const changed = { code: 'LEDGER_REQUEST_CHANGED', retryable: false };
    await expect(ledger.once(other, chargeAt(downstream))).rejects.toMatchObject(changed);
    await ledger.once(charging(term(33)), chargeAt(downstream));
    await expect(ledger.once(other, chargeAt(downstream))).rejects.toMatchObject(changed);
    expect(downstream.requests).toBe(1);
  });

  it('takes another request where each attempt was taken back', async () => {
    const { ledger, downstream } = setUp();
    const notSent: Effect = async () => {
      throw new NotSentError('no connection');
    };
    await ledger.once(charging(term(33)), notSent).catch(() => {});
    const other = charging(term(33), { request: { amountMinor: 2990 } });
    expect(await ledger.once(other, chargeAt(downstream))).toMatchObject({ status: 'done' });
  });

  it('takes a request for the same whatever the order of its members', async () => {
    const { ledger, downstream } = setUp();
    const request = (value: object) => charging(term(33), { request: value });
    await ledger.once(request({ a: 1, b: [{ c: 2, d: undefined }] }), chargeAt(downstream));
    await ledger.once(request({ b: [{ c: 2 }], a: 1 }), chargeAt(downstream));
    expect(downstream.requests).toBe(1);
  });

  it('shares the first effect among concurrent calls of one term', async () => {
    const { ledger, downstream } = setUp();
    const leadership = term(33);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => ledger.once(charging(leadership), chargeAt(downstream))),
    );
    expect(outcomes[2]).toEqual({ status: 'done', result: { chargeId: 'ch-1' } });
    expect(downstream.requests).toBe(1);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('does not let a later term fail with the end of an earlier one', async () => {
    const old = term(33);
    const { opened, open } = gate();
    const store = hooked(memoryLedgerStore(), {
      after: (operation, count) => (operation === 'write' && count === 1 ? opened : undefined),
    });
    const { ledger, downstream } = setUp(store);
    const first = ledger.once(charging(old), chargeAt(downstream));
    const second = ledger.once(charging(term(34)), chargeAt(downstream));
    old.lose();
    open();
    await expect(first).rejects.toMatchObject({ code: 'LEASE_LOST', fencingToken: 33 });
    expect(await second).toMatchObject({ status: 'done' });
  });

  it('compares a concurrent call with another request with what the first one leaves', async () => {
    const { ledger, downstream } = setUp();
    const first = ledger.once(charging(term(33)), chargeAt(downstream));
    const other = ledger.once(charging(term(33), { request: 'other' }), chargeAt(downstream));
    expect(await first).toMatchObject({ status: 'done' });
    await expect(other).rejects.toMatchObject({ code: 'LEDGER_REQUEST_CHANGED' });
  });

  it('asks nothing of the store for a term that is over', async () => {
    const leadership = term(33);
    leadership.lose();
    const store = hooked(memoryLedgerStore(), {
      before: () => Promise.reject(new Error('asked')),
    });
    await expect(setUp(store).ledger.once(charging(leadership), failing)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
  });

  it('rejects as stale where a later term has written', async () => {
    const { ledger, downstream } = setUp();
    await ledger.once(charging(term(34)), failing);
    const stale: unknown = await ledger
      .once(charging(term(33)), chargeAt(downstream))
      .catch((error: unknown) => error);
    expect(stale).toMatchObject({ code: 'STALE_TOKEN', fencingToken: 33, highestToken: 34 });
    expect(isLeadershipOver(stale)).toBe(true);
    expect(downstream.requests).toBe(0);
  });
});
