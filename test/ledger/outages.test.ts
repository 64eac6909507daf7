import { describe, expect, it } from 'vitest';
import {
  OutcomeUnknownError,
  StoreRejectedError,
  StoreUnavailableError,
} from '../../src/core/errors.ts';
import { createLedger, memoryLedgerStore, type LedgerStore } from '../../src/ledger/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { chargeAt, charging, collected, gate, gateway, hooked, term } from './bench.ts';

const context = { store: 'memory' };

/** A ledger whose store fails, before or after it applied a call, while `outage` says so. */
const setUp = () => {
  const clock = new ManualClock();
  const inner = memoryLedgerStore();
  const outage: { error: Error | undefined; at: 'before' | 'after'; of: string } = {
    error: undefined,
    at: 'before',
    of: 'read write',
  };
  const failAt = (moment: 'before' | 'after') => (operation: string) =>
    outage.error && outage.at === moment && outage.of.includes(operation)
      ? Promise.reject(outage.error)
      : undefined;
  const store = hooked(inner, { before: failAt('before'), after: failAt('after') });
  const ledger = createLedger({ store, clock });
  const successor = createLedger({ store: inner, clock });
  return { clock, outage, ledger, successor, downstream: gateway() };
};

/** How `call` ends, with the clock moved until it does. */
const ended = async (clock: ManualClock, call: Promise<unknown>): Promise<unknown> => {
  const outcome = call.catch((error: unknown) => error);
  await clock.advance(20_000);
  return outcome;
};

const unavailable = new StoreUnavailableError('outage', context);
const unknown = new OutcomeUnknownError('no answer', context);

describe('a store outage', () => {
  it.each([
    ['before the first look', unavailable, 'STORE_UNAVAILABLE'],
    ['that may have applied the first write', unknown, 'OUTCOME_UNKNOWN'],
  ])('%s passes through, and nothing is sent', async (_name, error, code) => {
    const { clock, outage, ledger, downstream } = setUp();
    outage.error = error;
    outage.of = code === 'OUTCOME_UNKNOWN' ? 'write' : 'read';
    const outcome = await ended(clock, ledger.once(charging(term(33)), chargeAt(downstream)));
    expect(outcome).toMatchObject({ code, retryable: true });
    expect(downstream.requests).toBe(0);
    expect(clock.pendingSleeps).toBe(0);
  });

  it('shorter than the retries is not noticed', async () => {
    const { clock, outage, ledger, downstream } = setUp();
    outage.error = unavailable;
    const call = ledger.once(charging(term(33)), chargeAt(downstream));
    await clock.advance(2_000);
    outage.error = undefined;
    await clock.advance(2_000);
    expect(await call).toMatchObject({ status: 'done' });
    expect(clock.pendingSleeps).toBe(0);
  });

  it('after which a write may be applied stays unknown although the last answer was no', async () => {
    const { clock, outage, ledger, downstream } = setUp();
    outage.error = unknown;
    outage.of = 'write';
    const call = ledger.once(charging(term(33)), chargeAt(downstream));
    const outcome = call.catch((error: unknown) => error);
    await clock.advance(1_000);
    outage.error = new StoreRejectedError('denied', context);
    await clock.advance(20_000);
    expect(await outcome).toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: outage.error });
  });

  it('that applied the first write unheard leaves no unknown effect behind', async () => {
    const { clock, outage, ledger, downstream } = setUp();
    Object.assign(outage, { error: unknown, at: 'after', of: 'write' });
    await ended(clock, ledger.once(charging(term(33)), chargeAt(downstream)));
    expect(await collected(ledger.unfinished())).toMatchObject([{ state: 'pending' }]);
    outage.error = undefined;
    const never = charging(term(34), { keyHonouredForMs: 0 });
    expect(await ledger.once(never, chargeAt(downstream))).toMatchObject({ status: 'done' });
    expect(downstream.requests).toBe(1);
  });

  it.each(['done', 'declined', 'unknown'] as const)(
    'after the effect loses nothing: %s is recorded by the next call in this process',
    async (status) => {
      const { clock, outage, ledger, successor, downstream } = setUp();
      const answer = { status, result: 'ch-1' };
      const call = ledger.once(charging(term(33), { keyHonouredForMs: 0 }), async () => {
        outage.error = unavailable;
        if (status === 'unknown') {
          throw new Error('no answer');
        }
        return { status, result: 'ch-1' };
      });
      expect(await ended(clock, call)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(await collected(successor.unfinished())).toMatchObject([{ state: 'pending' }]);
      outage.error = undefined;
      const next = await ledger.once(
        charging(term(33), { keyHonouredForMs: 0 }),
        chargeAt(downstream),
      );
      expect(next).toMatchObject(status === 'unknown' ? { status } : answer);
      expect(downstream.requests).toBe(0);
    },
  );

  it('that keeps an attempt from being taken back does not hide why leadership is over', async () => {
    const { clock, outage, ledger, downstream } = setUp();
    const leadership = term(33);
    const { opened, open } = gate();
    let checks = 0;
    const call = ledger.once(
      charging({
        fencingToken: 33,
        assertLeader: () => {
          checks += 1;
          if (checks === 2) {
            outage.error = unavailable;
            leadership.lose();
            open();
          }
          leadership.assertLeader();
        },
      }),
      chargeAt(downstream),
    );
    const outcome = ended(clock, call);
    await opened;
    expect(await outcome).toMatchObject({ code: 'LEASE_LOST' });
    outage.error = undefined;
    const never = charging(term(34), { keyHonouredForMs: 0 });
    expect(await ledger.once(never, chargeAt(downstream))).toMatchObject({ status: 'done' });
  });

  it('without an answer ends each call in time', async () => {
    const clock = new ManualClock();
    const hanging: LedgerStore = {
      name: 'memory',
      read: () => new Promise(() => {}),
      write: () => new Promise(() => {}),
      listUnfinished: () => new Promise(() => {}),
    };
    const ledger = createLedger({ store: hanging, clock, requestTimeoutMs: 100, retryForMs: 1 });
    const call = ledger
      .once(charging(term(33)), chargeAt(gateway()))
      .catch((error: unknown) => error);
    await clock.advance(100);
    expect(await call).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('ends the list, and so does the signal of its caller', async () => {
    const { clock, successor } = setUp();
    const store = {
      ...hooked(memoryLedgerStore(), {}),
      listUnfinished: () => Promise.reject(unavailable),
    };
    const failing = createLedger({ store, clock });
    expect(await ended(clock, collected(failing.unfinished()))).toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(collected(successor.unfinished({ signal }))).rejects.toThrow('enough');
  });
});
