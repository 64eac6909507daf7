import { StaleTokenError } from 'tenure';
import {
  createLedger,
  idempotencyKeyOf,
  memoryLedgerStore,
  NotSentError,
  type Ledger,
} from 'tenure/ledger';
import { ManualClock, testLeadership, type TestLeadershipOptions } from 'tenure/testing';
import { describe, expect, it } from 'vitest';
import type { BillingProgress } from '../../../functions/billing/billing-progress.ts';
import { BillingStoppedError } from '../../../functions/billing/billing-tally.ts';
import { billingWork, type BillingRun } from '../../../functions/billing/billing-work.ts';
import type { ChargeStore } from '../../../functions/billing/charge-store.ts';
import { customersNamed, ScriptedChargeStore, ScriptedGateway } from './support.ts';
import { ChargesRefusedError } from '../../../functions/billing/charge-store.ts';

const period = '2026-10';
const customers = customersNamed('a', 'b', 'c', 'd', 'e');

function start(
  parts: Partial<BillingRun> = {},
  options: Partial<TestLeadershipOptions<BillingProgress>> = {},
) {
  const gateway = new ScriptedGateway();
  const charges = new ScriptedChargeStore();
  const leadership = testLeadership<BillingProgress>({ fencingToken: 33, ...options });
  const clock = new ManualClock();
  const ledger = createLedger({ store: memoryLedgerStore(), clock });
  const run = { customers, period, ledger, gateway, charges, ...parts };
  return { ledger, clock, gateway, charges, leadership, ended: billingWork(run)(leadership) };
}

async function unfinishedIn(ledger: Ledger): Promise<readonly (string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for await (const { key } of ledger.unfinished()) {
    ids.push(key[1]);
  }
  return ids;
}

const asked = (gateway: ScriptedGateway) => gateway.asked.map((request) => request.customerId);

describe('billingWork', () => {
  it('charges and records each customer once, under its own token', async () => {
    const { gateway, charges, ended } = start();
    expect(await ended).toEqual({ skipped: 0, charged: 5, declined: 0, unknown: [], failed: [] });
    expect(asked(gateway)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(charges.rows.map(({ customerId }) => customerId)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(charges.rows[1]).toEqual({
      customerId: 'b',
      period,
      amountMinor: 101,
      currency: 'EUR',
      chargeId: 'ch-b',
      fencingToken: 33,
    });
  });

  it('saves who is done at each customer, and never who is about to be charged', async () => {
    const { leadership, ended } = start();
    await ended;
    expect(leadership.checkpoints).toEqual([
      { period },
      ...['a', 'b', 'c', 'd', 'e'].map((settledThrough) => ({ period, settledThrough })),
    ]);
  });

  it.each([
    ['resumes after the customer that its progress names', 'c', ['d', 'e']],
    ['charges nobody when its progress names the last customer', 'e', []],
    ['starts anew when its progress names nobody in the list', 'gone', ['a', 'b', 'c', 'd', 'e']],
  ])('%s', async (_name, settledThrough, expected) => {
    const { gateway, ended } = start({}, { progress: { period, settledThrough } });
    expect(await ended).toMatchObject({ skipped: 5 - expected.length, charged: expected.length });
    expect(asked(gateway)).toEqual(expected);
  });

  it("starts anew when its progress is another period's", async () => {
    const { gateway, ended } = start({}, { progress: { period: '2026-09', settledThrough: 'e' } });
    await ended;
    expect(asked(gateway)).toHaveLength(5);
  });

  it("asks for each charge under the ledger's key, made of customer and period", async () => {
    const { gateway, ended } = start();
    await ended;
    expect(gateway.asked[1]).toMatchObject({
      customerId: 'b',
      idempotencyKey: idempotencyKeyOf(['billing', 'b', period]),
    });
  });

  it('takes a charge that was declined as final, and goes on', async () => {
    const gateway = new ScriptedGateway({ b: { status: 'declined' } });
    const { charges, ledger, leadership, ended } = start({ gateway });
    expect(await ended).toMatchObject({ charged: 4, declined: 1, unknown: [], failed: [] });
    expect(charges.rows.map(({ customerId }) => customerId)).toEqual(['a', 'c', 'd', 'e']);
    expect(leadership.checkpoints.at(-1)).toEqual({ period, settledThrough: 'e' });
    expect(await start({ ledger, gateway }).ended).toMatchObject({ charged: 4, declined: 1 });
    expect(asked(gateway)).toHaveLength(5);
  });

  it('asks nobody again whom the ledger has as charged', async () => {
    const { ledger, ended } = start();
    await ended;
    const next = start({ ledger }, { fencingToken: 34 });
    expect(await next.ended).toMatchObject({ skipped: 0, charged: 5 });
    expect(next.gateway.asked).toEqual([]);
  });

  it.each([
    ['the gateway gives no usable answer', 'unknown', new Error('no answer')],
    ['nothing could be sent', 'failed', new NotSentError('refused')],
  ])('goes on when %s, and leaves the mark before that customer', async (_what, kind, error) => {
    const { charges, ledger, leadership, ended } = start({
      gateway: new ScriptedGateway({ c: error }),
    });
    const counts = { skipped: 0, charged: 4, declined: 0, unknown: [], failed: [] };
    expect(await ended).toEqual({ ...counts, [kind]: [{ customerId: 'c', error }] });
    expect(charges.rows.map(({ customerId }) => customerId)).toEqual(['a', 'b', 'd', 'e']);
    expect(leadership.checkpoints.at(-1)).toEqual({ period, settledThrough: 'b' });
    expect(await unfinishedIn(ledger)).toEqual(kind === 'unknown' ? ['c'] : []);
  });

  it('counts a charge that cannot be recorded as unknown, and repeats it under the same key', async () => {
    const error = new Error('throttled');
    const gateway = new ScriptedGateway();
    const { ledger, leadership, ended } = start({
      gateway,
      charges: new ScriptedChargeStore({ a: error }),
    });
    expect(await ended).toMatchObject({ charged: 4, unknown: [{ customerId: 'a', error }] });
    expect(leadership.checkpoints.at(-1)).toEqual({ period });
    const next = start({ ledger, gateway }, { fencingToken: 34 });
    expect(await next.ended).toMatchObject({ charged: 5, unknown: [] });
    expect(asked(gateway)).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
    expect(gateway.asked.at(-1)?.idempotencyKey).toBe(gateway.asked[0]?.idempotencyKey);
    expect(await unfinishedIn(ledger)).toEqual([]);
  });

  it('leaves a charge alone whose key the gateway may have forgotten, and charges the others', async () => {
    const failing = new ScriptedGateway({ a: new Error('no answer'), c: new Error('no answer') });
    const first = start({ gateway: failing, keyHonouredForMs: 7_200_000 });
    await first.ended;
    first.clock.advanceWall(3_600_000);
    const { ledger } = first;
    const next = start({ ledger, keyHonouredForMs: 7_200_000, maxFailuresInARow: 1 });
    expect(await next.ended).toMatchObject({
      charged: 3,
      unknown: [
        { customerId: 'a', error: undefined },
        { customerId: 'c', error: undefined },
      ],
    });
    expect(next.gateway.asked).toEqual([]);
    expect(next.leadership.checkpoints.at(-1)).toEqual({ period });
  });

  it('fails for a customer whose charge has changed since it was asked for', async () => {
    const { ledger, ended } = start();
    await ended;
    const changed = customers.map((customer) =>
      customer.id === 'b' ? { ...customer, amountMinor: 1 } : customer,
    );
    expect(await start({ ledger, customers: changed }).ended).toMatchObject({
      charged: 4,
      failed: [{ customerId: 'b', error: { code: 'LEDGER_REQUEST_CHANGED' } }],
    });
  });

  it('does not stop for charges that have changed, of which the gateway is not asked', async () => {
    const { ledger, ended } = start({ customers: customers.slice(0, 4) });
    await ended;
    const raised = customers.map((customer) => ({ ...customer, amountMinor: 1 }));
    const next = start({ ledger, customers: raised });
    expect(await next.ended).toMatchObject({ charged: 1, failed: { length: 4 } });
    expect(asked(next.gateway)).toEqual(['e']);
  });

  it('stops at once where no charge can be recorded', async () => {
    const refused = new ChargesRefusedError('the table charges', new Error('gone'));
    const charges = new ScriptedChargeStore({ b: refused });
    const { gateway, ended } = start({ charges });
    await expect(ended).rejects.toMatchObject({ name: 'BillingStoppedError', cause: refused });
    expect(asked(gateway)).toEqual(['a', 'b']);
  });

  it('stops after three failures in a row', async () => {
    const down = new Error('down');
    const gateway = new ScriptedGateway({ b: down, c: down, d: down });
    const { ended } = start({ gateway });
    await expect(ended).rejects.toBeInstanceOf(BillingStoppedError);
    await expect(ended).rejects.toMatchObject({
      name: 'BillingStoppedError',
      cause: down,
      failures: [{ customerId: 'b' }, { customerId: 'c' }, { customerId: 'd' }],
    });
    expect(asked(gateway)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not stop for failures with a success between them', async () => {
    const down = new Error('down');
    const { ended } = start({
      gateway: new ScriptedGateway({ a: down, c: down, e: down }),
      maxFailuresInARow: 2,
    });
    expect(await ended).toMatchObject({ charged: 2, unknown: { length: 3 } });
  });

  it('lets a stale token through and charges nobody else', async () => {
    const stale = new StaleTokenError('a newer leader wrote', {
      store: 'test',
      fencingToken: 33,
      highestToken: 34,
    });
    const wrapped = new Error('could not record', { cause: stale });
    const { gateway, ended } = start({ charges: new ScriptedChargeStore({ b: wrapped }) });
    await expect(ended).rejects.toBe(wrapped);
    expect(asked(gateway)).toEqual(['a', 'b']);
  });

  it('lets a stale token through although a newer leader has settled the charge', async () => {
    const stale = new StaleTokenError('a newer leader wrote', {
      store: 'test',
      fencingToken: 33,
      highestToken: 34,
    });
    const store = memoryLedgerStore();
    const successor = createLedger({ store });
    const charges: ChargeStore = {
      record: async ({ customerId }) => {
        const key = ['billing', customerId, period];
        const request = { customerId, period, amountMinor: 100, currency: 'EUR' };
        const leadership = testLeadership({ fencingToken: 34 });
        const options = { key, leadership, request, keyHonouredForMs: 86_400_000 };
        await successor.once(options, async () => ({ status: 'done' }));
        throw stale;
      },
    };
    const gateway = new ScriptedGateway();
    const { ended } = start({ ledger: createLedger({ store }), gateway, charges });
    await expect(ended).rejects.toBe(stale);
    expect(asked(gateway)).toEqual(['a']);
  });

  it('asks for no charge once another leads, even between two checkpoints', async () => {
    const clock = new ManualClock();
    const gateway = new ScriptedGateway();
    const ledger = createLedger({ store: memoryLedgerStore() });
    const { ended } = start(
      {
        gateway,
        ledger: {
          once: async (options, effect) => {
            await clock.advance(options.key.includes('c') ? 20_000 : 0);
            return ledger.once(options, effect);
          },
        },
      },
      { clock },
    );
    await expect(ended).rejects.toMatchObject({ code: 'LEASE_LOST', reason: 'expired' });
    expect(asked(gateway)).toEqual(['a', 'b']);
  });

  it.each([
    ['LEASE_LOST', { loseAtCheckpoint: 3 }],
    ['BUDGET_SPENT', { spendBudgetAtCheckpoint: 3 }],
  ])('ends with %s at the checkpoint that says so', async (code, options) => {
    const { gateway, charges, ended } = start({}, options);
    await expect(ended).rejects.toMatchObject({ code });
    expect(asked(gateway)).toEqual(['a', 'b']);
    expect(charges.rows).toHaveLength(2);
  });
});
