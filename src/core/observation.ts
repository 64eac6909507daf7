/**
 * What a candidate knows of the record, and what follows from it. Pure: the safety of a takeover
 * is decided here and nowhere else.
 *
 * @module
 */
import type { Look } from './lease-store.ts';
import type { LeaderView } from './outcome.ts';

/** A look plus the local monotonic times at which it was made. */
export interface Observation {
  readonly look: Look;
  /** When this version was seen first: after the reply arrived. */
  readonly firstSeenAtMs: number;
  /** When this version was seen last. */
  readonly lastSeenAtMs: number;
  /** When an earlier version was seen last, so that this one was written after that. */
  readonly writtenAfterMs: number | undefined;
}

/** Adds a look to what was known. */
export function observed(before: Observation | undefined, look: Look, nowMs: number): Observation {
  if (before && isSameVersion(before.look, look)) {
    return { ...before, look, lastSeenAtMs: nowMs };
  }
  return {
    look,
    firstSeenAtMs: nowMs,
    lastSeenAtMs: nowMs,
    writtenAfterMs: before?.lastSeenAtMs,
  };
}

function isSameVersion(one: Look, other: Look): boolean {
  return one.state === 'absent' || other.state === 'absent'
    ? one.state === other.state
    : // A store that judges expiry may change the state alone.
      one.version === other.version && one.state === other.state;
}

/** What a candidate may do about an observation. */
export type Candidacy =
  /** It may bid: the record is absent, free, expired, or written by an ended term of its own. */
  | { readonly open: true }
  /** It may not. `agesInMs` is how long the holder must still be silent. */
  | { readonly open: false; readonly agesInMs: number; readonly alive: boolean };

/**
 * Decides whether a candidate may bid for the lease now.
 *
 * Only the candidate's own monotonic clock counts, from after the reply arrived, and exactly the
 * duration that the record names. The holder's clock may show any time; its rate may differ by the
 * configured error, which the holder alone allows for.
 *
 * @param endedMarks - Marks of the candidate's own terms whose work has settled.
 * @param expiry - Who judges silence. Where the store does, `agesInMs` is how long a holder may
 *   still hold before it counts as seen alive.
 */
export function candidacy(
  observation: Observation,
  endedMarks: readonly string[],
  nowMs: number,
  expiry: 'observed' | 'store',
): Candidacy {
  const { look } = observation;
  if (look.state !== 'held' || endedMarks.includes(look.mark)) {
    return { open: true };
  }
  const agesInMs = silentForMs(observation, nowMs);
  const alive = isSeenAlive(observation, nowMs);
  if (expiry === 'store') {
    return { open: false, agesInMs: Math.max(0, agesInMs), alive: alive || agesInMs <= 0 };
  }
  return agesInMs <= 0 ? { open: true } : { open: false, agesInMs, alive };
}

/** What is left of the recorded duration, counted from when this version was first seen. */
function silentForMs({ look, firstSeenAtMs }: Observation, nowMs: number): number {
  const durationMs = look.state === 'absent' ? 0 : look.record.leaseDurationMs;
  return firstSeenAtMs + durationMs - nowMs;
}

/** Whether the holder is known to have written within its lease duration. */
function isSeenAlive({ look, writtenAfterMs }: Observation, nowMs: number): boolean {
  return (
    look.state === 'held' &&
    writtenAfterMs !== undefined &&
    nowMs - writtenAfterMs < look.record.leaseDurationMs
  );
}

/**
 * The leader as an observation shows it; `undefined` for a free or absent record.
 *
 * @param expiry - A store that judges expiry itself says whether the holder lives.
 */
export function leaderView(
  observation: Observation,
  nowMs: number,
  expiry: 'observed' | 'store',
): LeaderView | undefined {
  const { look, firstSeenAtMs } = observation;
  if (look.state === 'absent' || look.state === 'free') {
    return undefined;
  }
  const { holder, fencingToken = 0, leaseDurationMs } = look.record;
  const unchangedForMs = nowMs - firstSeenAtMs;
  return {
    holder,
    fencingToken,
    leaseDurationMs,
    state: stateOf(observation, nowMs, expiry),
    unchangedForMs,
  };
}

function stateOf(
  observation: Observation,
  nowMs: number,
  expiry: 'observed' | 'store',
): LeaderView['state'] {
  if (expiry === 'store') {
    return observation.look.state === 'expired' ? 'expired' : 'alive';
  }
  if (silentForMs(observation, nowMs) <= 0) {
    return 'expired';
  }
  return isSeenAlive(observation, nowMs) ? 'alive' : 'unconfirmed';
}
