import { describeValue } from '../../core/describe-value.ts';
import { requireNumber, requireObject } from '../../core/requirements.ts';
import { dayUnit, lastDay, monthUnit, weekUnit, type CalendarUnit } from './calendar-units.ts';
import type { Periods } from './periods.ts';
import { timeZoneOf } from './time-zone.ts';

/** Options of {@link daily}, {@link weekly} and {@link monthly}. */
export interface CalendarOptions {
  /** Whose midnights bound the periods: a name in the IANA time zone database. Default `UTC`. */
  readonly timeZone?: string;
  /**
   * When a period may be worked for: `after` it is over, as for what is billed in arrears, or
   * `at-start`. Default `after`.
   */
  readonly due?: 'after' | 'at-start';
  /** How much time after that, such as 7 200 000 where data may be two hours late. Default 0. */
  readonly delayMs?: number;
}

/** The instants of a period, in milliseconds since the Unix epoch. */
export interface PeriodRange {
  /** The first instant. */
  readonly startMs: number;
  /** The first instant after it. Equal to `startMs` if the period covers none. */
  readonly endMs: number;
}

/** {@link Periods} of the calendar of a time zone, which leave out no instant and share none. */
export interface CalendarPeriods extends Periods {
  /**
   * From the start of the first day to the start of the day after the last one. A day starts at
   * the zone's midnight; where clocks skip midnight, at the first instant after it; where midnight
   * comes twice, at the first one.
   */
  rangeOf(period: string): PeriodRange;
}

/**
 * Days, named as `2026-11-28`.
 *
 * Names follow the calendar alone and never the zone, so they stay when its rules change. A day
 * that a zone skipped as it crossed the date line (2011-12-30 in Apia) is a period that covers no
 * instant: it starts and ends where the next day starts.
 *
 * @throws `TypeError` or `RangeError` for an option that does not fit, also an unknown zone.
 */
export function daily(options: CalendarOptions = {}): CalendarPeriods {
  return calendarPeriods(dayUnit, options);
}

/**
 * Weeks from Monday to Sunday, named as in ISO 8601: `2026-W48`. A year has 52 or 53 of them, and
 * the first and the last may reach into its neighbours.
 *
 * @throws `TypeError` or `RangeError` for an option that does not fit, also an unknown zone.
 */
export function weekly(options: CalendarOptions = {}): CalendarPeriods {
  return calendarPeriods(weekUnit, options);
}

/**
 * Months, named as `2026-11`.
 *
 * @throws `TypeError` or `RangeError` for an option that does not fit, also an unknown zone.
 */
export function monthly(options: CalendarOptions = {}): CalendarPeriods {
  return calendarPeriods(monthUnit, options);
}

function calendarPeriods(unit: CalendarUnit, options: CalendarOptions): CalendarPeriods {
  const { timeZone = 'UTC', due = 'after', delayMs = 0 } = requireObject('options', options);
  const zone = timeZoneOf(timeZone);
  requireDue(due);
  requireNumber('delayMs', delayMs, {
    kind: '0 or a positive number of milliseconds',
    fits: (ms) => Number.isFinite(ms) && ms >= 0,
  });
  const rangeOf = (period: string): PeriodRange => {
    const { firstDay, afterDay } = unit.daysOf(period);
    return { startMs: zone.startOfDayMs(firstDay), endMs: zone.startOfDayMs(afterDay) };
  };
  return Object.freeze({
    parse(text: string): string {
      unit.daysOf(text);
      return text;
    },
    next(period: string): string {
      const { afterDay } = unit.daysOf(period);
      if (afterDay > lastDay) {
        throw new RangeError(`no period follows ${period}: years are 1970 to 9999`);
      }
      return unit.nameOf(afterDay);
    },
    dueFromMs(period: string): number {
      const { startMs, endMs } = rangeOf(period);
      // A day that covers no instant would be due together with its neighbour.
      const aloneMs = startMs === endMs ? 1 : 0;
      return (due === 'after' ? endMs + aloneMs : startMs - aloneMs) + delayMs;
    },
    rangeOf,
  });
}

function requireDue(due: string): void {
  if (due !== 'after' && due !== 'at-start') {
    throw new TypeError(`due must be 'after' or 'at-start', got ${describeValue(due)}`);
  }
}
