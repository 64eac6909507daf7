import { describe, expect, it } from 'vitest';
import { parsePeriod, previousPeriod } from '../../../functions/billing/period.ts';

describe('parsePeriod', () => {
  it.each(['1970-01', '2026-11', '2028-12', '9999-12'])('accepts %s', (text) => {
    expect(parsePeriod(text)).toBe(text);
  });

  it.each([
    '2026-13',
    '2026-00',
    '2026-1',
    '26-11',
    '2026-11-01',
    ' 2026-11',
    '',
    '0000-01',
    'now',
  ])('rejects "%s" by name', (text) => {
    expect(() => parsePeriod(text)).toThrow(
      new RangeError(
        `period must be a month written YYYY-MM, such as 2026-11, got ${JSON.stringify(text)}`,
      ),
    );
  });
});

describe('previousPeriod', () => {
  it.each([
    ['2026-11-29T00:00:00Z', '2026-10'],
    ['2026-03-31T23:59:59Z', '2026-02'],
    ['2026-01-01T00:00:00Z', '2025-12'],
  ])('of %s is %s', (now, period) => {
    expect(previousPeriod(new Date(now))).toBe(period);
  });
});
