import { elapsedMs, isRenewalDue, remainingMs } from '../../src/core/validity.ts';
import type { Instant } from '../../src/core/clock.ts';
import type { Timing } from '../../src/core/timing.ts';

/** A work loop: how long each step takes and, if it renews after it, the answer. */
export interface LeaderLoop {
  readonly acquiredInMs: number;
  readonly steps: readonly { readonly stepMs: number; readonly answeredInMs: number }[];
}

const at = (ms: number): Instant => ({ monotonicMs: ms, wallMs: ms });

/** Whether a leader that follows the rules still leads at the end of a loop. */
export function keepsLease(timing: Timing, { acquiredInMs, steps }: LeaderLoop): boolean {
  let confirmedAtMs = 0;
  let nowMs = acquiredInMs;
  let longestStepMs = 0;
  const leads = (): boolean => remainingMs(at(confirmedAtMs), at(nowMs), timing) > 0;
  for (const { stepMs, answeredInMs } of steps) {
    nowMs += stepMs;
    longestStepMs = Math.max(longestStepMs, stepMs);
    if (!leads()) {
      return false;
    }
    if (isRenewalDue(at(confirmedAtMs), at(nowMs), longestStepMs, timing)) {
      const sentAtMs = nowMs;
      nowMs += answeredInMs;
      if (!leads()) {
        return false;
      }
      confirmedAtMs = sentAtMs;
    }
  }
  return true;
}

/** An outage of the store, counted from the moment that the last renewal before it counts from. */
export interface Outage {
  readonly beginsAtMs: number;
  readonly durationMs: number;
  /** Whether requests hang until their timeout or fail at once. */
  readonly hangs: boolean;
  /** How long requests take outside the outage. */
  readonly answeredInMs: number;
  /** Jitter of each pause, from 0 up to 1. */
  readonly jitter: readonly number[];
}

/** Whether a leader that checkpoints without a pause still leads after an outage. */
export function outlastsOutage(timing: Timing, outage: Outage): boolean {
  const { beginsAtMs, durationMs, hangs, answeredInMs, jitter } = outage;
  const { requestTimeoutMs, retryPeriodMs } = timing;
  let sentAtMs = answeredInMs;
  while (!isRenewalDue(at(0), at(sentAtMs), 0, timing)) {
    sentAtMs += 1;
  }
  for (let attempt = 0; remainingMs(at(0), at(sentAtMs), timing) > 0; attempt += 1) {
    const isOut = sentAtMs >= beginsAtMs && sentAtMs < beginsAtMs + durationMs;
    if (!isOut) {
      return elapsedMs(at(0), at(sentAtMs + answeredInMs)) < timing.renewDeadlineMs;
    }
    const pauseMs = retryPeriodMs * (1 - 0.2 * (jitter[attempt % jitter.length] ?? 0));
    sentAtMs += Math.max(pauseMs, hangs ? requestTimeoutMs : 0);
  }
  return false;
}
