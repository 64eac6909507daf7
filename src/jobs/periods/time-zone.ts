import { describeValue } from '../../core/describe-value.ts';

const dayMs = 86_400_000;

/** Longer than any zone has been ahead of or behind UTC since 1970, which is 14 hours. */
const widestOffsetMs = 15 * 3_600_000;

/** When the days of one time zone begin. */
export interface TimeZone {
  /**
   * The earliest instant at which the zone's date is this day or a later one, in milliseconds
   * since the Unix epoch.
   *
   * Mostly that is midnight. Where clocks skip midnight it is the first instant after the gap;
   * where midnight comes twice it is the first one; where the zone skips the whole day it is the
   * start of the next day too.
   *
   * @param dayNumber - Days from 1970-01-01.
   */
  startOfDayMs(dayNumber: number): number;
}

/**
 * Looks up a time zone in the data that the runtime brings.
 *
 * @param name - Name in the IANA time zone database.
 * @throws `TypeError` if this is no string, `RangeError` if there is no zone of this name.
 */
export function timeZoneOf(name: string): TimeZone {
  if (name === 'UTC') {
    // The first formatter of a process takes longer to make than the rest of a job takes to load.
    return { startOfDayMs: (dayNumber) => dayNumber * dayMs };
  }
  const formatter = formatterOf(name);
  const offsetMs = (ms: number): number => offsetMsAt(formatter, ms);
  return {
    startOfDayMs(dayNumber) {
      // Local times are counted as if they were UTC.
      const localMs = dayNumber * dayMs;
      const before = localMs - widestOffsetMs;
      const after = localMs + widestOffsetMs;
      const offsetBeforeMs = offsetMs(before);
      const offsetAfterMs = offsetMs(after);
      const early = localMs - offsetBeforeMs;
      if (offsetBeforeMs === offsetAfterMs) {
        return early;
      }
      const changeMs = findChange(before, after, (ms) => offsetMs(ms) !== offsetBeforeMs);
      return early < changeMs ? early : Math.max(changeMs, localMs - offsetAfterMs);
    },
  };
}

function formatterOf(name: string): Intl.DateTimeFormat {
  const expected = `timeZone must be the name of an IANA time zone, such as Europe/Berlin, got ${describeValue(name)}`;
  if (typeof name !== 'string') {
    throw new TypeError(expected);
  }
  // Node 22 takes offsets such as +01:00 for zones and Node 20 does not.
  if (!/^[A-Za-z]/.test(name)) {
    throw new RangeError(expected);
  }
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new RangeError(expected, { cause });
  }
}

/** How far a zone is ahead of UTC at an instant of whole seconds. */
function offsetMsAt(formatter: Intl.DateTimeFormat, ms: number): number {
  // Ends in GMT, GMT+01:00 or, where a zone kept the time of its own meridian, GMT-00:44:30.
  const [, sign, ...fields] = /([+-])(\d\d):(\d\d):?(\d*)$/.exec(formatter.format(ms)) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = fields.map(Number);
  const sizeMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return sign === '-' ? -sizeMs : sizeMs;
}

/** The first whole second from which on `isAfter` holds, where it changes once in between. */
function findChange(beforeMs: number, afterMs: number, isAfter: (ms: number) => boolean): number {
  let beforeS = beforeMs / 1000;
  let afterS = afterMs / 1000;
  while (afterS - beforeS > 1) {
    const middleS = Math.floor((beforeS + afterS) / 2);
    if (isAfter(middleS * 1000)) {
      afterS = middleS;
    } else {
      beforeS = middleS;
    }
  }
  return afterS * 1000;
}
