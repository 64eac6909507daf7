/**
 * How long a leader may act, and when it must renew. Pure: the leader's half of the safety
 * argument is here and nowhere else.
 *
 * @module
 */
import type { Instant } from './clock.ts';
import type { Timing } from './timing.ts';

/**
 * Time from `from` to `to`, in milliseconds: the longer of what the two clocks say, since a frozen
 * sandbox may stop the monotonic one. A wall clock that is set can only end a term early.
 */
export function elapsedMs(from: Instant, to: Instant): number {
  return Math.max(to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}

/**
 * The moment from which a confirmed write counts: before its request was sent, because that is the
 * earliest at which a follower may have seen it.
 */
export function countsFrom(request: {
  readonly sentAt: Instant;
  readonly repliedAt: Instant;
}): Instant {
  return request.sentAt;
}

/** What is left until the renew deadline, in milliseconds; negative once it has passed. */
export function remainingMs(confirmedAt: Instant, now: Instant, timing: Timing): number {
  return timing.renewDeadlineMs - elapsedMs(confirmedAt, now);
}

/**
 * Whether a leader must renew now: the interval has passed, or a step as long as the longest one
 * of this term would leave too little time for the renewal after it. That may be so right after a
 * renewal; then a tenth of the interval passes, or each of many short steps would renew.
 */
export function isRenewalDue(
  confirmedAt: Instant,
  now: Instant,
  longestStepMs: number,
  timing: Timing,
): boolean {
  const heldForMs = elapsedMs(confirmedAt, now);
  return (
    heldForMs >= timing.renewIntervalMs ||
    (heldForMs >= timing.renewIntervalMs / 10 &&
      !hasRoomForStep(confirmedAt, now, longestStepMs, timing))
  );
}

/** Whether one more step as long as the longest leaves time for one more renewal. */
export function hasRoomForStep(
  confirmedAt: Instant,
  now: Instant,
  longestStepMs: number,
  timing: Timing,
): boolean {
  return remainingMs(confirmedAt, now, timing) >= longestStepMs + timing.requestTimeoutMs;
}
