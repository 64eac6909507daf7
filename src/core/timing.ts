import type { StoreLimits } from './lease-store.ts';
import { positiveMs, requireLimits, requireNumber, requireObject } from './requirements.ts';

/** Timing of an election, in milliseconds. Times not given follow `leaseDurationMs`. */
export interface TimingOptions {
  /** How long a holder may be silent before others take over. Default 15 000. */
  readonly leaseDurationMs?: number;
  /** How long after its last renewal a leader may act. Default 2/3 of the lease. */
  readonly renewDeadlineMs?: number;
  /** How long after its last renewal a leader renews again. Default 1/3 of the lease. */
  readonly renewIntervalMs?: number;
  /** Pause between attempts; jitter shortens it by up to a fifth. Default 2/15 of the lease, at most 2 000. */
  readonly retryPeriodMs?: number;
  /** Bound on each store call. Default 2/15 of the lease, at most 2 000. */
  readonly requestTimeoutMs?: number;
  /** How much faster one machine's clock may run than another's, as a ratio. Default 0.05. */
  readonly clockRateErrorRatio?: number;
}

/** {@link TimingOptions} with every value known and the relations between them checked. */
export type Timing = Readonly<Required<TimingOptions>>;

/** What a {@link Timing} means in practice. */
export interface TimingExplanation {
  /** Time between the moment a leader stops by itself and the moment another may start, at the configured clock-rate error. */
  readonly slackMs: number;
  /** Clock-rate error up to which two leaders never believe at the same time. */
  readonly toleratedClockRateErrorRatio: number;
  /** Longest time between two checkpoints that cannot lose the lease while the store answers; 0 if none is. */
  readonly longestStepMs: number;
  /** Time from the last applied renewal of a leader that died to the next leader, at most. */
  readonly worstFailoverMs: number;
  /** Longest outage of the store that changes no leader that checkpoints often, whenever it begins. */
  readonly toleratedOutageMs: number;
  /** Requests of a leader that checkpoints often, and of a process that campaigns and follows. */
  readonly requestsPerHour: { readonly leader: number; readonly follower: number };
}

/** What follows the lease unless it is given. */
type DerivedOption = Exclude<keyof TimingOptions, 'leaseDurationMs' | 'clockRateErrorRatio'>;

/** Largest part of `retryPeriodMs` that jitter takes away. */
const jitterRatio = 0.2;

/**
 * Fills in defaults and checks every relation.
 *
 * @throws `RangeError` that names the option, its value and the relation it breaks; `TypeError` if
 *   this is no object, or what should be a number is none.
 */
export function resolveTiming(options: TimingOptions, limits: StoreLimits): Timing {
  requireObject('timing', options);
  const leaseDurationMs = inLimits(options.leaseDurationMs ?? 15_000, limits);
  const part = (ratio: number): number => Math.max(1, Math.round(leaseDurationMs * ratio));
  const briefMs = Math.min(2_000, part(2 / 15));
  const msOf = (name: DerivedOption, fallbackMs: number): number =>
    requireNumber(name, options[name] ?? fallbackMs, positiveMs);
  const timing: Timing = Object.freeze({
    leaseDurationMs,
    renewDeadlineMs: msOf('renewDeadlineMs', part(2 / 3)),
    renewIntervalMs: msOf('renewIntervalMs', part(1 / 3)),
    retryPeriodMs: msOf('retryPeriodMs', briefMs),
    requestTimeoutMs: msOf('requestTimeoutMs', briefMs),
    clockRateErrorRatio: requireNumber('clockRateErrorRatio', options.clockRateErrorRatio ?? 0.05, {
      kind: 'from 0 up to but not including 1',
      fits: (ratio) => ratio >= 0 && ratio < 1,
    }),
  });
  requireRelations(timing, options);
  return timing;
}

/**
 * Says what a timing means: how much slack there is, how long a failover takes, what it costs.
 *
 * @param store - A lease store, or its limits.
 * @throws `TypeError` or `RangeError` as {@link resolveTiming}.
 */
export function explainTiming(
  options: TimingOptions,
  store: { readonly limits: StoreLimits },
): TimingExplanation {
  const timing = resolveTiming(options, requireLimits(store));
  const { leaseDurationMs, renewDeadlineMs, renewIntervalMs, retryPeriodMs } = timing;
  const { requestTimeoutMs, clockRateErrorRatio } = timing;
  // A request that takes its whole timeout leaves the leader with a renewal that old.
  const dueMs = Math.max(renewIntervalMs, requestTimeoutMs);
  // An attempt that begins just before an outage ends may fail, and the next one follows it.
  const attemptMs = Math.max(retryPeriodMs, requestTimeoutMs);
  const hourMs = 3_600_000;
  return {
    slackMs: Math.floor(leaseDurationMs / (1 + clockRateErrorRatio)) - renewDeadlineMs,
    toleratedClockRateErrorRatio: roundedDown(leaseDurationMs - renewDeadlineMs, renewDeadlineMs),
    longestStepMs: Math.max(0, renewDeadlineMs - dueMs - requestTimeoutMs),
    worstFailoverMs: leaseDurationMs + retryPeriodMs + 3 * requestTimeoutMs,
    toleratedOutageMs: Math.max(0, renewDeadlineMs - dueMs - attemptMs - requestTimeoutMs),
    requestsPerHour: {
      leader: Math.ceil(hourMs / renewIntervalMs),
      follower: Math.ceil(hourMs / (retryPeriodMs * (1 - jitterRatio / 2))),
    },
  };
}

/** A retry period, shortened at random so that candidates do not march in step. */
export function jittered(retryPeriodMs: number, random: () => number): number {
  return retryPeriodMs * (1 - jitterRatio * random());
}

function inLimits(
  leaseDurationMs: number,
  { minDurationMs, maxDurationMs, granularityMs }: StoreLimits,
): number {
  return requireNumber('leaseDurationMs', leaseDurationMs, {
    kind: `a multiple of ${granularityMs} from ${minDurationMs} to ${maxDurationMs} on this store`,
    fits: (ms) =>
      Number.isInteger(ms) &&
      ms >= minDurationMs &&
      ms <= maxDurationMs &&
      ms % granularityMs === 0,
  });
}

function requireRelations(timing: Timing, options: TimingOptions): void {
  const { leaseDurationMs, renewDeadlineMs, renewIntervalMs, retryPeriodMs } = timing;
  const { requestTimeoutMs, clockRateErrorRatio } = timing;
  if (leaseDurationMs / (1 + clockRateErrorRatio) < renewDeadlineMs + requestTimeoutMs) {
    throw new RangeError(
      `leaseDurationMs / (1 + clockRateErrorRatio) (${leaseDurationMs} / (1 + ${clockRateErrorRatio})) must be at least renewDeadlineMs + requestTimeoutMs (${renewDeadlineMs} + ${requestTimeoutMs})${cause(['renewDeadlineMs', 'requestTimeoutMs'])}`,
    );
  }
  if (renewDeadlineMs <= renewIntervalMs + requestTimeoutMs) {
    throw new RangeError(
      `renewDeadlineMs (${renewDeadlineMs}) must exceed renewIntervalMs + requestTimeoutMs (${renewIntervalMs} + ${requestTimeoutMs})${cause(['renewDeadlineMs', 'renewIntervalMs', 'requestTimeoutMs'])}`,
    );
  }
  if (renewDeadlineMs <= 1.2 * retryPeriodMs) {
    throw new RangeError(
      `renewDeadlineMs (${renewDeadlineMs}) must exceed 1.2 × retryPeriodMs (1.2 × ${retryPeriodMs})${cause(['renewDeadlineMs', 'retryPeriodMs'])}`,
    );
  }

  /** Which of the values that break a relation nobody gave, and what to change instead. */
  function cause(names: readonly DerivedOption[]): string {
    const derived = names.filter((name) => options[name] === undefined);
    return derived.length === 0
      ? ''
      : `; not given and so derived from leaseDurationMs (${leaseDurationMs}): ${derived.join(', ')}`;
  }
}

/** A ratio to four places; down, because a limit that is rounded up is none. */
function roundedDown(part: number, whole: number): number {
  return Math.floor((part * 10_000) / whole) / 10_000;
}
