/**
 * The smaller port, for stores that are a table: read a record, write it if its version is still
 * the one seen. `record-lease.ts` turns it into a `LeaseStore`.
 *
 * @module
 */
import type { LeaseRecord, PastTerm, StoreCall, StoreLimits, TextWrite } from './lease-store.ts';

/** Most versions that one condition names; DynamoDB's `IN` takes 100 operands. */
export const maxVersions = 64;

/** A record as it is stored. */
export interface StoredRecord {
  /** Changes with every write. */
  readonly version: string;
  /** Whether the holder has given it up. */
  readonly released: boolean;
  readonly record: LeaseRecord;
}

/** One conditional write. */
export interface RecordWrite {
  /**
   * Version to write. A record that already has it was written by this very request, so the write
   * succeeds again and changes nothing.
   */
  readonly version: string;
  /** `absent`, or the versions that may be replaced (at most 64). */
  readonly replaces: 'absent' | readonly string[];
  /**
   * For writes of a term under way: the record must also name this holder and token and, unless
   * `released` is being written, must not have been given up.
   */
  readonly within?: { readonly holder: string; readonly fencingToken: number };
  readonly released: boolean;
  readonly holder: string;
  readonly fencingToken: number;
  readonly leaseDurationMs: number;
  readonly progress: TextWrite;
  readonly jobState: TextWrite;
  /** `undefined` leaves what is stored. */
  readonly history: readonly PastTerm[] | undefined;
}

/** `found` is what is stored instead; `undefined` if nothing is. */
export type RecordWriteResult =
  | { readonly written: true }
  | { readonly written: false; readonly found: StoredRecord | undefined };

/** A linearizable register per lease name. */
export interface RecordStore {
  readonly name: string;
  readonly limits: StoreLimits;
  /**
   * Reads a record, linearizably; `undefined` if there is none.
   *
   * @throws `StoreUnavailableError`, `StoreRejectedError`, `LeaseRecordInvalidError`.
   */
  read(lease: string, call: StoreCall): Promise<StoredRecord | undefined>;
  /**
   * Writes atomically if the condition holds; attributes that it does not name stay as they are.
   *
   * @throws `StoreUnavailableError` if nothing was written, `OutcomeUnknownError` if it may have
   *   been, `StoreRejectedError`, `LeaseRecordInvalidError` (the stored value is left alone).
   */
  write(lease: string, write: RecordWrite, call: StoreCall): Promise<RecordWriteResult>;
}
