import { describe, expect, it } from 'vitest';
import { isPastDue, nominalTimeOf } from '../../../src/runtimes/azure-functions/nominal-time.ts';

const nowMs = Date.parse('2026-11-01T00:00:00Z');

function timer(next: unknown): object {
  const last = '2026-10-31T23:55:00Z';
  return { isPastDue: false, scheduleStatus: { last, lastUpdated: last, next } };
}

describe('the nominal time of a timer', () => {
  it.each([
    ['the tick that is due now', '2026-11-01T00:00:00Z', '2026-11-01T00:00:00.000Z'],
    [
      'a tick a little ahead, of a host that fires early',
      '2026-11-01T00:00:00.4000000Z',
      '2026-11-01T00:00:00.400Z',
    ],
    ['a tick 5 s ahead', '2026-11-01T00:00:05Z', '2026-11-01T00:00:05.000Z'],
    ['a tick that was missed', '2026-10-29T02:00:00Z', '2026-10-29T02:00:00.000Z'],
    [
      'a tick in a time zone of its own',
      '2026-11-01T00:55:00.0000000+01:00',
      '2026-10-31T23:55:00.000Z',
    ],
  ])('is %s', (_, next, expected) => {
    const { nominalTime, source, warning } = nominalTimeOf(timer(next), nowMs);
    expect({ at: nominalTime.toISOString(), source, warning }).toEqual({
      at: expected,
      source: 'schedule',
      warning: undefined,
    });
  });

  it.each([
    [
      'the host fires at startup, ahead of the next tick',
      timer('2026-11-01T00:00:05.001Z'),
      /next tick is 2026-11-01T00:00:05\.001Z/,
    ],
    [
      'someone runs the function by hand in the middle of a month',
      timer('2026-12-01T00:00:00Z'),
      /outside the schedule/,
    ],
    [
      'there is no schedule monitor',
      { isPastDue: false, scheduleStatus: null },
      /next is undefined/,
    ],
    ['the tick is null', timer(null), /next is null/],
    [
      "the tick is .NET's empty date",
      timer('0001-01-01T00:00:00'),
      /next is "0001-01-01T00:00:00"/,
    ],
    ["the tick is .NET's empty date in UTC", timer('0001-01-01T00:00:00Z'), /names no tick/],
    ['the tick does not say in which zone', timer('2026-10-31T23:55:00'), /names no tick/],
    ['the tick is no time', timer('2026-13-45T00:00:00Z'), /names no tick/],
    ['the tick is a number', timer(1_793_491_200_000), /next is 1793491200000/],
    ['the host passes nothing', undefined, /names no tick/],
    ['the host passes text', 'now', /names no tick/],
  ])('is the present time, with a warning, where %s', (_, given, message) => {
    const { nominalTime, source, warning } = nominalTimeOf(given, nowMs);
    expect({ ms: nominalTime.getTime(), source }).toEqual({ ms: nowMs, source: 'clock' });
    expect(warning).toMatch(message);
    expect(warning).toContain('the present time stands in for it');
  });

  it('is never later than the present time by more than 5 s', () => {
    for (let aheadMs = -10_000; aheadMs <= 10_000; aheadMs += 250) {
      const next = new Date(nowMs + aheadMs).toISOString();
      const { nominalTime } = nominalTimeOf(timer(next), nowMs);
      expect(nominalTime.getTime()).toBe(aheadMs <= 5_000 ? nowMs + aheadMs : nowMs);
    }
  });

  it('does not repeat a long text in its warning', () => {
    expect(nominalTimeOf(timer('x'.repeat(9_000)), nowMs).warning?.length).toBeLessThan(300);
  });
});

describe('whether a tick is past due', () => {
  it('is what the host says, and no if it does not say', () => {
    expect(isPastDue({ isPastDue: true })).toBe(true);
    expect(isPastDue({ isPastDue: false })).toBe(false);
    expect(isPastDue(undefined)).toBe(false);
  });
});
