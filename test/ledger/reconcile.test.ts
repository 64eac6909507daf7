import { describe, expect, it } from 'vitest';
import { createLedger, memoryLedgerStore, type LedgerEntry } from '../../src/ledger/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { OutcomeUnknownError } from '../../src/core/errors.ts';
import { chargeAt, charging, collected, gateway, hooked, term } from './bench.ts';

/** A ledger with one unknown entry, as a person sees it. */
const withUnknown = async () => {
  const store = memoryLedgerStore();
  const ledger = createLedger({ store, clock: new ManualClock() });
  await ledger.once(charging(term(33)), () => Promise.reject(new Error('no answer')));
  const [entry] = await collected(ledger.unfinished());
  return { store, ledger, entry: entry as LedgerEntry };
};

describe('reconcile', () => {
  it('settles an entry for good', async () => {
    const { ledger, entry } = await withUnknown();
    const result = await ledger.reconcile(entry, { status: 'done', result: { chargeId: 'ch-9' } });
    expect(result).toEqual({
      reconciled: true,
      entry: { ...entry, state: 'done', result: { chargeId: 'ch-9' }, version: expect.any(String) },
    });
    const downstream = gateway();
    expect(await ledger.once(charging(term(34)), chargeAt(downstream))).toEqual({
      status: 'done',
      result: { chargeId: 'ch-9' },
    });
    expect(downstream.requests).toBe(0);
  });

  it('changes nothing if the entry has moved on since it was looked at', async () => {
    const { ledger, entry } = await withUnknown();
    await ledger.once(charging(term(34)), async () => ({ status: 'done', result: 'by a leader' }));
    expect(await ledger.reconcile(entry, { status: 'declined' })).toMatchObject({
      reconciled: false,
      found: { state: 'done', result: 'by a leader' },
    });
    const newer = await withUnknown();
    await newer.ledger.once(charging(term(34)), () => Promise.reject(new Error('again')));
    expect(await newer.ledger.reconcile(newer.entry, { status: 'done' })).toMatchObject({
      reconciled: false,
      found: { state: 'unknown', fencingToken: 34 },
    });
  });

  it('succeeds again with the same finding, and not with another', async () => {
    const { ledger, entry } = await withUnknown();
    const finding = { status: 'done', result: { b: 1, a: [2] } } as const;
    const first = await ledger.reconcile(entry, finding);
    expect(await ledger.reconcile(entry, { ...finding, result: { a: [2], b: 1 } })).toEqual(first);
    expect(await ledger.reconcile(entry, { status: 'done' })).toMatchObject({ reconciled: false });
    expect(await ledger.reconcile(entry, { status: 'declined' })).toMatchObject({
      reconciled: false,
    });
  });

  it('settles it once when the reply to its write is lost', async () => {
    const { store, entry } = await withUnknown();
    const losing = hooked(store, {
      after: (operation, count) =>
        operation === 'write' && count === 1
          ? Promise.reject(new OutcomeUnknownError('no answer', { store: 'memory' }))
          : undefined,
    });
    const ledger = createLedger({ store: losing });
    expect(await ledger.reconcile(entry, { status: 'done' })).toMatchObject({ reconciled: true });
  });

  it('finds nothing where each attempt was taken back', async () => {
    const ledger = createLedger({ store: memoryLedgerStore(), clock: new ManualClock() });
    const { entry } = await withUnknown();
    expect(await ledger.reconcile(entry, { status: 'done' })).toEqual({
      reconciled: false,
      found: undefined,
    });
  });
});
