import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidacy, observed, type Observation } from '../../src/core/observation.ts';
import { explainTiming, jittered, type Timing } from '../../src/core/timing.ts';
import { isRenewalDue } from '../../src/core/validity.ts';
import { between, defaultTiming, fraction, limits, lookAt, timings } from './arbitraries.ts';
import { outlastsOutage } from './leader-loop.ts';

// `longestStepMs` is derived in validity.test.ts, where the rules that it follows from are.

describe('explainTiming', () => {
  it('explains the defaults', () => {
    expect(explainTiming({}, { limits })).toEqual({
      slackMs: 4_285,
      toleratedClockRateErrorRatio: 0.5,
      longestStepMs: 3_000,
      worstFailoverMs: 23_000,
      toleratedOutageMs: 1_000,
      requestsPerHour: { leader: 720, follower: 2_000 },
    });
  });

  it('refuses what resolveTiming refuses', () => {
    expect(() => explainTiming({ renewIntervalMs: 8_000 }, { limits })).toThrow(RangeError);
  });

  it('gives a slack that lies between a leader that stops and a follower that starts', () => {
    fc.assert(
      fc.property(timings, (timing) => {
        const { slackMs } = explainTiming(timing, { limits });
        const rate = 1 + timing.clockRateErrorRatio;
        // On the leader's clock: a follower whose clock is faster by the whole error starts here.
        const startsAtMs = timing.leaseDurationMs / rate;
        expect(timing.renewDeadlineMs + slackMs).toBeLessThanOrEqual(startsAtMs + 1e-6);
        expect(timing.renewDeadlineMs + slackMs).toBeGreaterThan(startsAtMs - 1);
        expect(slackMs).toBeGreaterThanOrEqual(Math.floor(timing.requestTimeoutMs));
      }),
    );
  });

  it('gives the largest clock-rate error of four places that keeps beliefs apart', () => {
    const isSafe = ({ leaseDurationMs, renewDeadlineMs }: Timing, ratio: number): boolean =>
      leaseDurationMs >= renewDeadlineMs * (1 + ratio) - 1e-6;
    fc.assert(
      fc.property(timings, (timing) => {
        const { toleratedClockRateErrorRatio: ratio } = explainTiming(timing, { limits });
        expect(isSafe(timing, ratio)).toBe(true);
        expect(isSafe(timing, ratio + 0.0002)).toBe(false);
        expect(ratio).toBeGreaterThanOrEqual(timing.clockRateErrorRatio);
        expect(Number.isInteger(Math.round(ratio * 1e9) / 1e5)).toBe(true);
      }),
    );
  });

  it('gives an outage that a leader outlasts whenever it begins', () => {
    const outages = fc.record({
      anywhere: fc.boolean(),
      begins: fraction,
      hangs: fc.boolean(),
      answer: fraction,
      jitter: fc.array(fraction, { minLength: 1, maxLength: 5 }),
    });
    fc.assert(
      fc.property(timings, outages, (timing, given) => {
        const { anywhere, begins, hangs, answer, jitter } = given;
        const { toleratedOutageMs: durationMs } = explainTiming(timing, { limits });
        fc.pre(durationMs > 0);
        // Most often so that it meets the first attempt to renew.
        const dueMs = Math.max(timing.renewIntervalMs, timing.requestTimeoutMs);
        const beginsAtMs = anywhere ? begins * timing.renewDeadlineMs : dueMs - begins * durationMs;
        const answeredInMs = between(0, timing.requestTimeoutMs - 1, answer);
        const outage = { beginsAtMs, durationMs, hangs, answeredInMs, jitter };
        expect(outlastsOutage(timing, outage)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    // Attempts after 5 s and, at the earliest, 1.6 s later; the next one 2 s after that is too late.
    [1_000, true],
    [1_601, false],
  ])('with the least lucky attempts, an outage of %i ms is outlasted: %s', (durationMs, lasts) => {
    const outage = { beginsAtMs: 5_000, durationMs, hangs: false };
    const attempts = { answeredInMs: 1_999, jitter: [1, 0] };
    expect(outlastsOutage(defaultTiming, { ...outage, ...attempts })).toBe(lasts);
  });
});

describe('worstFailoverMs', () => {
  interface Delays {
    /** How long before the dead leader's last write the first look is read. */
    readonly phase: number;
    readonly toStore: readonly number[];
    readonly toFollower: readonly number[];
    readonly jitter: number;
  }

  /** Time from the last write to the takeover; all delays are parts of what the timing allows. */
  function failoverMs(timing: Timing, { phase, toStore, toFollower, jitter }: Delays): number {
    const { leaseDurationMs, retryPeriodMs, requestTimeoutMs } = timing;
    const record = { leaseDurationMs };
    const tripMs = (index: number): { readMs: number; replyMs: number } => {
      const readMs = requestTimeoutMs * (toStore[index % toStore.length] ?? 0);
      const restMs = requestTimeoutMs - readMs;
      return { readMs, replyMs: readMs + restMs * (toFollower[index % toFollower.length] ?? 0) };
    };
    let nowMs = -phase * (retryPeriodMs + requestTimeoutMs);
    let seen: Observation | undefined;
    for (let look = 0; ; look += 1) {
      const { readMs, replyMs } = tripMs(look);
      const version = nowMs + readMs >= 0 ? 'last' : 'before';
      nowMs += replyMs;
      seen = observed(seen, lookAt(version, { record }), nowMs);
      const state = candidacy(seen, [], nowMs, 'observed');
      const pauseMs = jittered(retryPeriodMs, () => jitter);
      const agesInMs = state.open ? 0 : state.agesInMs;
      if (agesInMs <= pauseMs + requestTimeoutMs && version === 'last') {
        return nowMs + agesInMs + requestTimeoutMs;
      }
      nowMs += pauseMs;
    }
  }

  const parts = fc.array(fraction, { minLength: 1, maxLength: 5 });
  const delays = fc.record({
    phase: fraction,
    toStore: parts,
    toFollower: parts,
    jitter: fraction,
  });

  it('is never exceeded while every request is answered', () => {
    fc.assert(
      fc.property(timings, delays, (timing, given) => {
        // A shorter lease would be over before a look that precedes the last write is.
        fc.pre(timing.leaseDurationMs > 2 * (timing.retryPeriodMs + timing.requestTimeoutMs));
        // Otherwise there are so many looks that the test is slow.
        fc.pre(timing.leaseDurationMs < 50 * timing.retryPeriodMs);
        const { worstFailoverMs } = explainTiming(timing, { limits });
        expect(failoverMs(timing, given)).toBeLessThanOrEqual(worstFailoverMs + 1e-6);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is reached by a look that just misses the write, when all replies are slow', () => {
    // The first look is read a moment before the write; the one after the pause sees it.
    const phase = 0.001 / (defaultTiming.retryPeriodMs + defaultTiming.requestTimeoutMs);
    const worst = { phase, toStore: [0], toFollower: [1], jitter: 0 };
    expect(failoverMs(defaultTiming, worst)).toBeCloseTo(23_000, 1);
  });
});

describe('requestsPerHour', () => {
  const hourMs = 3_600_000;

  it('counts the renewals of a leader that checkpoints every 10 ms', () => {
    for (const renewIntervalMs of [5_000, 1_000, 7_000]) {
      const { requestsPerHour } = explainTiming({ renewIntervalMs }, { limits });
      let renewals = 0;
      let confirmed = { monotonicMs: 0, wallMs: 0 };
      for (let ms = 0; ms <= hourMs; ms += 10) {
        const now = { monotonicMs: ms, wallMs: ms };
        if (isRenewalDue(confirmed, now, 10, { ...defaultTiming, renewIntervalMs })) {
          renewals += 1;
          confirmed = now;
        }
      }
      expect(renewals).toBeLessThanOrEqual(requestsPerHour.leader);
      expect(renewals).toBeGreaterThan(requestsPerHour.leader - 2);
    }
  });

  it('counts the looks of a follower whose jitter is spread evenly', () => {
    const { requestsPerHour } = explainTiming({}, { limits });
    let looks = 0;
    for (let ms = 0; ms < hourMs; looks += 1) {
      ms += jittered(defaultTiming.retryPeriodMs, () => (looks % 10) / 9);
    }
    expect(Math.abs(looks - requestsPerHour.follower)).toBeLessThanOrEqual(1);
  });
});
