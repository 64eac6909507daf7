import { describeValue } from '../../core/describe-value.ts';
import {
  civilDateOf,
  dayNumberOf,
  daysInMonth,
  isoWeekOf,
  mondayOf,
  weeksInYear,
} from './civil-date.ts';

/** Whole days in a row, as days from 1970-01-01. */
interface DaySpan {
  readonly firstDay: number;
  /** The first day after them. */
  readonly afterDay: number;
}

/** A way to divide the calendar of the years 1970 to 9999, and to name the parts. */
export interface CalendarUnit {
  /**
   * The days of the part with this name.
   *
   * @throws `TypeError` if this is no string, `RangeError` if no part has this name.
   */
  daysOf(text: string): DaySpan;
  /** Name of the part that a day is in, up to {@link lastDay}. */
  nameOf(dayNumber: number): string;
}

/** 9999-12-31; the last week ends after it. */
export const lastDay: number = dayNumberOf({ year: 9999, month: 12, day: 31 });

/** Days, such as `2026-11-28`. */
export const dayUnit: CalendarUnit = {
  daysOf(text) {
    const { year, fields, refuse } = read(text, {
      pattern: /^(\d{4})-(\d{2})-(\d{2})$/,
      kind: 'a day written YYYY-MM-DD, such as 2026-11-28',
    });
    const [month = 0, day = 0] = fields;
    requireMonth(month, refuse);
    const days = daysInMonth(year, month);
    if (day < 1 || day > days) {
      throw refuse(`${text.slice(0, 7)} has the days 01 to ${days}`);
    }
    const firstDay = dayNumberOf({ year, month, day });
    return { firstDay, afterDay: firstDay + 1 };
  },
  nameOf(dayNumber) {
    const { year, month, day } = civilDateOf(dayNumber);
    return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  },
};

/** Weeks of ISO 8601, such as `2026-W48`. */
export const weekUnit: CalendarUnit = {
  daysOf(text) {
    const { year, fields, refuse } = read(text, {
      pattern: /^(\d{4})-W(\d{2})$/,
      kind: 'an ISO 8601 week written YYYY-Www, such as 2026-W48',
    });
    const [week = 0] = fields;
    const weeks = weeksInYear(year);
    if (week < 1 || week > weeks) {
      throw refuse(`${year} has the weeks W01 to W${weeks}`);
    }
    const firstDay = mondayOf({ year, week });
    return { firstDay, afterDay: firstDay + 7 };
  },
  nameOf(dayNumber) {
    const { year, week } = isoWeekOf(dayNumber);
    return `${year}-W${twoDigits(week)}`;
  },
};

/** Months, such as `2026-11`. */
export const monthUnit: CalendarUnit = {
  daysOf(text) {
    const { year, fields, refuse } = read(text, {
      pattern: /^(\d{4})-(\d{2})$/,
      kind: 'a month written YYYY-MM, such as 2026-11',
    });
    const [month = 0] = fields;
    requireMonth(month, refuse);
    const firstDay = dayNumberOf({ year, month, day: 1 });
    return { firstDay, afterDay: firstDay + daysInMonth(year, month) };
  },
  nameOf(dayNumber) {
    const { year, month } = civilDateOf(dayNumber);
    return `${year}-${twoDigits(month)}`;
  },
};

interface Reading {
  readonly year: number;
  /** The numbers after the year. */
  readonly fields: readonly number[];
  /** The error for this text that says why. */
  readonly refuse: (reason: string) => RangeError;
}

function read(
  text: unknown,
  { pattern, kind }: { readonly pattern: RegExp; readonly kind: string },
): Reading {
  const message = `period must be ${kind}, got ${describeValue(text)}`;
  if (typeof text !== 'string') {
    throw new TypeError(message);
  }
  const [, ...numbers] = pattern.exec(text) ?? [];
  const [year, ...fields] = numbers.map(Number);
  if (year === undefined) {
    throw new RangeError(message);
  }
  const refuse = (reason: string): RangeError => new RangeError(`${message}: ${reason}`);
  if (year < 1970) {
    throw refuse('years are 1970 to 9999');
  }
  return { year, fields, refuse };
}

function requireMonth(month: number, refuse: Reading['refuse']): void {
  if (month < 1 || month > 12) {
    throw refuse('months are 01 to 12');
  }
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
