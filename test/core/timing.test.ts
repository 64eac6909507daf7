import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoreLimits } from '../../src/core/lease-store.ts';
import { jittered, resolveTiming, type TimingOptions } from '../../src/core/timing.ts';
import { defaultTiming, limits } from './arbitraries.ts';

/** What Azure Blob allows. */
const blobLimits: StoreLimits = {
  expiry: 'store',
  minDurationMs: 15_000,
  maxDurationMs: 60_000,
  granularityMs: 1_000,
};

function messageOf(options: TimingOptions, given: StoreLimits = limits): string {
  try {
    resolveTiming(options, given);
  } catch (error) {
    if (error instanceof RangeError) {
      return error.message;
    }
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(options)}`);
}

describe('resolveTiming', () => {
  it('defaults to a lease of 15 s', () => {
    expect(defaultTiming).toEqual({
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      renewIntervalMs: 5_000,
      retryPeriodMs: 2_000,
      requestTimeoutMs: 2_000,
      clockRateErrorRatio: 0.05,
    });
  });

  it.each([
    // lease, deadline, interval, retry period and request timeout
    [60_000, 40_000, 20_000, 2_000],
    [30_000, 20_000, 10_000, 2_000],
    [3_000, 2_000, 1_000, 400],
    [300, 200, 100, 40],
    [100, 67, 33, 13],
    [6, 4, 2, 1],
  ])('follows a lease of %i ms', (leaseDurationMs, deadline, interval, brief) => {
    expect(resolveTiming({ leaseDurationMs }, limits)).toEqual({
      leaseDurationMs,
      renewDeadlineMs: deadline,
      renewIntervalMs: interval,
      retryPeriodMs: brief,
      requestTimeoutMs: brief,
      clockRateErrorRatio: 0.05,
    });
  });

  it('accepts its own defaults for every lease from 6 ms', () => {
    const leases = fc.integer({ min: 6, max: limits.maxDurationMs });
    fc.assert(
      fc.property(leases, (leaseDurationMs) => {
        expect(() => resolveTiming({ leaseDurationMs }, limits)).not.toThrow();
      }),
    );
  });

  it.each([1, 2, 3, 4, 5])('blames a lease of %i ms for what does not fit into it', (ms) => {
    const message = messageOf({ leaseDurationMs: ms });
    expect(message).toContain(`not given and so derived from leaseDurationMs (${ms}): `);
    expect(message).not.toContain('got');
  });

  it('keeps every value that is given', () => {
    const options = {
      leaseDurationMs: 20_000,
      renewDeadlineMs: 12_000.5,
      renewIntervalMs: 3_000,
      retryPeriodMs: 1_000,
      requestTimeoutMs: 500,
      clockRateErrorRatio: 0,
    };
    expect(resolveTiming(options, limits)).toEqual(options);
  });

  it('returns a timing that cannot be changed', () => {
    expect(Object.isFrozen(defaultTiming)).toBe(true);
  });

  it.each(['renewDeadlineMs', 'renewIntervalMs', 'retryPeriodMs', 'requestTimeoutMs'])(
    'refuses a %s that is no positive number',
    (name) => {
      for (const value of [0, -1, Number.NaN, Infinity, -Infinity]) {
        const message = messageOf({ [name]: value });
        expect(message).toContain(name);
        expect(message).toContain(`got ${value}`);
      }
    },
  );

  it.each([
    ['leaseDurationMs', 'a multiple of 1 from 1 to 2147483647 on this store'],
    ['renewDeadlineMs', 'a positive number of milliseconds'],
    ['renewIntervalMs', 'a positive number of milliseconds'],
    ['retryPeriodMs', 'a positive number of milliseconds'],
    ['requestTimeoutMs', 'a positive number of milliseconds'],
    ['clockRateErrorRatio', 'from 0 up to but not including 1'],
  ])('refuses a %s that is a text', (name, kind) => {
    expect(() => resolveTiming({ [name]: '5000' }, limits)).toThrow(
      new TypeError(`${name} must be a number (${kind}), got "5000"`),
    );
  });

  it.each([-0.01, 1, 1.5, Number.NaN, Infinity])('refuses %s as clockRateErrorRatio', (value) => {
    const message = messageOf({ clockRateErrorRatio: value });
    expect(message).toContain('clockRateErrorRatio');
    expect(message).toContain(`got ${value}`);
  });

  it.each([0, -15_000, 15_000.5, Number.NaN, Infinity, 2 ** 31])(
    'refuses %s as leaseDurationMs',
    (value) => {
      const message = messageOf({ leaseDurationMs: value });
      expect(message).toContain('leaseDurationMs must be a multiple of 1 from 1 to 2147483647');
      expect(message).toContain(`got ${value}`);
    },
  );

  it.each([5_000, 14_999, 15_500, 61_000])(
    'refuses a lease of %i ms on a store that allows 15 to 60 whole seconds',
    (leaseDurationMs) => {
      expect(messageOf({ leaseDurationMs }, blobLimits)).toBe(
        `leaseDurationMs must be a multiple of 1000 from 15000 to 60000 on this store, got ${leaseDurationMs}`,
      );
      expect(resolveTiming({ leaseDurationMs: 60_000 }, blobLimits).leaseDurationMs).toBe(60_000);
    },
  );

  it('names the values of a deadline without slack', () => {
    const options = { leaseDurationMs: 20_000, clockRateErrorRatio: 0.001 };
    const values = { renewDeadlineMs: 18_481, requestTimeoutMs: 1_500 };
    expect(messageOf({ ...options, ...values })).toBe(
      'leaseDurationMs / (1 + clockRateErrorRatio) (20000 / (1 + 0.001)) must be at least renewDeadlineMs + requestTimeoutMs (18481 + 1500)',
    );
    // 20 000 / 1.001 is 19 980.02.
    const timing = resolveTiming({ ...options, ...values, renewDeadlineMs: 18_480 }, limits);
    expect(timing.renewDeadlineMs).toBe(18_480);
  });

  it('names the values of an interval that leaves no time for a renewal', () => {
    expect(messageOf({ renewIntervalMs: 8_000 })).toBe(
      'renewDeadlineMs (10000) must exceed renewIntervalMs + requestTimeoutMs (8000 + 2000); not given and so derived from leaseDurationMs (15000): renewDeadlineMs, requestTimeoutMs',
    );
    expect(resolveTiming({ renewIntervalMs: 7_999 }, limits).renewIntervalMs).toBe(7_999);
  });

  it('names the values of a retry period that is too long for the deadline', () => {
    expect(messageOf({ renewDeadlineMs: 9_000, retryPeriodMs: 7_500 })).toBe(
      'renewDeadlineMs (9000) must exceed 1.2 × retryPeriodMs (1.2 × 7500)',
    );
    const timing = resolveTiming({ renewDeadlineMs: 9_000, retryPeriodMs: 7_499 }, limits);
    expect(timing.retryPeriodMs).toBe(7_499);
  });
});

describe('jittered', () => {
  it.each([
    [0, 2_000],
    [0.5, 1_800],
    [1, 1_600],
  ])('shortens 2 s by chance %d to %i ms', (chance, ms) => {
    expect(jittered(2_000, () => chance)).toBe(ms);
  });
});
