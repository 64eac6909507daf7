import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  daily,
  monthly,
  weekly,
  type CalendarOptions,
} from '../../../src/jobs/periods/calendar-periods.ts';
import { duePeriods, earlyTriggerMs } from '../../../src/jobs/periods/due-periods.ts';
import type { Periods } from '../../../src/jobs/periods/periods.ts';
import { at, zones } from './local-time.ts';

const hourMs = 3_600_000;
const berlin = { timeZone: 'Europe/Berlin' };

function due(periods: Periods, startFrom: string, instant: string): readonly string[] {
  return duePeriods(periods, { startFrom, nominalMs: at(instant) });
}

describe('duePeriods', () => {
  it('names all periods from the first one on, oldest first', () => {
    expect(due(monthly(), '2026-10', '2027-02-01T00:00:00Z')).toEqual([
      '2026-10',
      '2026-11',
      '2026-12',
      '2027-01',
    ]);
    expect(due(weekly(), '2026-W52', '2027-01-11T06:00:00Z')).toEqual([
      '2026-W52',
      '2026-W53',
      '2027-W01',
    ]);
    expect(due(daily(), '2028-02-28', '2028-03-02T12:00:00Z')).toEqual([
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ]);
  });

  it('names none before the first one is due', () => {
    expect(due(monthly(), '2026-12', '2026-12-31T23:00:00Z')).toEqual([]);
    expect(due(monthly(), '2030-01', '2026-12-01T00:00:00Z')).toEqual([]);
  });

  it.each([
    ['2026-11-30T23:59:59.600+01:00', ['2026-10', '2026-11']],
    ['2026-11-30T23:59:59.000+01:00', ['2026-10', '2026-11']],
    ['2026-12-01T00:00:00.000+01:00', ['2026-10', '2026-11']],
    ['2026-12-01T00:00:59.000+01:00', ['2026-10', '2026-11']],
    ['2026-11-30T23:59:58.999+01:00', ['2026-10']],
    ['2026-11-30T23:45:00.000+01:00', ['2026-10']],
  ])('takes a trigger at %s for the tick it was meant for', (instant, expected) => {
    expect(due(monthly(berlin), '2026-10', instant)).toEqual(expected);
  });

  it.each([
    ['daily', daily(berlin), '2026-03-28', '2026-03-29T00:00:00+01:00'],
    ['daily', daily(berlin), '2026-03-29', '2026-03-30T00:00:00+02:00'],
    ['daily', daily(berlin), '2026-10-25', '2026-10-26T00:00:00+01:00'],
    ['daily', daily(), '2028-02-29', '2028-03-01T00:00:00Z'],
    ['daily', daily(), '2026-12-31', '2027-01-01T00:00:00Z'],
    ['weekly', weekly(berlin), '2026-W43', '2026-10-26T00:00:00+01:00'],
    ['weekly', weekly(), '2026-W53', '2027-01-04T00:00:00Z'],
    ['monthly', monthly(berlin), '2026-03', '2026-04-01T00:00:00+02:00'],
    ['monthly', monthly({ timeZone: 'America/New_York' }), '2026-11', '2026-12-01T05:00:00Z'],
  ])('has %s %#: the same 0.4 s before and 59 s after the end of a period', (...row) => {
    const [, periods, period, endText] = row;
    const endMs = at(endText);
    const outcome = (nominalMs: number): readonly string[] =>
      duePeriods(periods, { startFrom: period, nominalMs });
    expect(outcome(endMs)).toEqual([period]);
    expect(outcome(endMs - 400)).toEqual([period]);
    expect(outcome(endMs + 59_000)).toEqual([period]);
    expect(outcome(endMs - earlyTriggerMs - 1)).toEqual([]);
  });

  it('names a period as it starts, where it is due then', () => {
    const periods = monthly({ ...berlin, due: 'at-start' });
    expect(due(periods, '2026-11', '2026-12-01T00:00:00+01:00')).toEqual(['2026-11', '2026-12']);
    expect(due(periods, '2026-11', '2026-11-30T23:00:00+01:00')).toEqual(['2026-11']);
  });

  it('waits for late data', () => {
    const periods = daily({ ...berlin, delayMs: 2 * hourMs });
    // Two hours of elapsed time, not 02:00 on clocks that skip it.
    expect(due(periods, '2026-03-28', '2026-03-29T00:59:00Z')).toEqual([]);
    expect(due(periods, '2026-03-28', '2026-03-29T01:00:00Z')).toEqual(['2026-03-28']);
    const early = monthly({ due: 'at-start', delayMs: hourMs });
    expect(due(early, '2026-12', '2026-12-01T00:30:00Z')).toEqual([]);
    expect(due(early, '2026-12', '2026-12-01T01:00:00Z')).toEqual(['2026-12']);
  });

  it('names also a day that the zone skipped, with the day before it', () => {
    const periods = daily({ timeZone: 'Pacific/Apia' });
    expect(due(periods, '2011-12-29', '2011-12-30T10:00:00Z')).toEqual([
      '2011-12-29',
      '2011-12-30',
    ]);
  });

  it('refuses a first period that is none', () => {
    expect(() => due(monthly(), '2026-13', '2026-12-01T00:00:00Z')).toThrow(
      /^period must be a month .* got "2026-13": months are 01 to 12$/,
    );
  });

  it('starts from the one spelling of the first period', () => {
    const periods: Periods = {
      parse: (text) => text.toUpperCase(),
      next: (period) => `${period}A`,
      dueFromMs: (period) => period.length * 10_000,
    };
    expect(duePeriods(periods, { startFrom: 'a', nominalMs: 20_000 })).toEqual(['A', 'AA']);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %d for an instant', (nominalMs) => {
    expect(() => duePeriods(daily(), { startFrom: '2026-11-28', nominalMs })).toThrow(
      new RangeError(
        `nominalMs must be a finite number of milliseconds since the Unix epoch, got ${nominalMs}`,
      ),
    );
  });

  it('refuses an instant of the periods that is no number', () => {
    const periods: Periods = { ...daily(), dueFromMs: () => Number.NaN };
    expect(() => due(periods, '2026-11-28', '2026-11-29T00:00:00Z')).toThrow(
      /^dueFromMs of 2026-11-28 must be a finite number of milliseconds .* got NaN$/,
    );
  });

  it('walks through 100 000 periods and refuses one more', () => {
    const numbers: Periods = {
      parse: (text) => text,
      next: (period) => String(Number(period) + 1),
      dueFromMs: (period) => Number(period) * 10_000,
    };
    const upTo = (last: number): readonly string[] =>
      duePeriods(numbers, { startFrom: '1', nominalMs: last * 10_000 });
    expect(upTo(100_000)).toHaveLength(100_000);
    expect(() => upTo(100_001)).toThrow(
      new RangeError(
        'startFrom must leave at most 100000 periods due, got 1, from which 100001 is one more: start from a later period, or use longer ones',
      ),
    );
  });
});

describe('calendar periods', () => {
  const options: fc.Arbitrary<CalendarOptions> = fc.record({
    timeZone: fc.constantFrom(...zones),
    due: fc.constantFrom('after', 'at-start'),
    delayMs: fc.integer({ min: 0, max: 40 * hourMs }),
  });
  const kinds = [
    ['daily', daily, '2026-02-25'],
    ['weekly', weekly, '2026-W50'],
    ['monthly', monthly, '2025-10'],
  ] as const;
  const instants = fc.integer({ min: at('2025-10-01T00:00:00Z'), max: at('2027-12-01T00:00:00Z') });

  it.each(kinds)('%s come due in the order of their names', (_, make, startFrom) => {
    fc.assert(
      fc.property(options, fc.nat(800), (given, steps) => {
        const periods = make(given);
        let period = startFrom as string;
        for (let step = 0; step < steps % 60; step += 1) {
          period = periods.next(period);
        }
        const following = periods.next(period);
        expect(periods.parse(following)).toBe(following);
        expect(periods.dueFromMs(following)).toBeGreaterThan(periods.dueFromMs(period));
        expect(following > period).toBe(true);
      }),
    );
  });

  it.each(kinds)('%s share no instant and leave none out', (_, make, startFrom) => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (timeZone, instantMs) => {
        const periods = make({ timeZone });
        const names = duePeriods(make({ timeZone, due: 'at-start' }), {
          startFrom,
          nominalMs: at('2028-02-01T00:00:00Z'),
        });
        const ranges = names.map((name) => periods.rangeOf(name));
        const startsMs = ranges.map(({ startMs }) => startMs);
        const endsMs = ranges.map(({ endMs }) => endMs);
        expect(startsMs.slice(1)).toEqual(endsMs.slice(0, -1));
        const [first] = ranges;
        const holding = ranges.filter((r) => r.startMs <= instantMs && instantMs < r.endMs);
        expect(holding).toHaveLength(first !== undefined && instantMs < first.startMs ? 0 : 1);
      }),
      { numRuns: 15 },
    );
  });

  it.each(kinds)('%s that are due stay due', (_, make, startFrom) => {
    fc.assert(
      fc.property(options, instants, fc.nat(90 * 24 * hourMs), (given, nominalMs, laterMs) => {
        const periods = make(given);
        const sooner = duePeriods(periods, { startFrom, nominalMs });
        const later = duePeriods(periods, { startFrom, nominalMs: nominalMs + laterMs });
        expect(later.slice(0, sooner.length)).toEqual(sooner);
        const beyond = periods.next(later.at(-1) ?? startFrom);
        expect(later.length === 0 || periods.dueFromMs(beyond) > nominalMs + laterMs).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [{ due: 'before' }, TypeError, `due must be 'after' or 'at-start', got "before"`],
    [{ delayMs: -1 }, RangeError, 'delayMs must be 0 or a positive number of milliseconds, got -1'],
    [
      { delayMs: Number.NaN },
      RangeError,
      'delayMs must be 0 or a positive number of milliseconds, got NaN',
    ],
    [
      { delayMs: Number.POSITIVE_INFINITY },
      RangeError,
      'delayMs must be 0 or a positive number of milliseconds, got Infinity',
    ],
    [
      { delayMs: '2h' },
      TypeError,
      'delayMs must be a number (0 or a positive number of milliseconds), got "2h"',
    ],
    [null, TypeError, 'options must be an object, got null'],
  ])('refuse the options %j', (misuse: unknown, kind, message) => {
    expect(() => daily(misuse as CalendarOptions)).toThrow(new kind(message));
  });
});
