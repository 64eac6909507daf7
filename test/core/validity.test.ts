import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Instant } from '../../src/core/clock.ts';
import { candidacy, observed } from '../../src/core/observation.ts';
import { explainTiming, type Timing } from '../../src/core/timing.ts';
import {
  countsFrom,
  elapsedMs,
  hasRoomForStep,
  isRenewalDue,
  remainingMs,
} from '../../src/core/validity.ts';
import { between, defaultTiming, fraction, limits, lookAt, timings } from './arbitraries.ts';
import { keepsLease } from './leader-loop.ts';
import { machineAt, machines, type Machine } from './machines.ts';

const instants = fc.record({
  monotonicMs: fc.integer({ min: 0, max: 1e9 }),
  wallMs: fc.integer({ min: -1e12, max: 2e12 }),
});
const at = (ms: number): Instant => ({ monotonicMs: ms, wallMs: ms });

describe('elapsedMs', () => {
  it('is the longer of what the two clocks say', () => {
    const from = { monotonicMs: 100, wallMs: 1_000 };
    expect(elapsedMs(from, { monotonicMs: 107, wallMs: 1_005 })).toBe(7);
    expect(elapsedMs(from, { monotonicMs: 100, wallMs: 1_090 })).toBe(90);
  });

  it('is never shortened by a wall clock that was set back', () => {
    fc.assert(
      fc.property(instants, instants, (from, to) => {
        expect(elapsedMs(from, to)).toBeGreaterThanOrEqual(to.monotonicMs - from.monotonicMs);
      }),
    );
  });
});

describe('remainingMs', () => {
  it('counts down to the renew deadline and below', () => {
    expect(remainingMs(at(500), at(500), defaultTiming)).toBe(10_000);
    expect(remainingMs(at(500), at(10_500), defaultTiming)).toBe(0);
    expect(remainingMs(at(500), at(10_600), defaultTiming)).toBe(-100);
  });
});

describe('isRenewalDue', () => {
  it.each([
    [4_999, 0, false],
    [5_000, 0, true],
    // 10 s less 4 s leaves 6 s: room for a step of 4 s and a request of 2 s, and no more.
    [4_000, 4_000, false],
    [4_000, 4_001, true],
    [500, 7_500, false],
    [500, 7_501, true],
    // Not even a fresh renewal has room for it: then not at each of many short steps.
    [499, 9_000, false],
    [500, 9_000, true],
  ])('after %i ms with a longest step of %i ms is %s', (elapsed, longestStepMs, due) => {
    expect(isRenewalDue(at(0), at(elapsed), longestStepMs, defaultTiming)).toBe(due);
  });

  it('stays true once it is, until the renewal', () => {
    const elapsed = fc.integer({ min: 0, max: 60_000 });
    fc.assert(
      fc.property(timings, elapsed, elapsed, elapsed, (timing, stepMs, one, more) => {
        fc.pre(isRenewalDue(at(0), at(one), stepMs, timing));
        expect(isRenewalDue(at(0), at(one + more), stepMs, timing)).toBe(true);
      }),
    );
  });
});

describe('hasRoomForStep', () => {
  it('leaves one request timeout after the step', () => {
    expect(hasRoomForStep(at(0), at(3_000), 5_000, defaultTiming)).toBe(true);
    expect(hasRoomForStep(at(0), at(3_001), 5_000, defaultTiming)).toBe(false);
  });

  it('holds a step that it grants and the renewal after it', () => {
    fc.assert(
      fc.property(timings, fraction, fraction, (timing, passed, step) => {
        const nowMs = between(0, timing.leaseDurationMs, passed);
        const stepMs = between(0, timing.leaseDurationMs, step);
        fc.pre(hasRoomForStep(at(0), at(nowMs), stepMs, timing));
        const repliedMs = nowMs + stepMs + timing.requestTimeoutMs;
        expect(repliedMs).toBeLessThanOrEqual(timing.renewDeadlineMs);
      }),
    );
  });
});

describe('a leader that checkpoints', () => {
  const loops = fc.record({
    acquire: fraction,
    steps: fc.array(fc.record({ step: fraction, answer: fraction }), { maxLength: 60 }),
  });

  /** Runs a loop whose steps and answers are fractions of what `longestStepMs` and the timeout allow. */
  function survives(timing: Timing, loop: typeof loops extends fc.Arbitrary<infer L> ? L : never) {
    const { longestStepMs } = explainTiming(timing, { limits });
    const answerMs = (part: number): number => between(0, timing.requestTimeoutMs - 1, part);
    return keepsLease(timing, {
      acquiredInMs: answerMs(loop.acquire),
      steps: loop.steps.map(({ step, answer }) => ({
        stepMs: between(0, longestStepMs, step),
        answeredInMs: answerMs(answer),
      })),
    });
  }

  it('never loses while no step is longer than longestStepMs and every request is answered', () => {
    fc.assert(
      fc.property(timings, loops, (timing, loop) => {
        fc.pre(explainTiming(timing, { limits }).longestStepMs > 0);
        expect(survives(timing, loop)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [3_000, true],
    [3_002, false],
  ])(
    'with the least lucky schedule and a last step of %i ms keeps the lease: %s',
    (stepMs, kept) => {
      expect(explainTiming({}, { limits }).longestStepMs).toBe(3_000);
      const quick = Array.from({ length: 9 }, () => ({ stepMs: 500, answeredInMs: 0 }));
      const steps = [...quick, { stepMs: 499, answeredInMs: 0 }, { stepMs, answeredInMs: 1_999 }];
      expect(keepsLease(defaultTiming, { acquiredInMs: 0, steps })).toBe(kept);
    },
  );

  it('loses by one step a little longer where requests may take longer than the interval', () => {
    const timing = { ...defaultTiming, renewIntervalMs: 1_000, requestTimeoutMs: 3_000 };
    const { longestStepMs } = explainTiming(timing, { limits });
    expect(longestStepMs).toBe(4_000);
    const steps = [{ stepMs: longestStepMs, answeredInMs: 2_999 }];
    expect(keepsLease(timing, { acquiredInMs: 2_999, steps })).toBe(true);
    const longer = [{ stepMs: longestStepMs + 2, answeredInMs: 2_999 }];
    expect(keepsLease(timing, { acquiredInMs: 2_999, steps: longer })).toBe(false);
  });
});

describe('a leader and a follower', () => {
  /** Delays as parts of the lease: no request is bounded, since a stopped process waits for ever. */
  const schedules = fc.record({
    sentAtMs: fc.integer({ min: 100_000, max: 1_000_000 }),
    toStore: fraction,
    toLeader: fraction,
    toRead: fraction,
    toFollower: fraction,
    laterLooks: fc.array(fraction, { maxLength: 4 }),
    moments: fc.array(fraction, { maxLength: 8 }),
  });
  type Schedule = typeof schedules extends fc.Arbitrary<infer S> ? S : never;

  interface Rules {
    readonly leaderCountsFrom: typeof countsFrom;
    readonly followerStamps: (look: { sentAtMs: number; repliedAtMs: number }) => number;
  }
  const rules: Rules = {
    leaderCountsFrom: countsFrom,
    followerStamps: ({ repliedAtMs }) => repliedAtMs,
  };

  /** Whether at some moment the leader still believes and the follower may already bid. */
  function overlaps(
    timing: Timing,
    { leader, follower }: { leader: Machine; follower: Machine },
    schedule: Schedule,
    { leaderCountsFrom, followerStamps }: Rules = rules,
  ): boolean {
    const { sentAtMs } = schedule;
    const { leaseDurationMs } = timing;
    const appliedAtMs = sentAtMs + schedule.toStore * leaseDurationMs;
    const repliedAtMs = appliedAtMs + schedule.toLeader * leaseDurationMs;
    const confirmedAt = leaderCountsFrom({
      sentAt: machineAt(leader, sentAtMs),
      repliedAt: machineAt(leader, repliedAtMs),
    });
    // A look that is slow on its way can be older than the write that it sees.
    const lookSentAtMs = sentAtMs - schedule.toRead * leaseDurationMs;
    const lookRepliedAtMs = appliedAtMs + schedule.toFollower * leaseDurationMs;
    const stampedAtMs = followerStamps({ sentAtMs: lookSentAtMs, repliedAtMs: lookRepliedAtMs });
    const clockOf = (trueMs: number): number => machineAt(follower, trueMs).monotonicMs;
    const look = lookAt('v1', { record: { leaseDurationMs } });
    let observation = observed(undefined, look, clockOf(stampedAtMs));
    for (const part of schedule.laterLooks) {
      observation = observed(observation, look, clockOf(lookRepliedAtMs + part * leaseDurationMs));
    }
    const mayBid = (trueMs: number): boolean =>
      candidacy(observation, [], clockOf(trueMs), 'observed').open;
    const believes = (trueMs: number): boolean =>
      trueMs >= repliedAtMs && remainingMs(confirmedAt, machineAt(leader, trueMs), timing) > 0;
    const opensAtMs = firstMoment(mayBid, stampedAtMs, stampedAtMs + 8 * leaseDurationMs);
    const moments = schedule.moments.map((part) => opensAtMs + part * leaseDurationMs);
    return [opensAtMs, repliedAtMs, ...moments].some(
      (trueMs) => mayBid(trueMs) && believes(trueMs),
    );
  }

  /** The earliest moment at which a test that stays true is true, to well below a millisecond. */
  function firstMoment(test: (trueMs: number) => boolean, from: number, to: number): number {
    let [low, high] = [from, to];
    while (high - low > 0.001) {
      const middle = (low + high) / 2;
      [low, high] = test(middle) ? [low, middle] : [middle, high];
    }
    return high;
  }

  const worlds = timings.chain((timing) =>
    fc.tuple(fc.constant(timing), machines(timing.clockRateErrorRatio), schedules),
  );

  it('never believe and bid at the same moment', () => {
    fc.assert(
      fc.property(worlds, ([timing, pair, schedule]) => {
        expect(overlaps(timing, pair, schedule)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each<[string, Partial<Rules>]>([
    ['a leader counts from the reply', { leaderCountsFrom: ({ repliedAt }) => repliedAt }],
    ['a follower counts from before it looked', { followerStamps: ({ sentAtMs }) => sentAtMs }],
  ])('do so at some moment if %s', (_, wrong) => {
    const found = fc.check(
      fc.property(worlds, ([timing, pair, schedule]) => {
        expect(overlaps(timing, pair, schedule, { ...rules, ...wrong })).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(found.failed).toBe(true);
  });

  it('do so at some moment if clock rates differ by more than is tolerated', () => {
    const tooFast = timings.chain((timing) => {
      const { toleratedClockRateErrorRatio } = explainTiming(timing, { limits });
      const pair = machines(0, 1.01 * (1 + toleratedClockRateErrorRatio));
      return fc.tuple(fc.constant(timing), pair, schedules);
    });
    const found = fc.check(
      fc.property(tooFast, ([timing, pair, schedule]) => {
        const prompt = { ...schedule, toStore: 0, toLeader: 0, toRead: 0, toFollower: 0 };
        expect(overlaps(timing, pair, prompt)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(found.failed).toBe(true);
  });
});
