/**
 * The port between the election and a store. A store translates these calls and nothing else: it
 * keeps no timers, does not retry, and does not decide who leads.
 *
 * Every request gives the same result however often it is delivered, because clients and networks
 * repeat requests.
 *
 * @module
 */

/** What a store can do. */
export interface StoreLimits {
  /**
   * Who judges that a holder is silent: `observed`, each candidate, by watching that the record
   * does not change; `store`, the store itself, by its own clock.
   */
  readonly expiry: 'observed' | 'store';
  /** Shortest lease duration, in milliseconds. */
  readonly minDurationMs: number;
  /** Longest lease duration, in milliseconds. */
  readonly maxDurationMs: number;
  /** Lease durations must be multiples of this, in milliseconds. */
  readonly granularityMs: number;
}

/** Passed with every store call. */
export interface StoreCall {
  /** Bounds the whole call. Once it has aborted, the call must reject soon; how does not matter. */
  readonly signal: AbortSignal;
}

/** Passed with a renewal. */
export interface RenewCall extends StoreCall {
  /**
   * Called as soon as the term is known to be renewed, by stores that renew and save progress in two
   * requests: what becomes of the second says nothing about the first.
   */
  readonly renewed?: () => void;
}

/** One of the last terms of a lease, kept in its record for people. */
export interface PastTerm {
  readonly fencingToken: number;
  /** First 40 characters of the holder. */
  readonly holder: string;
  /**
   * When its holder bid for it, by the holder's own clock, in wall-clock milliseconds since the Unix
   * epoch. For people: nothing is decided by it. Absent where an older version wrote the record.
   */
  readonly startedMs?: number;
  /** `released` by its holder, or `taken-over` after silence; absent for the term under way. */
  readonly end?: 'released' | 'taken-over';
}

/** What is stored under a lease's name. */
export interface LeaseRecord {
  /** Identity of the holder or, if the record is free, of the last one; empty if never held. */
  readonly holder: string;
  /** Token of the holder's term; `undefined` if none was minted since the record began. */
  readonly fencingToken: number | undefined;
  /** How long, in milliseconds, the holder may be silent before others may take over. */
  readonly leaseDurationMs: number;
  /** JSON text of the work's progress, or whatever another client stored in its place. */
  readonly progress: string | undefined;
  /** JSON text of what jobs keep beside the progress, at most 1 KiB of UTF-8. */
  readonly jobState: string | undefined;
  /** The last ten terms, oldest first. */
  readonly history: readonly PastTerm[];
}

/**
 * What one linearizable read showed. `expired` comes only from stores that judge expiry.
 * `version` changes with every write and never recurs; compare it for equality only.
 */
export type Look =
  | { readonly state: 'absent' }
  | {
      readonly state: 'free' | 'held' | 'expired';
      readonly version: string;
      /** Which write this is: if a term made it, one of that term's {@link HeldLease.marks}. */
      readonly mark: string;
      readonly record: LeaseRecord;
    };

/** One attempt to hold a lease. Sending the same bid again is the same attempt. */
export interface Bid {
  /** Random UUID, new for each attempt. */
  readonly attemptId: string;
  /** What the attempt rests on: it succeeds only if the record is still as seen here. */
  readonly look: Look;
  readonly holder: string;
  /** The token of the term, already larger than every token seen. */
  readonly fencingToken: number;
  readonly leaseDurationMs: number;
  readonly history: readonly PastTerm[];
  /** Marks of this candidate's own ended terms, which may be replaced without waiting. */
  readonly endedMarks: readonly string[];
}

/** What to write: JSON text, `null` to clear it, `undefined` to leave what is stored. */
export type TextWrite = string | null | undefined;

/** What a term leaves for its successors. */
export interface CheckpointWrite {
  readonly progress?: TextWrite;
  readonly jobState?: TextWrite;
}

/** Whether a bid won. `found` is what stands in the way. */
export type AcquireResult =
  | { readonly acquired: true; readonly held: HeldLease }
  | { readonly acquired: false; readonly found: Look };

/** `renewed: false` is proof that the record is no longer this term's. */
export type RenewResult =
  | { readonly renewed: true }
  | { readonly renewed: false; readonly found: Look };

/** `look` is the free record; `released: false` means that it was no longer this term's. */
export type ReleaseResult =
  | { readonly released: true; readonly look: Look }
  | { readonly released: false; readonly found: Look };

/** One term's grip on the record. Calls are made one at a time. */
export interface HeldLease {
  /** By these the store recognises what this term may have written. */
  readonly marks: readonly string[];
  /**
   * Shows that the holder lives, and saves what successors need.
   *
   * @throws `OutcomeUnknownError` if it may or may not have been applied; the next call settles it.
   * @throws `LeaseRecordInvalidError` if what is stored is no lease record any more.
   */
  renew(checkpoint: CheckpointWrite, call: RenewCall): Promise<RenewResult>;
  /**
   * Frees the record, keeping token, last holder, progress and the jobs' state.
   *
   * @throws `OutcomeUnknownError` if it may or may not have been applied; safe to repeat.
   */
  release(
    final: CheckpointWrite & { readonly history: readonly PastTerm[] },
    call: StoreCall,
  ): Promise<ReleaseResult>;
}

/** A place where leases are kept. */
export interface LeaseStore {
  /** Short name for errors and telemetry, such as `dynamodb`. */
  readonly name: string;
  readonly limits: StoreLimits;
  /**
   * Reads the record, linearizably.
   *
   * @throws `StoreUnavailableError`, `StoreRejectedError`, `LeaseRecordInvalidError`.
   */
  look(lease: string, call: StoreCall): Promise<Look>;
  /**
   * Tries once to hold the lease, atomically.
   *
   * @throws `StoreUnavailableError` if nothing was written, `OutcomeUnknownError` if the bid may
   *   have been applied (repeat the same bid), `StoreRejectedError`, `LeaseRecordInvalidError`.
   */
  acquire(lease: string, bid: Bid, call: StoreCall): Promise<AcquireResult>;
  /** Frees whatever `bid` may have won; for attempts whose outcome stayed unknown. */
  abandon(lease: string, bid: Bid, call: StoreCall): Promise<void>;
}
