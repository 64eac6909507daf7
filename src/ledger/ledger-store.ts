/**
 * The port between the ledger and a store, and what is stored. A store translates these calls and
 * nothing else: it keeps no timers, does not retry, and decides nothing about effects.
 *
 * @module
 */
import type { StoreCall } from '../core/lease-store.ts';

/** One attempt at an effect that may have had it. */
export interface Attempt {
  /** Random UUID. By it a process knows its own attempt. */
  readonly attemptId: string;
  readonly fencingToken: number;
  /** When it began, in wall-clock milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** State of the entry before it, to which the entry returns if the attempt is taken back. */
  readonly replaced: 'untried' | 'pending' | 'unknown';
  /** Whether its process may still say how it ended. If not, it said that it does not know. */
  readonly open: boolean;
}

/** What the ledger keeps about one effect. */
export interface LedgerRecord {
  readonly key: readonly string[];
  /**
   * - `untried`: each attempt was taken back. The same as no entry, which is not the same as
   *   deleting it: a late duplicate of the first write could then make the entry anew.
   * - `pending`: an attempt is under way, or its process died.
   * - `unknown`: nobody knows whether it took effect.
   * - `done`, `declined`: settled for good.
   */
  readonly state: 'untried' | 'pending' | 'unknown' | 'done' | 'declined';
  /** SHA-256 of the request, in hexadecimal. */
  readonly requestHash: string;
  /** The highest fencing token of those who have written here. */
  readonly fencingToken: number;
  /** The newest attempts but those taken back, oldest first. Empty once settled. */
  readonly attempts: readonly Attempt[];
  /** Start of the first attempt that is no longer listed and was not taken back, as wall time. */
  readonly triedSinceMs: number | undefined;
  /** JSON that the effect left. */
  readonly result: unknown;
}

/** A record and the version of it that is stored. Compare versions for equality only. */
export interface StoredEntry {
  readonly version: string;
  readonly record: LedgerRecord;
}

/** A write. Sending the same one again is the same write. */
export interface LedgerWrite {
  /** Random UUID, new for each write. */
  readonly writeId: string;
  readonly record: LedgerRecord;
  /** The version that it replaces; `undefined` if it succeeds only where nothing is stored. */
  readonly replaces: string | undefined;
}

/**
 * Whether the stored record is that of the write, however often it was delivered. `found` is what
 * is stored instead.
 */
export type LedgerWriteResult =
  | { readonly written: true; readonly version: string }
  | { readonly written: false; readonly found: StoredEntry | undefined };

/** One page of a list. */
export interface LedgerPage {
  readonly ids: readonly string[];
  /** Where the next page begins; `undefined` after the last. */
  readonly next: string | undefined;
}

/** A place where a ledger is kept. */
export interface LedgerStore {
  /** Short name for errors, such as `dynamodb`. */
  readonly name: string;
  /**
   * Reads one record, linearizably.
   *
   * @throws `StoreUnavailableError`, `StoreRejectedError`, `LedgerEntryInvalidError`.
   */
  read(id: string, call: StoreCall): Promise<StoredEntry | undefined>;
  /**
   * Writes one record if its condition holds, atomically.
   *
   * @throws `StoreUnavailableError` if nothing was written, `OutcomeUnknownError` if it may have been
   *   (repeat the same write), `StoreRejectedError`, `LedgerEntryInvalidError`.
   */
  write(id: string, write: LedgerWrite, call: StoreCall): Promise<LedgerWriteResult>;
  /**
   * Names the records that are `pending` or `unknown`. Each record that is so throughout the listing
   * is named; one that changes meanwhile may be.
   *
   * @param from - `next` of the page before; `undefined` for the first.
   * @throws `StoreUnavailableError`, `StoreRejectedError`.
   */
  listUnfinished(from: string | undefined, call: StoreCall): Promise<LedgerPage>;
}

/** Whether a record belongs on the list of unfinished ones. */
export function isUnfinished(state: unknown): state is 'pending' | 'unknown' {
  return state === 'pending' || state === 'unknown';
}
