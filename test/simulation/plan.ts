import { resolveTiming, type Timing, type TimingOptions } from '../../src/core/timing.ts';
import type { NetworkTraits } from './network.ts';
import type { ClockTraits } from './process-time.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StoreLimits } from '../../src/core/lease-store.ts';

/**
 * What a schedule may do: `calm` has crashes alone; `bounded` has every fault within the
 * assumptions about clocks; `unbounded` breaks those too, and only fencing is left.
 */
export type Weather = 'calm' | 'bounded' | 'unbounded';

/** One schedule, before it runs. */
export interface Plan {
  readonly weather: Weather;
  readonly expiry: 'observed' | 'store';
  readonly timings: readonly Timing[];
  readonly network: NetworkTraits;
  /** Whether leaderships are also asked between the steps of the work; that ends what is over. */
  readonly probes: boolean;
  /** Whether a freeze may stop the monotonic clock; else the wall clock may be set back. */
  readonly suspends: boolean;
  /** Time between two faults of the plan, on average. */
  readonly faultEveryMs: number;
  readonly endMs: number;
}

/** The clock-rate error that every election is configured for. */
const clockRateErrorRatio = 0.05;

const limits: StoreLimits = {
  expiry: 'observed',
  minDurationMs: 1,
  maxDurationMs: 1e9,
  granularityMs: 1,
};

const timings: readonly TimingOptions[] = [
  {},
  { leaseDurationMs: 8_000 },
  { leaseDurationMs: 30_000 },
  // As little slack as the rules allow, and a renewal that may begin early in it.
  {
    leaseDurationMs: 12_000,
    renewDeadlineMs: 10_800,
    renewIntervalMs: 1_000,
    requestTimeoutMs: 600,
  },
  { leaseDurationMs: 10_000, renewDeadlineMs: 8_000, renewIntervalMs: 6_000, retryPeriodMs: 700 },
];

/** Draws a schedule. */
export function drawPlan(random: SeededRandom): Plan {
  const weather = random.pick<Weather>(
    'calm',
    'bounded',
    'bounded',
    'bounded',
    'bounded',
    'bounded',
    'unbounded',
  );
  const [first = {}, ...others] = timings;
  const drawTiming = (): Timing => resolveTiming(random.pick(first, ...others), limits);
  const common = drawTiming();
  const mixed = random.chance(0.4);
  return {
    weather,
    expiry: random.chance(0.8) ? 'observed' : 'store',
    timings: [0, 1, 2].map(() => (mixed ? drawTiming() : common)),
    network: weather === 'calm' ? calmNetwork : drawNetwork(random),
    probes: random.chance(0.5),
    suspends: random.chance(0.6),
    faultEveryMs: weather === 'calm' ? 20_000 : random.pick(5_000, 10_000, 20_000),
    endMs: 75_000,
  };
}

/** Draws the clocks of one machine. */
export function drawClocks(random: SeededRandom, weather: Weather): ClockTraits {
  return {
    rate:
      weather === 'unbounded' ? random.between(0.5, 2) : 1 + random.next() * clockRateErrorRatio,
    monotonicOriginMs: random.between(0, 1e6),
    // Not even years apart does it matter what time it is.
    wallOffsetMs: 1.7e12 + random.between(-1e10, 1e10),
  };
}

/** Slowest leg of a calm network. */
export const calmLegMs = 150;

const calmNetwork: NetworkTraits = {
  loseRequest: 0,
  loseReply: 0,
  duplicate: 0,
  late: 0,
  refuse: 0,
  reset: 0,
  quickestMs: 2,
  slowestMs: calmLegMs,
  latestMs: calmLegMs,
};

function drawNetwork(random: SeededRandom): NetworkTraits {
  return {
    loseRequest: random.pick(0, 0.02, 0.15),
    loseReply: random.pick(0, 0.05, 0.2),
    duplicate: random.pick(0, 0.1, 0.4),
    late: random.pick(0, 0.05, 0.15),
    refuse: random.pick(0, 0.03, 0.1),
    reset: random.pick(0, 0.03, 0.1),
    quickestMs: 2,
    slowestMs: random.pick(30, 300, 1_000),
    latestMs: random.pick(5_000, 30_000),
  };
}
