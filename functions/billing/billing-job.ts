import {
  defineJob,
  monthly,
  type CatchUp,
  type Job,
  type JobLeadership,
  type JobRun,
} from 'tenure/jobs';
import { billingWork, type BillingLeadership, type BillingRun } from './billing-work.ts';
import type { PaymentGateway } from './payment-gateway.ts';

/** What the billing job needs. */
export interface BillingJobOptions extends Omit<BillingRun, 'onSettled' | 'period'> {
  /** First month to bill, `YYYY-MM`. */
  readonly startFrom: string;
  /** IANA time zone of the months. Default `UTC`. */
  readonly timeZone?: string;
  /** Name of the lease. Default `billing`. */
  readonly lease?: string;
  readonly catchUp?: CatchUp;
  readonly maxPeriodsPerRun?: number;
  /**
   * For how long the lease is renewed while the gateway is waited for, in milliseconds: at least as
   * long as the gateway may take. Default 60 000.
   */
  readonly chargeAtMostMs?: number;
}

/** The last customer before whom, and including whom, nobody is left to be charged. */
type Cursor = string;

/** Longest id that a cursor has room for, as JSON; after a longer one, the mark stays where it is. */
const maxCursorBytes = 200;

/**
 * The billing run as a job: each month is billed when it is over, each customer once.
 *
 * It has no `reconcile`: the gateway cannot be asked what became of a charge. Whoever finds out about
 * an `unknown` one settles it with `ledger.reconcile`, and the next sweep completes the month.
 *
 * @throws `TypeError` or `RangeError` as `defineJob`.
 */
export function billingJob(options: BillingJobOptions): Job<Cursor> {
  const { startFrom, timeZone = 'UTC', lease, catchUp, maxPeriodsPerRun, ...others } = options;
  const { chargeAtMostMs = 60_000, ...run } = others;
  return defineJob<Cursor>({
    name: 'billing',
    ...(lease !== undefined && { lease }),
    periods: monthly({ timeZone }),
    startFrom,
    ...(catchUp !== undefined && { catchUp }),
    ...(maxPeriodsPerRun !== undefined && { maxPeriodsPerRun }),
    parseCursor: (json) => (typeof json === 'string' ? json : undefined),
    run: async (jobRun) => {
      const { leadership, period } = jobRun;
      const gateway = whileRenewing(leadership, run.gateway, chargeAtMostMs);
      const onSettled = (how: 'charged' | 'declined'): void => jobRun.count(how);
      const work = billingWork({ ...run, gateway, period, onSettled });
      const summary = await work(leadershipOf(jobRun));
      return { unfinished: summary.failed.length, unknown: summary.unknown.length };
    },
  });
}

function leadershipOf(run: JobRun<Cursor>): BillingLeadership {
  const { cursor, leadership, period } = run;
  return {
    fencingToken: leadership.fencingToken,
    assertLeader: () => leadership.assertLeader(),
    progress: cursor === undefined ? undefined : { period, settledThrough: cursor },
    checkpoint: (progress) => run.checkpoint(cursorOf(progress?.settledThrough)),
  };
}

/**
 * Keeps the lease while the gateway is waited for: a customer with whom it takes long must not cost the
 * leadership each time, or nobody after that customer would ever be charged.
 */
function whileRenewing(
  leadership: JobLeadership,
  gateway: PaymentGateway,
  atMostMs: number,
): PaymentGateway {
  return {
    charge: (request, idempotencyKey) => {
      const answer = gateway.charge(request, idempotencyKey);
      // Nothing is made of how this ends: once the request is sent, only the answer says what happened.
      leadership.during(() => answer, { atMostMs }).catch(() => {});
      return answer;
    },
  };
}

function cursorOf(customerId: string | undefined): Cursor | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(customerId ?? '')).length;
  return bytes <= maxCursorBytes ? customerId : undefined;
}
