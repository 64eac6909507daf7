/** ISO 8601 in UTC, as `2026-11-01T00:00:00Z`; both kinds of schedule write it so. */
const isoInstant = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Reads a time that a schedule wrote; `undefined` if it is none. */
export function parseInstant(text: string): Date | undefined {
  const [, day] = isoInstant.exec(text) ?? [];
  if (day === undefined) {
    return undefined;
  }
  // oxlint-disable-next-line no-restricted-globals -- reads a text, not the clock
  const instant = new Date(text);
  // A day that its month does not have reads as one of the next month.
  const exists = !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day);
  return exists ? instant : undefined;
}
