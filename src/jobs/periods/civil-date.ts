/** A date of the Gregorian calendar, also before its introduction; months and days count from 1. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** A week of ISO 8601: it begins on a Monday and belongs to the year that its Thursday is in. */
export interface IsoWeek {
  readonly year: number;
  readonly week: number;
}

/** Days of the years 1 to 1969. */
const daysBefore1970 = 719_162;

/** Days of a year before its months, were it no leap year. */
const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

/** Days from 1970-01-01 to this date; negative before it. */
export function dayNumberOf({ year, month, day }: CivilDate): number {
  const leapDay = month > 2 && isLeapYear(year) ? 1 : 0;
  return firstDayOf(year) + (daysBeforeMonth[month - 1] ?? 0) + leapDay + day - 1;
}

/** The date that lies this many days after 1970-01-01. */
export function civilDateOf(dayNumber: number): CivilDate {
  const year = yearOf(dayNumber);
  let month = 12;
  while (dayNumberOf({ year, month, day: 1 }) > dayNumber) {
    month -= 1;
  }
  return { year, month, day: dayNumber - dayNumberOf({ year, month, day: 1 }) + 1 };
}

/** 28 to 31. */
export function daysInMonth(year: number, month: number): number {
  const following = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  return dayNumberOf({ ...following, day: 1 }) - dayNumberOf({ year, month, day: 1 });
}

/** The Monday with which a week begins, in days from 1970-01-01. */
export function mondayOf({ year, week }: IsoWeek): number {
  // The week with 4 January in it is the first one, as it holds the year's first Thursday.
  const fourth = dayNumberOf({ year, month: 1, day: 4 });
  return fourth - weekdayOf(fourth) + 7 * (week - 1);
}

/** The week that a day is in. */
export function isoWeekOf(dayNumber: number): IsoWeek {
  const monday = dayNumber - weekdayOf(dayNumber);
  const year = yearOf(monday + 3);
  return { year, week: (monday - mondayOf({ year, week: 1 })) / 7 + 1 };
}

/** 52 or 53. */
export function weeksInYear(year: number): number {
  return (mondayOf({ year: year + 1, week: 1 }) - mondayOf({ year, week: 1 })) / 7;
}

/** 0 on a Monday to 6 on a Sunday. */
function weekdayOf(dayNumber: number): number {
  // 1970-01-01 was a Thursday, and % keeps the sign of a day before it.
  return (((dayNumber + 3) % 7) + 7) % 7;
}

function yearOf(dayNumber: number): number {
  // The mean year is off by at most one either way.
  let year = Math.floor(dayNumber / 365.2425) + 1970;
  while (firstDayOf(year) > dayNumber) {
    year -= 1;
  }
  while (firstDayOf(year + 1) <= dayNumber) {
    year += 1;
  }
  return year;
}

function firstDayOf(year: number): number {
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  return past * 365 + leapDays - daysBefore1970;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
