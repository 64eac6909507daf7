import { isLeadershipOver, type Leadership } from 'tenure';
import type { ChargeStore } from './charge-store.ts';
import { customersAfter, type BillingProgress } from './billing-progress.ts';
import type { Customer } from './customers.ts';
import type { PaymentGateway } from './payment-gateway.ts';

/** What a billing run needs. */
export interface BillingRun {
  /** In an order that does not change between attempts. */
  readonly customers: readonly Customer[];
  /** `YYYY-MM`. */
  readonly period: string;
  readonly gateway: PaymentGateway;
  readonly charges: ChargeStore;
  /** Stop after so many failures in a row: the fault is not the customers'. Default 3. */
  readonly maxFailuresInARow?: number;
}

/** The part of a leadership that billing uses. */
export type BillingLeadership = Pick<
  Leadership<BillingProgress>,
  'fencingToken' | 'progress' | 'checkpoint'
>;

/** One customer who could not be charged, or whose charge could not be recorded. */
interface BillingFailure {
  readonly customerId: string;
  readonly error: unknown;
}

/** What one attempt did. Its numbers add up to the number of customers. */
export interface BillingSummary {
  /** Customers whom the saved progress showed to be settled. */
  readonly skipped: number;
  /** Customers charged and recorded, or found to be charged already when the request was repeated. */
  readonly charged: number;
  readonly declined: number;
  /** Customers that the next attempt must repeat; the period is complete if there are none. */
  readonly failed: readonly BillingFailure[];
}

/** So many customers failed one after the other that the run was stopped. */
export class BillingStoppedError extends Error {
  override readonly name = 'BillingStoppedError';
  /** The customers of the last failures, oldest first. */
  readonly failures: readonly BillingFailure[];

  constructor(failures: readonly BillingFailure[]) {
    super(`stopped after ${failures.length} failures in a row`, { cause: failures.at(-1)?.error });
    this.failures = failures;
  }
}

/**
 * The nightly billing run, as work for `election.lead` or `election.campaign`: charges each customer
 * once for the period, resuming where the last leader's saved progress stood.
 *
 * Each customer is charged under a key made of customer and period, then recorded in a fenced write.
 * One customer's failure does not stop the others, but holds the saved mark where it is, so that
 * the next attempt comes back to it.
 *
 * @throws {@link BillingStoppedError} after a run of failures, and whatever says that the leadership
 *   is over.
 */
export function billingWork(
  run: BillingRun,
): (leadership: BillingLeadership) => Promise<BillingSummary> {
  const { customers, period, maxFailuresInARow = 3 } = run;
  return async (leadership) => {
    let done: BillingProgress =
      leadership.progress?.period === period ? leadership.progress : { period };
    const left = customersAfter(done, customers);
    const count = { charged: 0, declined: 0 };
    const failed: BillingFailure[] = [];
    let failedInARow = 0;
    for (const customer of left) {
      await leadership.checkpoint(done);
      try {
        count[await bill(customer, run, leadership.fencingToken)] += 1;
        failedInARow = 0;
      } catch (error) {
        if (isLeadershipOver(error)) {
          throw error;
        }
        failed.push({ customerId: customer.id, error });
        failedInARow += 1;
        if (failedInARow === maxFailuresInARow) {
          throw new BillingStoppedError(failed.slice(-failedInARow));
        }
      }
      if (failed.length === 0) {
        done = { period, settledThrough: customer.id };
      }
    }
    await leadership.checkpoint(done);
    return { skipped: customers.length - left.length, ...count, failed };
  };
}

/**
 * Charges and records one customer. No check of the leadership stands before either: the gateway is
 * kept from charging twice by the key, the table from stale rows by the token.
 */
async function bill(
  customer: Customer,
  { gateway, charges, period }: BillingRun,
  fencingToken: number,
): Promise<'charged' | 'declined'> {
  const { id: customerId, amountMinor, currency } = customer;
  const charge = { customerId, period, amountMinor, currency };
  const answer = await gateway.charge(charge);
  await charges.record({ ...charge, ...answer }, fencingToken);
  return answer.status;
}
