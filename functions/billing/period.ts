/**
 * Checks the name of a billing period.
 *
 * @param text - A month of the years 1970 to 9999 as `YYYY-MM`.
 * @throws `RangeError` naming what was received.
 */
export function parsePeriod(text: string): string {
  const [, year] = /^(\d{4})-(?:0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || Number(year) < 1970) {
    throw new RangeError(
      `period must be a month written YYYY-MM, such as 2026-11, got ${JSON.stringify(text)}`,
    );
  }
  return text;
}

/** The month before the one that `now` is in, in UTC, as `YYYY-MM`: what is billed in arrears. */
export function previousPeriod(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, 7);
}
