import fc from 'fast-check';
import type { LeaseRecord, Look } from '../../src/core/lease-store.ts';
import { resolveTiming, type Timing } from '../../src/core/timing.ts';
import { memoryLimits } from '../../src/stores/memory/limits.ts';

export const limits = memoryLimits('observed');

/** The timing of all defaults. */
export const defaultTiming: Timing = resolveTiming({}, limits);

/** A part of what a range allows. `fc.double` would mostly give parts too small to matter. */
export const fraction = fc.integer({ min: 0, max: 10_000 }).map((parts) => parts / 10_000);

/** The whole number at `part` of the way from `min` to `max`. */
export function between(min: number, max: number, part: number): number {
  return Math.floor(min + Math.max(0, max - min) * part);
}

/** Any timing of whole milliseconds that `resolveTiming` accepts. */
export const timings: fc.Arbitrary<Timing> = fc
  .record({
    leaseDurationMs: fc.integer({ min: 10, max: 60_000 }),
    rateErrorPermille: fc.integer({ min: 0, max: 400 }),
    timeout: fraction,
    deadline: fraction,
    interval: fraction,
    retry: fraction,
  })
  .map(({ leaseDurationMs, rateErrorPermille, timeout, deadline, interval, retry }) => {
    const clockRateErrorRatio = rateErrorPermille / 1000;
    // As if clock rates were equal: what is too long for the error is left to the filter.
    const roomMs = leaseDurationMs;
    const requestTimeoutMs = between(1, roomMs / 2 - 2, timeout);
    const renewDeadlineMs = between(requestTimeoutMs + 2, roomMs - requestTimeoutMs, deadline);
    const renewIntervalMs = between(1, renewDeadlineMs - requestTimeoutMs - 1, interval);
    const retryPeriodMs = between(1, (renewDeadlineMs - 1) / 1.2, retry);
    return {
      leaseDurationMs,
      renewDeadlineMs,
      renewIntervalMs,
      retryPeriodMs,
      requestTimeoutMs,
      clockRateErrorRatio,
    };
  })
  .filter(isAccepted)
  .map((options) => resolveTiming(options, limits));

function isAccepted(options: Timing): boolean {
  try {
    resolveTiming(options, limits);
    return true;
  } catch {
    return false;
  }
}

function recordOf(given: Partial<LeaseRecord> = {}): LeaseRecord {
  return {
    holder: 'a',
    fencingToken: 33,
    leaseDurationMs: 15_000,
    progress: undefined,
    jobState: undefined,
    history: [],
    ...given,
  };
}

/** A look at a record of holder `a` with token 33; its mark is its version. */
export function lookAt(
  version: string,
  given: {
    readonly state?: 'free' | 'held' | 'expired';
    readonly record?: Partial<LeaseRecord>;
  } = {},
): Look {
  const { state = 'held', record = {} } = given;
  return { state, version, mark: version, record: recordOf(record) };
}
