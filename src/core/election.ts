import type { Budget } from './budget.ts';
import type { Clock } from './clock.ts';
import type { Work } from './leadership.ts';
import type { LeaseStore, PastTerm } from './lease-store.ts';
import type { ElectionObserver } from './observer.ts';
import type { LeaderView, Outcome } from './outcome.ts';
import type { ParseProgress } from './progress.ts';
import type { TimingOptions } from './timing.ts';

/** Options of {@link createElection}. */
export interface ElectionOptions<Progress> {
  /** Where the lease is kept. */
  readonly store: LeaseStore;
  /** Name of the lease, 1 to 256 bytes of UTF-8. All candidates of one election give the same. */
  readonly lease: string;
  /** Name of this process, unique, 1 to 256 bytes of UTF-8. Default host, process id and chance. */
  readonly identity?: string;
  /** Default a lease of 15 s; see {@link TimingOptions}. */
  readonly timing?: TimingOptions;
  /**
   * Reads what this or another version of the code left behind as progress; `undefined` or a
   * throw if it is of no use. Default: the JSON as it is.
   */
  readonly parseProgress?: ParseProgress<Progress>;
  /** The lowest token that may be minted; for a store that lost its records. Default 1. */
  readonly minimumToken?: number;
  /** First token of a lease that nobody ever held. Default above the wall clock's milliseconds. */
  readonly firstToken?: number;
  /** Default the system's clocks. */
  readonly clock?: Clock;
  /** Source of jitter, from 0 up to 1. Default `Math.random`. */
  readonly random?: () => number;
  /** Told what happens, for logs and metrics. */
  readonly observer?: ElectionObserver;
}

/**
 * How long to wait for a lease that another holds: not at all; until it is won, or its holder is
 * seen alive, or silent for its recorded duration and then taken over; or milliseconds.
 */
export type Wait = 'none' | 'one-lease' | number;

/** Options of {@link Election.lead}. */
export interface LeadOptions {
  /** Default `one-lease`. */
  readonly wait?: Wait;
  /** Ends the attempt: the leadership is over, and `lead` rejects with this signal's reason. */
  readonly signal?: AbortSignal;
  /** Time that is left to wait and to work. Default unlimited. */
  readonly budget?: Budget;
  /** Stored behind the identity as `identity/label`, for example an invocation id. */
  readonly label?: string;
}

/** Options of calls that go on until they are told to stop. */
export interface SignalOptions {
  readonly signal?: AbortSignal;
}

/** One process's part in the election for one lease. */
export interface Election<Progress = unknown> {
  /** The name that this process writes into the lease. */
  readonly identity: string;
  /**
   * Makes one attempt to lead: acquires, runs `work`, releases. Settles only when the work has.
   *
   * @throws the work's own error while it led; the reason of `signal`; a store error (see the
   *   classes of errors) if the lease could not be asked for.
   */
  lead<T>(work: Work<Progress, T>, options?: LeadOptions): Promise<Outcome<T>>;
  /**
   * Stands for the lease again and again and yields how each term ended. Outages of the store are
   * waited out, and so is another call of this election that leads or stands. Ends when `signal` aborts, after the work has settled and the lease is released.
   *
   * @throws the work's own error; a refusal of the store; an invalid record.
   */
  campaign<T>(work: Work<Progress, T>, options?: SignalOptions): AsyncIterable<Outcome<T>>;
  /**
   * Looks once who leads. `undefined` only for a free or absent record.
   *
   * @throws a store error, or the reason of `signal`.
   */
  leader(options?: SignalOptions): Promise<LeaderView | undefined>;
  /**
   * Yields who leads, now and after each change; `undefined` when nobody does: the lease is free,
   * absent, or its holder silent for too long. Outages are waited out. Ends when `signal` aborts.
   *
   * @throws a refusal of the store; an invalid record.
   */
  observe(options?: SignalOptions): AsyncIterable<LeaderView | undefined>;
  /**
   * The last ten terms of the lease, oldest first, with one look; the last one has no end while it
   * is under way.
   *
   * @throws a store error, or the reason of `signal`.
   */
  history(options?: SignalOptions): Promise<readonly PastTerm[]>;
}
