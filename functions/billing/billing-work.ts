import { isLeadershipOver, type Leadership } from 'tenure';
import type { Ledger, OnceOutcome } from 'tenure/ledger';
import { customersAfter, type BillingProgress } from './billing-progress.ts';
import {
  BillingStoppedError,
  BillingTally,
  isComplete,
  type BillingSummary,
} from './billing-tally.ts';
import { chargeKey } from './charge-key.ts';
import { ChargesRefusedError, type ChargeStore } from './charge-store.ts';
import type { Customer } from './customers.ts';
import type { ChargeRequest, PaymentGateway } from './payment-gateway.ts';

/** What a billing run needs. */
export interface BillingRun {
  /** In an order that does not change between attempts. */
  readonly customers: readonly Customer[];
  /** `YYYY-MM`. */
  readonly period: string;
  /** Where each charge is on record before the gateway is asked for it. */
  readonly ledger: Pick<Ledger, 'once'>;
  readonly gateway: PaymentGateway;
  readonly charges: ChargeStore;
  /** How long the gateway honours an idempotency key, in milliseconds. Default 24 hours. */
  readonly keyHonouredForMs?: number;
  /** Stop after so many failures in a row: the fault is not the customers'. Default 3. */
  readonly maxFailuresInARow?: number;
  /** Told of each customer who is settled, as it happens. */
  readonly onSettled?: (how: 'charged' | 'declined') => void;
}

/** The part of a leadership that billing uses. */
export type BillingLeadership = Pick<
  Leadership<BillingProgress>,
  'assertLeader' | 'checkpoint' | 'fencingToken' | 'progress'
>;

/**
 * The nightly billing run, as work for `election.lead` or `election.campaign`: charges each customer
 * once for the period, resuming where the last leader's saved progress stood.
 *
 * Each charge goes through the ledger, under a key made of customer and period, and is recorded in a
 * fenced write. One customer's failure does not stop the others, but holds the saved mark where it
 * is, so that the next attempt comes back to it. The period is complete only when nobody is left
 * `failed` or `unknown`.
 *
 * @throws `BillingStoppedError` after a run of failures, and whatever says that the leadership is
 *   over.
 */
export function billingWork(
  run: BillingRun,
): (leadership: BillingLeadership) => Promise<BillingSummary> {
  const { customers, period, maxFailuresInARow = 3 } = run;
  return async (leadership) => {
    let done: BillingProgress =
      leadership.progress?.period === period ? leadership.progress : { period };
    const left = customersAfter(done, customers);
    const tally = new BillingTally(maxFailuresInARow);
    for (const customer of left) {
      await leadership.checkpoint(done);
      await bill(customer, { run, leadership, tally });
      if (isComplete(tally.counts)) {
        done = { period, settledThrough: customer.id };
      }
    }
    await leadership.checkpoint(done);
    return { skipped: customers.length - left.length, ...tally.counts };
  };
}

/** Whether the customer has been asked for another amount in this period; that is a person's to settle. */
function isChanged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'LEDGER_REQUEST_CHANGED';
}

interface Attempt {
  readonly run: BillingRun;
  readonly leadership: BillingLeadership;
  readonly tally: BillingTally;
}

/** Charges one customer and counts what came of it. */
async function bill(customer: Customer, { run, leadership, tally }: Attempt): Promise<void> {
  const customerId = customer.id;
  let outcome: OnceOutcome;
  try {
    outcome = await chargeOnce(customer, run, leadership);
  } catch (error) {
    if (isLeadershipOver(error)) {
      throw error;
    }
    if (error instanceof ChargesRefusedError) {
      // The next customer would be charged, and not recorded, too.
      throw new BillingStoppedError([{ customerId, error }]);
    }
    if (isChanged(error)) {
      tally.changed({ customerId, error });
    } else {
      tally.failed({ customerId, error });
    }
    return;
  }
  if (outcome.status === 'unknown') {
    tally.unknown({ customerId, error: outcome.error });
  } else {
    tally.settled(outcome.status);
    run.onSettled?.(outcome.status === 'done' ? 'charged' : 'declined');
  }
}

/**
 * Charges and records one customer. The ledger looks at the leadership right before the gateway is
 * asked; nothing does before the row is written, since the store judges its token.
 */
async function chargeOnce(
  { id: customerId, amountMinor, currency }: Customer,
  { ledger, gateway, charges, period, keyHonouredForMs = 86_400_000 }: BillingRun,
  leadership: BillingLeadership,
): Promise<OnceOutcome> {
  const { fencingToken } = leadership;
  const request: ChargeRequest = { customerId, period, amountMinor, currency };
  let refusal: unknown;
  const outcome = ledger.once(
    { key: chargeKey(customerId, period), leadership, request, keyHonouredForMs },
    async ({ idempotencyKey }) => {
      const answer = await gateway.charge(request, idempotencyKey);
      if (answer.status === 'declined') {
        return { status: 'declined' };
      }
      const { chargeId } = answer;
      try {
        await charges.record({ ...request, chargeId }, fencingToken);
      } catch (error) {
        refusal = error;
        throw error;
      }
      return { status: 'done', result: { chargeId } };
    },
  );
  await Promise.allSettled([outcome]);
  // A newer leader may have settled the entry, and then it is `done`; this term is over all the same.
  if (isLeadershipOver(refusal) || refusal instanceof ChargesRefusedError) {
    throw refusal;
  }
  return outcome;
}
