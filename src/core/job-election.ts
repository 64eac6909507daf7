import type { LeadOptions } from './election.ts';
import type { Leadership } from './leadership.ts';
import type { Outcome } from './outcome.ts';
import type { LeaseRecord } from './lease-store.ts';

/** Longest state of jobs, in bytes of UTF-8 JSON; the same on every store. */
export const maxJobStateBytes = 1024;

/** Where a job keeps its state: in the record of its lease, beside the progress of the work. */
export interface JobStateSlot {
  /** JSON text as the acquire found it. */
  readonly stored: string | undefined;
  /**
   * Leaves JSON text that the next renewal or the release writes.
   *
   * @throws `RangeError` if it is longer than {@link maxJobStateBytes}.
   */
  leave(text: string): void;
}

/** Work that also keeps state of a job in the record. */
export type JobWork<Progress, T> = (
  leadership: Leadership<Progress>,
  state: JobStateSlot,
) => T | Promise<T>;

/** An election as jobs need it: with what they keep in the record. */
export interface JobElection {
  readonly identity: string;
  /**
   * Reads the record once; `undefined` if there is none. A term that is won next rests on this
   * read, so it costs no second one.
   *
   * @throws a store error, or the reason of `signal`.
   */
  look(signal: AbortSignal | undefined): Promise<LeaseRecord | undefined>;
  /** As `Election.lead`. */
  lead<T>(work: JobWork<unknown, T>, options: LeadOptions): Promise<Outcome<T>>;
}

/** @throws `RangeError` if the text is too long. */
export function requireJobState(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxJobStateBytes) {
    throw new RangeError(
      `the state of a job must be at most ${maxJobStateBytes} bytes of JSON, got ${bytes}`,
    );
  }
  return text;
}
