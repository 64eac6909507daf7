import type { ParseProgress } from '../core/progress.ts';
import type { Leadership } from '../core/leadership.ts';
import type { Periods } from './periods/periods.ts';

/**
 * Which periods are worked for when some were missed.
 *
 * - `all`: every due period since `startFrom` that is not complete.
 * - `latest`: only the newest due one; older ones that no run has begun are passed over for good.
 * - `none`: as `latest`, and only within an hour of its becoming due.
 *
 * A period that a run has begun, and of which the record tells so, is finished in any case. What was
 * passed over counts as complete, also for a trigger that names it.
 */
export type CatchUp = 'all' | 'latest' | 'none';

/** What one sweep over a period's items found at its end. */
export interface SweepResult {
  /** Items that must be tried again. */
  readonly unfinished: number;
  /** Items of which nobody knows whether they took effect. */
  readonly unknown: number;
}

/** What a run may ask of the leadership. Renewals come from {@link JobRun.checkpoint}. */
export type JobLeadership = Pick<
  Leadership,
  'assertLeader' | 'during' | 'fencingToken' | 'remainingMs' | 'signal'
>;

/** One run for one period, as the job's `run` sees it. */
export interface JobRun<Cursor = unknown> {
  /** Name of the period, such as `2026-11`. */
  readonly period: string;
  readonly leadership: JobLeadership;
  /**
   * What an earlier run of this period saved last; `undefined` at the beginning of a sweep. A
   * shortcut: an item that it skips must be settled for good.
   */
  readonly cursor: Cursor | undefined;
  /**
   * Call it from the work loop, as `leadership.checkpoint`. Saves the cursor and the counts with the
   * renewals.
   *
   * @param cursor - JSON, at most 200 bytes of UTF-8. Says what is done: the last item before which,
   *   and including which, nothing is left. Nothing keeps the last one.
   * @throws `LeaseLostError` or `BudgetSpentError` when the leadership is over. Let it through: a sweep
   *   that it cut short is not at its end, whatever `run` resolves to.
   * @throws `TypeError` if `cursor` is not JSON, `RangeError` if it is too long.
   */
  checkpoint(this: void, cursor?: Cursor): Promise<void>;
  /**
   * Counts what this sweep did, over all its invocations, for the outcome and for people. A sweep that
   * begins at the first item begins at 0.
   *
   * @param name - At most 6 different ones, each of 1 to 12 letters, such as `charged`.
   * @param by - Default 1.
   * @throws `TypeError` or `RangeError` naming what does not fit.
   */
  count(this: void, name: string, by?: number): void;
}

/** What {@link JobDefinition.reconcile} is given. */
export type Reconciliation = Omit<JobRun, 'cursor' | 'checkpoint' | 'count'> & {
  /** Call it between two requests: renews when due. */
  checkpoint(this: void): Promise<void>;
};

/** What `defineJob` takes. */
export interface JobDefinition<Cursor> {
  /** 1 to 64 characters; part of events and metrics. */
  readonly name: string;
  /** Name of the lease. Default the name of the job. */
  readonly lease?: string;
  /** The periods that the job works for, such as `monthly({ timeZone: 'Europe/Berlin' })`. */
  readonly periods: Periods;
  /** First period to work for. Required: a first deployment must not bill history by surprise. */
  readonly startFrom: string;
  /** Default `all`. */
  readonly catchUp?: CatchUp;
  /** Most periods that one invocation works for, stuck ones not counted. Default 7. */
  readonly maxPeriodsPerRun?: number;
  /** Reads what this or another version of the code saved as cursor; as `parseProgress`. */
  readonly parseCursor?: ParseProgress<Cursor>;
  /**
   * Works for one period: goes over its items in an order that does not change between runs, from
   * the cursor on, and resolves to what is left. The period is complete when nothing is.
   *
   * An item that fails is counted and must not stop the others. A run of failures must stop the run,
   * by an error: the fault is not the items'. The invocation then fails, and works for no other period;
   * the next one begins with those that have not had a turn.
   */
  readonly run: (run: JobRun<Cursor>) => Promise<SweepResult>;
  /**
   * Finds out about items whose outcome is unknown, such as by asking the downstream, and settles
   * them. Called before a period whose last sweep left such items is swept again. If it rejects, the
   * period is not swept this time, the others have their turn, and then the run rejects with that.
   */
  readonly reconcile?: (reconciliation: Reconciliation) => Promise<void>;
}

/** A job, checked and with its defaults. Made by {@link defineJob}. */
export interface Job<Cursor = unknown> {
  readonly name: string;
  readonly lease: string;
  readonly periods: Periods;
  readonly startFrom: string;
  readonly catchUp: CatchUp;
  readonly maxPeriodsPerRun: number;
  readonly parseCursor: ParseProgress<Cursor> | undefined;
  readonly run: JobDefinition<Cursor>['run'];
  readonly reconcile: JobDefinition<Cursor>['reconcile'];
}
