import fc from 'fast-check';
import type { Instant } from '../../src/core/clock.ts';
import { fraction } from './arbitraries.ts';

/**
 * One machine's clocks as functions of true time: any origin, one rate, and one disturbance, which
 * either stops the monotonic clock for a while or sets the wall clock, since the library promises
 * nothing about a wall clock set back in a term with a freeze.
 */
export interface Machine {
  readonly monotonicOriginMs: number;
  readonly wallOriginMs: number;
  readonly rate: number;
  readonly disturbedAtMs: number;
  readonly frozenForMs: number;
  readonly wallSetByMs: number;
}

/** What both clocks of a machine show at a moment of true time. */
export function machineAt(machine: Machine, trueMs: number): Instant {
  const sinceMs = Math.max(0, trueMs - machine.disturbedAtMs);
  const lostMs = Math.min(sinceMs, machine.frozenForMs);
  const setByMs = sinceMs > 0 ? machine.wallSetByMs : 0;
  return {
    monotonicMs: machine.monotonicOriginMs + machine.rate * (trueMs - lostMs),
    wallMs: machine.wallOriginMs + machine.rate * trueMs + setByMs,
  };
}

/**
 * A leader's and a follower's machine whose rates differ by no more than `rateErrorRatio`, either
 * being the faster one.
 *
 * @param followerGain - Makes the follower's clock this much faster still.
 */
export function machines(
  rateErrorRatio: number,
  followerGain = 1,
): fc.Arbitrary<{ leader: Machine; follower: Machine }> {
  const rates = fc
    .tuple(fraction, extremes, fc.boolean())
    .map(([speed, part, followerIsFaster]) => {
      const rate = 0.9 + 0.2 * speed;
      const ratio = 1 + rateErrorRatio * part;
      const followerRate = followerIsFaster ? rate * ratio : rate / ratio;
      return { leader: rate, follower: followerRate * followerGain };
    });
  return fc.tuple(rates, clocks, clocks).map(([rate, leader, follower]) => ({
    leader: { ...leader, rate: rate.leader },
    follower: { ...follower, rate: rate.follower },
  }));
}

/** A part of a bound, often the whole of it. */
const extremes = fc.oneof(fraction, fc.constant(1));

const disturbances = fc.oneof(
  fc.record({ frozenForMs: fc.integer({ min: 0, max: 1e5 }), wallSetByMs: fc.constant(0) }),
  fc.record({ frozenForMs: fc.constant(0), wallSetByMs: fc.integer({ min: -1e7, max: 1e7 }) }),
);

const clocks = fc
  .record({
    monotonicOriginMs: fc.integer({ min: 0, max: 1e9 }),
    wallOriginMs: fc.integer({ min: 0, max: 2e12 }),
    disturbedAtMs: fc.integer({ min: 0, max: 1_100_000 }),
    disturbance: disturbances,
  })
  .map(({ disturbance, ...clock }) => ({ ...clock, ...disturbance }));
