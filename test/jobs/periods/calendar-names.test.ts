import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daily, monthly, weekly } from '../../../src/jobs/periods/calendar-periods.ts';
import { dayAfterEpoch } from './local-time.ts';

const days = daily();
const weeks = weekly();
const months = monthly();

describe('daily', () => {
  it.each(['1970-01-01', '2026-11-28', '2028-02-29', '2000-02-29', '9999-12-31'])(
    'takes %s as it is',
    (text) => {
      expect(days.parse(text)).toBe(text);
    },
  );

  const kind = 'period must be a day written YYYY-MM-DD, such as 2026-11-28, got';

  it.each([
    ['2026-02-30', ': 2026-02 has the days 01 to 28'],
    ['2028-02-30', ': 2028-02 has the days 01 to 29'],
    ['2100-02-29', ': 2100-02 has the days 01 to 28'],
    ['2026-04-31', ': 2026-04 has the days 01 to 30'],
    ['2026-12-32', ': 2026-12 has the days 01 to 31'],
    ['2026-12-00', ': 2026-12 has the days 01 to 31'],
    ['2026-13-01', ': months are 01 to 12'],
    ['2026-00-01', ': months are 01 to 12'],
    ['1969-12-31', ': years are 1970 to 9999'],
    ['10000-01-01', ''],
    ['2026-11', ''],
    ['2026-1-01', ''],
    ['2026-11-28 ', ''],
    ['2026-11-28\n', ''],
    ['28.11.2026', ''],
    ['', ''],
  ])('refuses %j and says what is right', (text, reason) => {
    expect(() => days.parse(text)).toThrow(
      new RangeError(`${kind} ${JSON.stringify(text)}${reason}`),
    );
  });

  it.each([
    ['2026-02-28', '2026-03-01'],
    ['2028-02-28', '2028-02-29'],
    ['2028-02-29', '2028-03-01'],
    ['2100-02-28', '2100-03-01'],
    ['2026-04-30', '2026-05-01'],
    ['2026-12-31', '2027-01-01'],
    ['9999-12-30', '9999-12-31'],
  ])('goes on from %s with %s', (period, following) => {
    expect(days.next(period)).toBe(following);
  });

  it('follows the calendar of the standard library from 1970 to 9999', () => {
    const lastDay = Date.UTC(9999, 11, 31) / 86_400_000;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lastDay - 1 }), (number) => {
        const period = dayAfterEpoch(number);
        expect(days.next(period)).toBe(dayAfterEpoch(number + 1));
        expect(days.rangeOf(period)).toEqual({
          startMs: number * 86_400_000,
          endMs: (number + 1) * 86_400_000,
        });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('weekly', () => {
  it.each(['1970-W01', '2026-W48', '2026-W53', '2020-W53', '9999-W52'])(
    'takes %s as it is',
    (text) => {
      expect(weeks.parse(text)).toBe(text);
    },
  );

  const kind = 'period must be an ISO 8601 week written YYYY-Www, such as 2026-W48, got';

  it.each([
    ['2026-W54', ': 2026 has the weeks W01 to W53'],
    ['2027-W53', ': 2027 has the weeks W01 to W52'],
    ['2026-W00', ': 2026 has the weeks W01 to W53'],
    ['1969-W52', ': years are 1970 to 9999'],
    ['2026-w48', ''],
    ['2026-48', ''],
    ['2026W48', ''],
  ])('refuses %j and says what is right', (text, reason) => {
    expect(() => weeks.parse(text)).toThrow(
      new RangeError(`${kind} ${JSON.stringify(text)}${reason}`),
    );
  });

  it.each([
    ['2026-W48', '2026-W49'],
    ['2026-W52', '2026-W53'],
    ['2026-W53', '2027-W01'],
    ['2027-W52', '2028-W01'],
    ['2020-W53', '2021-W01'],
  ])('goes on from %s with %s', (period, following) => {
    expect(weeks.next(period)).toBe(following);
  });

  it.each([
    ['1970-W01', '1969-12-29', '1970-01-05'],
    ['2026-W01', '2025-12-29', '2026-01-05'],
    ['2026-W48', '2026-11-23', '2026-11-30'],
    ['2026-W53', '2026-12-28', '2027-01-04'],
    ['2028-W01', '2028-01-03', '2028-01-10'],
    ['9999-W52', '9999-12-27', '+010000-01-03'],
  ])('has in %s the days from %s up to %s', (period, first, after) => {
    expect(weeks.rangeOf(period)).toEqual({
      startMs: Date.parse(`${first}T00:00:00Z`),
      endMs: Date.parse(`${after}T00:00:00Z`),
    });
  });

  it('numbers a week by the year that holds its Thursday', () => {
    const lastWeek = Math.floor(Date.UTC(9999, 11, 1) / (7 * 86_400_000));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lastWeek }), (week) => {
        // 1970-01-01 was a Thursday, so each whole number of weeks after it is one too.
        const thursday = new Date(week * 7 * 86_400_000);
        const newYearMs = Date.UTC(thursday.getUTCFullYear(), 0, 1);
        const number = 1 + Math.floor((thursday.getTime() - newYearMs) / (7 * 86_400_000));
        const period = `${thursday.getUTCFullYear()}-W${String(number).padStart(2, '0')}`;
        const following = weeks.next(period);
        expect(weeks.rangeOf(period)).toEqual({
          startMs: thursday.getTime() - 3 * 86_400_000,
          endMs: weeks.rangeOf(following).startMs,
        });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('monthly', () => {
  it.each(['1970-01', '2026-11', '9999-12'])('takes %s as it is', (text) => {
    expect(months.parse(text)).toBe(text);
  });

  const kind = 'period must be a month written YYYY-MM, such as 2026-11, got';

  it.each([
    ['2026-13', ': months are 01 to 12'],
    ['2026-00', ': months are 01 to 12'],
    ['0000-01', ': years are 1970 to 9999'],
    ['2026-1', ''],
    ['2026-11-01', ''],
    ['26-11', ''],
    ['now', ''],
  ])('refuses %j and says what is right', (text, reason) => {
    expect(() => months.parse(text)).toThrow(
      new RangeError(`${kind} ${JSON.stringify(text)}${reason}`),
    );
  });

  it.each([
    ['2026-01', '2026-02', 31],
    ['2026-02', '2026-03', 28],
    ['2028-02', '2028-03', 29],
    ['2100-02', '2100-03', 28],
    ['2400-02', '2400-03', 29],
    ['2026-11', '2026-12', 30],
    ['2026-12', '2027-01', 31],
  ])('goes on from %s with %s, after %i days', (period, following, length) => {
    expect(months.next(period)).toBe(following);
    const { startMs, endMs } = months.rangeOf(period);
    expect(startMs).toBe(Date.parse(`${period}-01T00:00:00Z`));
    expect((endMs - startMs) / 86_400_000).toBe(length);
  });
});

describe('the years 1970 to 9999', () => {
  it.each([
    ['daily', days, '9999-12-31', Date.UTC(10_000, 0, 1)],
    ['weekly', weeks, '9999-W52', Date.UTC(10_000, 0, 3)],
    ['monthly', months, '9999-12', Date.UTC(10_000, 0, 1)],
  ])('end %s with a period that is due and has none after it', (_, periods, last, dueMs) => {
    expect(periods.dueFromMs(last)).toBe(dueMs);
    expect(() => periods.next(last)).toThrow(
      new RangeError(`no period follows ${last}: years are 1970 to 9999`),
    );
  });

  it('are asked for by a string', () => {
    const misuse: unknown = 202_611;
    expect(() => months.parse(misuse as string)).toThrow(
      new TypeError('period must be a month written YYYY-MM, such as 2026-11, got 202611'),
    );
  });

  it.each([
    ['next', () => months.next('2026-13')],
    ['dueFromMs', () => months.dueFromMs('2026-13')],
    ['rangeOf', () => months.rangeOf('2026-13')],
  ])('are all that %s answers for', (_, ask) => {
    expect(ask).toThrow(RangeError);
  });
});
