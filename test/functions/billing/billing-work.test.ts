import { StaleTokenError } from 'tenure';
import { testLeadership, type TestLeadershipOptions } from 'tenure/testing';
import { describe, expect, it } from 'vitest';
import type { BillingProgress } from '../../../functions/billing/billing-progress.ts';
import {
  BillingStoppedError,
  billingWork,
  type BillingRun,
} from '../../../functions/billing/billing-work.ts';
import { customersNamed, ScriptedChargeStore, ScriptedGateway } from './support.ts';

const period = '2026-10';
const customers = customersNamed('a', 'b', 'c', 'd', 'e');

function start(
  parts: Partial<BillingRun> = {},
  options: Partial<TestLeadershipOptions<BillingProgress>> = {},
) {
  const gateway = new ScriptedGateway();
  const charges = new ScriptedChargeStore();
  const leadership = testLeadership<BillingProgress>({ fencingToken: 33, ...options });
  const run = { customers, period, gateway, charges, ...parts };
  return { gateway, charges, leadership, ended: billingWork(run)(leadership) };
}

const asked = (gateway: ScriptedGateway) => gateway.asked.map((request) => request.customerId);

describe('billingWork', () => {
  it('charges and records each customer once, under its own token', async () => {
    const { gateway, charges, ended } = start();
    expect(await ended).toEqual({ skipped: 0, charged: 5, declined: 0, failed: [] });
    expect(asked(gateway)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(charges.rows.map(({ customerId }) => customerId)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(charges.rows[1]).toEqual({
      customerId: 'b',
      period,
      amountMinor: 101,
      currency: 'EUR',
      status: 'charged',
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

  it('records that a charge was declined and goes on', async () => {
    const { charges, leadership, ended } = start({
      gateway: new ScriptedGateway({ b: { status: 'declined' } }),
    });
    expect(await ended).toMatchObject({ charged: 4, declined: 1, failed: [] });
    expect(charges.rows[1]).toMatchObject({ customerId: 'b', status: 'declined' });
    expect(leadership.checkpoints.at(-1)).toEqual({ period, settledThrough: 'e' });
  });

  it('goes on after a failure of the gateway, and leaves the mark before that customer', async () => {
    const error = new Error('no answer');
    const { charges, leadership, ended } = start({ gateway: new ScriptedGateway({ c: error }) });
    expect(await ended).toEqual({
      skipped: 0,
      charged: 4,
      declined: 0,
      failed: [{ customerId: 'c', error }],
    });
    expect(charges.rows.map(({ customerId }) => customerId)).toEqual(['a', 'b', 'd', 'e']);
    expect(leadership.checkpoints.at(-1)).toEqual({ period, settledThrough: 'b' });
  });

  it('counts a charge that cannot be recorded as a failure', async () => {
    const error = new Error('throttled');
    const { leadership, ended } = start({ charges: new ScriptedChargeStore({ a: error }) });
    expect(await ended).toMatchObject({ charged: 4, failed: [{ customerId: 'a', error }] });
    expect(leadership.checkpoints.at(-1)).toEqual({ period });
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
    expect(await ended).toMatchObject({ charged: 2, failed: { length: 3 } });
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
