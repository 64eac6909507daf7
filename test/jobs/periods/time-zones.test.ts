import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daily, monthly, weekly } from '../../../src/jobs/periods/calendar-periods.ts';
import { at, changingZones, dayAfterEpoch, localTimeIn, zones } from './local-time.ts';

const hourMs = 3_600_000;

function hoursOf(timeZone: string, day: string): number {
  const { startMs, endMs } = daily({ timeZone }).rangeOf(day);
  return (endMs - startMs) / hourMs;
}

/** How far a zone's clocks are ahead of UTC. */
function aheadMs(localTime: (ms: number) => string, ms: number): number {
  return at(`${localTime(ms).replace(' ', 'T')}Z`) - ms;
}

describe('a day in a time zone', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['Australia/Lord_Howe', '2026-10-04', 23.5],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    ['Asia/Kolkata', '2026-03-29', 24],
    ['UTC', '2026-03-29', 24],
  ])('of %s on %s lasts %d hours', (timeZone, day, hours) => {
    expect(hoursOf(timeZone, day)).toBe(hours);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00Z'],
  ])('of %s on %s starts at 01:00 where clocks skip midnight', (timeZone, day, start) => {
    const { startMs } = daily({ timeZone }).rangeOf(day);
    expect(startMs).toBe(at(start));
    expect(localTimeIn(timeZone)(startMs)).toBe(`${day} 01:00:00`);
    expect(hoursOf(timeZone, day)).toBe(23);
  });

  it.each([
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', 25],
    ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00Z', 25],
    // Clocks went from 00:01 back to 23:01 of the day before.
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00Z', 25],
  ])('of %s on %s starts at the first of two midnights', (timeZone, day, start, hours) => {
    const { startMs } = daily({ timeZone }).rangeOf(day);
    expect(startMs).toBe(at(start));
    expect(localTimeIn(timeZone)(startMs)).toBe(`${day} 00:00:00`);
    expect(hoursOf(timeZone, day)).toBe(hours);
  });

  it('of Cairo is longer by the hour that its last one is repeated', () => {
    expect(hoursOf('Africa/Cairo', '2026-10-29')).toBe(25);
    expect(daily({ timeZone: 'Africa/Cairo' }).rangeOf('2026-10-30').startMs).toBe(
      at('2026-10-29T22:00:00Z'),
    );
  });

  it.each([
    ['Pacific/Apia', ['2011-12-29', '2011-12-30', '2011-12-31'], '2011-12-30T10:00:00Z'],
    ['Pacific/Kwajalein', ['1993-08-20', '1993-08-21', '1993-08-22'], '1993-08-21T12:00:00Z'],
  ])('of %s covers no instant where the zone skipped it', (timeZone, names, change) => {
    const [eve = '', day = '', morrow = ''] = names;
    const periods = daily({ timeZone });
    const changeMs = at(change);
    expect(periods.next(eve)).toBe(day);
    expect(periods.next(day)).toBe(morrow);
    expect(periods.rangeOf(eve)).toEqual({ startMs: changeMs - 24 * hourMs, endMs: changeMs });
    expect(periods.rangeOf(day)).toEqual({ startMs: changeMs, endMs: changeMs });
    expect(periods.rangeOf(morrow)).toEqual({ startMs: changeMs, endMs: changeMs + 24 * hourMs });
  });

  it('of Monrovia starts to the second where the zone kept the time of its meridian', () => {
    expect(daily({ timeZone: 'Africa/Monrovia' }).rangeOf('1971-06-01').startMs).toBe(
      at('1971-06-01T00:44:30Z'),
    );
  });
});

describe('weeks and months in a time zone', () => {
  it('are longer or shorter by what the clocks are changed', () => {
    const berlin = { timeZone: 'Europe/Berlin' };
    expect(weekly(berlin).rangeOf('2026-W13')).toEqual({
      startMs: at('2026-03-23T00:00:00+01:00'),
      endMs: at('2026-03-30T00:00:00+02:00'),
    });
    expect(monthly(berlin).rangeOf('2026-10')).toEqual({
      startMs: at('2026-10-01T00:00:00+02:00'),
      endMs: at('2026-11-01T00:00:00+01:00'),
    });
    expect(monthly({ timeZone: 'America/New_York' }).rangeOf('2026-11')).toEqual({
      startMs: at('2026-11-01T00:00:00-04:00'),
      endMs: at('2026-12-01T00:00:00-05:00'),
    });
  });
});

describe('the start of a day', () => {
  const dayMs = 24 * hourMs;
  const lastDay = Date.UTC(2100, 0, 1) / dayMs;

  it.each(zones)('shows midnight on the clocks of %s unless they were set then', (timeZone) => {
    const localTime = localTimeIn(timeZone);
    const periods = daily({ timeZone });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lastDay }), (number) => {
        const day = dayAfterEpoch(number);
        const { startMs } = periods.rangeOf(day);
        const wereSet = aheadMs(localTime, startMs) !== aheadMs(localTime, startMs - 1_000);
        expect(wereSet || localTime(startMs) === `${day} 00:00:00`).toBe(true);
        expect(localTime(startMs - 1) < day).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it.each(changingZones)('is the first instant with its date or a later one in %s', (timeZone) => {
    const localTime = localTimeIn(timeZone);
    const periods = daily({ timeZone });
    const beginsRightly = (number: number): boolean => {
      const day = dayAfterEpoch(number);
      const { startMs } = periods.rangeOf(day);
      const earlierMs = Array.from({ length: 60 }, (_, index) => index * 1_800_000 + 1_000);
      return localTime(startMs) >= day && earlierMs.every((ms) => localTime(startMs - ms) < day);
    };
    const offsetsMs = Array.from({ length: Date.UTC(2040, 0, 1) / dayMs }, (_, number) =>
      aheadMs(localTime, number * dayMs),
    );
    const changes = [...offsetsMs.keys()].filter(
      (number) => number > 0 && offsetsMs[number] !== offsetsMs[number - 1],
    );
    expect(changes).not.toEqual([]);
    const days = changes.flatMap((number) => [number - 1, number]);
    expect(days.filter((number) => !beginsRightly(number)).map(dayAfterEpoch)).toEqual([]);
  });
});

describe('timeZone', () => {
  it('is UTC unless given, whatever zone the machine is in', () => {
    expect(daily().rangeOf('2026-11-28').startMs).toBe(at('2026-11-28T00:00:00Z'));
  });

  it.each(['Mars/Olympus', '', 'Berlin', 'Europe/Berlin ', '+01:00', '-0500', '01:00'])(
    'refuses %j and gives an example',
    (timeZone) => {
      expect(() => daily({ timeZone })).toThrow(
        new RangeError(
          `timeZone must be the name of an IANA time zone, such as Europe/Berlin, got ${JSON.stringify(timeZone)}`,
        ),
      );
    },
  );

  it('refuses what is no string', () => {
    const misuse: unknown = null;
    expect(() => daily({ timeZone: misuse as string })).toThrow(
      new TypeError(
        'timeZone must be the name of an IANA time zone, such as Europe/Berlin, got null',
      ),
    );
  });
});
