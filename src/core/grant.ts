import type { Instant } from './clock.ts';
import type { HeldLease, LeaseRecord, PastTerm } from './lease-store.ts';

/** A lease that was won. */
export interface Grant {
  readonly held: HeldLease;
  readonly fencingToken: number;
  /** The moment from which the acquiring write counts. */
  readonly confirmedAt: Instant;
  /** The record that was replaced, if there was one. */
  readonly before: LeaseRecord | undefined;
  readonly history: readonly PastTerm[];
}
