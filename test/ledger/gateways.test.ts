import { describe, expect, it } from 'vitest';
import { createLedger, memoryLedgerStore, type Effect } from '../../src/ledger/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import {
  chargeAt,
  charging,
  collected,
  dayMs,
  gateway,
  hourMs,
  term,
  type Gateway,
} from './bench.ts';

const setUp = () => {
  const clock = new ManualClock();
  const store = memoryLedgerStore();
  return { clock, store, ledger: createLedger({ store, clock }), downstream: gateway() };
};

/** Charges, and then the answer does not come. */
const timesOut = (downstream: Gateway): Effect => {
  return async ({ idempotencyKey }) => {
    downstream.charge(idempotencyKey);
    throw new DOMException('no answer within 60 s', 'TimeoutError');
  };
};

/** Charges, and answers 500 all the same. */
const failsAfterCharging = (downstream: Gateway): Effect => {
  return async ({ idempotencyKey }) => {
    downstream.charge(idempotencyKey);
    throw new Error('the gateway answered 500');
  };
};

const never = { keyHonouredForMs: 0 };

describe('a payment gateway', () => {
  it.each([
    ['times out but has charged', timesOut],
    ['answers 500 and has charged', failsAfterCharging],
  ])('that %s is asked again under the same key, and has charged once', async (_name, breaks) => {
    const { ledger, downstream } = setUp();
    expect(await ledger.once(charging(term(33)), breaks(downstream))).toMatchObject({
      status: 'unknown',
      entry: { state: 'unknown', fencingToken: 33 },
    });
    expect(await ledger.once(charging(term(34)), chargeAt(downstream))).toEqual({
      status: 'done',
      result: { chargeId: 'ch-1' },
    });
    expect(downstream).toMatchObject({ requests: 2, charged: [expect.any(String)] });
    expect(await collected(ledger.unfinished())).toEqual([]);
  });

  it('that charges twice for a key it does not know is not asked again without a person', async () => {
    const { clock, ledger, downstream } = setUp();
    const firstAttemptMs = clock.wallMs();
    await ledger.once(charging(term(33), never), timesOut(downstream));
    downstream.prune();
    await clock.advance(hourMs);
    expect(await ledger.once(charging(term(34), never), chargeAt(downstream))).toMatchObject({
      status: 'unknown',
    });
    expect(downstream.requests).toBe(1);
    const [entry, ...others] = await collected(ledger.unfinished());
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      key: ['billing', 'c-001', '2026-10'],
      idempotencyKey: downstream.charged[0],
      state: 'unknown',
      firstAttemptMs,
    });
    const settled = entry && (await ledger.reconcile(entry, { status: 'done', result: 'ch-1' }));
    expect(settled).toMatchObject({ reconciled: true, entry: { state: 'done', result: 'ch-1' } });
    expect(await ledger.once(charging(term(35), never), chargeAt(downstream))).toEqual({
      status: 'done',
      result: 'ch-1',
    });
    expect(downstream.requests).toBe(1);
    expect(await collected(ledger.unfinished())).toEqual([]);
  });

  it('that forgets keys after a day is asked again until an hour before, and not after', async () => {
    const { clock, ledger, downstream } = setUp();
    await ledger.once(charging(term(33)), timesOut(downstream));
    await clock.advance(23 * hourMs - 1);
    await ledger.once(charging(term(34)), timesOut(downstream));
    expect(downstream).toMatchObject({ requests: 2, charged: [expect.any(String)] });
    await clock.advance(hourMs);
    downstream.prune();
    expect(await ledger.once(charging(term(35)), chargeAt(downstream))).toMatchObject({
      status: 'unknown',
    });
    expect(downstream.requests).toBe(2);
    expect(await collected(ledger.unfinished())).toMatchObject([{ state: 'unknown' }]);
  });

  it('that was asked by a process that died is left for a person once the key is forgotten', async () => {
    const { clock, ledger, downstream, store } = setUp();
    const died = createLedger({ store, clock });
    void died.once(charging(term(33)), () => new Promise(() => {}));
    await clock.advance(dayMs);
    expect(await collected(ledger.unfinished())).toMatchObject([{ state: 'pending' }]);
    await ledger.once(charging(term(34)), chargeAt(downstream));
    expect(await collected(ledger.unfinished())).toMatchObject([{ state: 'unknown' }]);
    expect(downstream.requests).toBe(0);
  });

  it('that declines is not asked again, and leaves nothing for a person', async () => {
    const { clock, ledger, downstream } = setUp();
    const decline: Effect = async () => ({ status: 'declined', result: 'no funds' });
    const declined = await ledger.once(charging(term(33)), decline);
    expect(declined).toEqual({ status: 'declined', result: 'no funds' });
    await clock.advance(2 * dayMs);
    expect(await ledger.once(charging(term(34)), chargeAt(downstream))).toEqual(declined);
    expect(downstream.requests).toBe(0);
    expect(await collected(ledger.unfinished())).toEqual([]);
  });
});
