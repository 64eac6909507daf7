import { describe, expect, it } from 'vitest';
import { monthly } from '../../../src/jobs/periods/calendar-periods.ts';
import { customPeriods, type PeriodsDefinition } from '../../../src/jobs/periods/custom-periods.ts';
import { duePeriods } from '../../../src/jobs/periods/due-periods.ts';
import type { Periods } from '../../../src/jobs/periods/periods.ts';
import { at } from './local-time.ts';

const hours: PeriodsDefinition = {
  next: (hour) => new Date(at(`${hour}:00Z`) + 3_600_000).toISOString().slice(0, 16),
  dueFromMs: (hour) => at(`${hour}:00Z`) + 3_600_000,
};

describe('an own implementation of Periods', () => {
  const months = monthly({ timeZone: 'Europe/Berlin' });
  const lastMonth = (quarter: string): string =>
    `${quarter.slice(0, 4)}-${String(Number(quarter.slice(6)) * 3).padStart(2, '0')}`;
  const quarters: Periods = {
    parse(text) {
      if (!/^\d{4}-Q[1-4]$/.test(text)) {
        throw new RangeError(`period must be a quarter, such as 2026-Q4, got "${text}"`);
      }
      return text;
    },
    next: (quarter) =>
      quarter.endsWith('4')
        ? `${Number(quarter.slice(0, 4)) + 1}-Q1`
        : `${quarter.slice(0, 6)}${Number(quarter.slice(6)) + 1}`,
    dueFromMs: (quarter) => months.dueFromMs(lastMonth(quarter)),
  };

  it.each([
    ['as it is', quarters],
    ['checked', customPeriods(quarters)],
  ])('gives quarters, %s', (_, periods) => {
    const due = (instant: string): readonly string[] =>
      duePeriods(periods, { startFrom: '2026-Q3', nominalMs: at(instant) });
    expect(due('2027-04-01T00:00:00+02:00')).toEqual(['2026-Q3', '2026-Q4', '2027-Q1']);
    expect(due('2027-03-31T23:59:00+02:00')).toEqual(['2026-Q3', '2026-Q4']);
    expect(() => periods.parse('2026-Q5')).toThrow(
      new RangeError('period must be a quarter, such as 2026-Q4, got "2026-Q5"'),
    );
  });
});

describe('customPeriods', () => {
  it('needs no more than what follows and when it is due', () => {
    expect(
      duePeriods(customPeriods(hours), {
        startFrom: '2026-11-28T22:00',
        nominalMs: at('2026-11-29T01:00:00Z'),
      }),
    ).toEqual(['2026-11-28T22:00', '2026-11-28T23:00', '2026-11-29T00:00']);
  });

  it.each(['', 'a'.repeat(17), 'a b', 'ä', 'a/b', 'a\n'])('refuses the name %j', (text) => {
    expect(() => customPeriods(hours).parse(text)).toThrow(
      new RangeError(
        `period must be 1 to 16 letters, digits or any of . _ : -, got ${JSON.stringify(text)}`,
      ),
    );
  });

  it('takes each character that a name may have', () => {
    expect(customPeriods(hours).parse('Az09._:-')).toBe('Az09._:-');
    expect(customPeriods(hours).parse('a'.repeat(16))).toBe('a'.repeat(16));
  });

  it('returns the spelling that parse makes', () => {
    const periods = customPeriods({ ...hours, parse: (text) => text.toUpperCase() });
    expect(periods.parse('2026-11-28t22:00')).toBe('2026-11-28T22:00');
  });

  it('calls a definition that is an object with a state of its own', () => {
    class Counted {
      readonly #stepMs = 1_000;
      next(period: string): string {
        return String(this.dueFromMs(period) / this.#stepMs + 1);
      }
      dueFromMs(period: string): number {
        return Number(period) * this.#stepMs;
      }
    }
    const periods = customPeriods(new Counted());
    expect(periods.next('9')).toBe('10');
    expect(periods.dueFromMs('9')).toBe(9_000);
  });
});

describe('customPeriods refuses', () => {
  const period = '2026-11-28T22:00';
  const nextOf = (change: Partial<PeriodsDefinition>) => (): unknown =>
    customPeriods({ ...hours, ...change }).next(period);
  const parseOf = (parse: (text: string) => string) => (): unknown =>
    customPeriods({ ...hours, parse }).parse(period);

  it.each([
    ['a next that stays', nextOf({ next: (same) => same }), 'dueFromMs must rise'],
    ['a next that goes back', nextOf({ next: () => '2026-11-28T21:00' }), 'dueFromMs must rise'],
    ['a next with no such name', nextOf({ next: () => 'a b' }), 'what next returns must be'],
    [
      'a next in another spelling',
      nextOf({ next: () => 'z', parse: (text) => text.toUpperCase() }),
      'next must return the name of a period as parse spells it (Z), got "z"',
    ],
    ['an instant that is none', nextOf({ dueFromMs: () => Number.NaN }), `dueFromMs of ${period}`],
    ['a parse that makes no name', parseOf(() => ''), 'what parse returns must be'],
    [
      'a parse without an end',
      parseOf((text) => text.slice(1)),
      'parse must leave the name of a period as it is',
    ],
  ])('%s', (_, ask, message) => {
    expect(ask).toThrow(RangeError);
    expect(ask).toThrow(message);
  });

  it('says which periods come due in the wrong order', () => {
    expect(nextOf({ dueFromMs: () => 7 })).toThrow(
      new RangeError(
        `dueFromMs must rise from one period to the next, got 7 for ${period} and 7 for 2026-11-28T23:00 after it`,
      ),
    );
  });

  it.each([
    [null, 'definition must be an object, got null'],
    [{ dueFromMs: hours.dueFromMs }, 'next must be a function, got undefined'],
    [{ next: hours.next }, 'dueFromMs must be a function, got undefined'],
    [{ ...hours, parse: 'hour' }, 'parse must be a function, got "hour"'],
  ])('the definition %#', (misuse: unknown, message) => {
    expect(() => customPeriods(misuse as PeriodsDefinition)).toThrow(new TypeError(message));
  });

  it('a next that returns no string', () => {
    const misuse: unknown = 5;
    expect(nextOf({ next: () => misuse as string })).toThrow(
      new TypeError('what next returns must be a string, got 5'),
    );
  });

  it('nothing that the definition itself throws, and passes it on', () => {
    const error = new Error('out of quarters');
    expect(
      nextOf({
        next: () => {
          throw error;
        },
      }),
    ).toThrow(error);
  });
});
