import type { Flapping } from '../core/term-history.ts';
import type { IdleReason } from './plan.ts';

/** What became of one period in one invocation. */
export interface PeriodOutcome {
  readonly period: string;
  /**
   * `completed`: nothing is left. `unfinished`: items must be tried again. `stuck`: only items with
   * an unknown outcome are left. `paused`: the time budget was spent. `lost`: the leadership was, in
   * mid-run or before what the sweep found was stored. `failed`: the run threw.
   */
  readonly end: 'completed' | 'unfinished' | 'stuck' | 'paused' | 'lost' | 'failed';
  /** Items that must be tried again; absent where the sweep did not come to its end. */
  readonly unfinished?: number;
  /** Items of which nobody knows; absent likewise. */
  readonly unknown?: number;
  /** What the last sweep counted from its first item on, over all its invocations. */
  readonly counts: Readonly<Record<string, number>>;
  readonly durationMs: number;
}

/** How one invocation of a job ended; JSON throughout, for logs and metrics. */
export interface JobOutcome {
  readonly job: string;
  readonly lease: string;
  /** Who ran: the identity of the election and the label of the invocation. */
  readonly identity: string;
  /** By what ids others know this attempt. */
  readonly attempt: Readonly<Record<string, string>>;
  readonly trigger: { readonly nominalTime?: string; readonly period?: string };
  /**
   * `led`: worked as the leader. `followed`: another leads. `lost`: led, and no longer did before the
   * work was over. `idle`: neither was needed. `failed`: an error, which the call rejects with.
   */
  readonly status: 'led' | 'followed' | 'lost' | 'idle' | 'failed';
  /** Why, or how far; see {@link OutcomeReason}. */
  readonly reason: OutcomeReason;
  /** Token of the term; absent where none began. */
  readonly fencingToken?: number;
  /** The leader that was followed, where one was seen. */
  readonly leader?: string;
  /** What was worked for, in this order. */
  readonly periods: readonly PeriodOutcome[];
  /**
   * Due periods that are not complete according to what is stored by now, oldest first; at most 20
   * of them.
   */
  readonly incomplete: readonly string[];
  /** How many there are. */
  readonly incompleteCount: number;
  /** Those of which only items with an unknown outcome are left: a person must look at them. */
  readonly stuck: readonly string[];
  /** Everything from `startFrom` up to this period is complete, or was passed over. */
  readonly completedThrough?: string;
  /**
   * For how long the oldest incomplete period has been due, in seconds; 0 if there is none. Absent
   * where the record could not be read.
   */
  readonly periodLagSeconds?: number;
  /** The least that was seen to be left of the leadership, in milliseconds; 0 if it expired. */
  readonly leaseHeadroomMs?: number;
  /** Renewals that succeeded. */
  readonly renewals: number;
  readonly durationMs: number;
  /** Leaders keep dying or losing the lease. */
  readonly flapping?: Flapping;
  /**
   * What went wrong; without a stack, which goes to the log with the rejection. With `led`: why the
   * lease may not be free, and what the run came to may not be stored.
   */
  readonly error?: {
    readonly name: string;
    readonly message: string;
    readonly code?: string;
    readonly cause?: string;
  };
}

/**
 * - `led`: `completed`, `unfinished` or `stuck`, the worst of its periods; `paused`, to be gone on with
 *   by the next invocation; `nothing-due`, since another had completed everything meanwhile.
 * - `followed`: `held`, `lost-race`, `cannot-age`, `busy`, as `Outcome` has them.
 * - `lost`: `taken-over`, `expired`.
 * - `idle`: see {@link IdleReason}.
 * - `failed`: `work`, the run threw; `store`, the lease could not be had for an error; `aborted`, by the
 *   caller's signal; `configuration`, the trigger or its surroundings are not as they must be.
 */
export type OutcomeReason =
  | 'completed'
  | 'unfinished'
  | 'stuck'
  | 'paused'
  | 'held'
  | 'lost-race'
  | 'cannot-age'
  | 'busy'
  | 'taken-over'
  | 'expired'
  | 'work'
  | 'store'
  | 'aborted'
  | 'configuration'
  | IdleReason;
