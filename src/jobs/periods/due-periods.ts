import { requireEpochMs, type Periods } from './periods.ts';

/**
 * How early a trigger may come and still count as the tick that it was meant for. The timer of
 * Azure Functions can fire a fraction of a second before its time, and a run for a month that
 * ends at midnight must not wait for the next tick because it was called at 23:59:59.6.
 */
export const earlyTriggerMs = 1_000;

/** Most periods that one look at them walks through: 11 years of hours, or 273 of days. */
const maxPeriods = 100_000;

/**
 * Names the periods that may be worked for, oldest first. Which of them are complete is another
 * question.
 *
 * @param startFrom - Name of the first period to consider.
 * @param nominalMs - The instant for which the trigger was scheduled, never the present one, in
 *   milliseconds since the Unix epoch. Up to {@link earlyTriggerMs} may be missing from it.
 * @returns none if not even the first is due yet.
 * @throws `RangeError` if `startFrom` names no period, or more than 100 000 are due; `TypeError` or
 *   `RangeError` if an instant is no finite number, or does not rise from period to period.
 */
export function duePeriods(
  periods: Periods,
  { startFrom, nominalMs }: { readonly startFrom: string; readonly nominalMs: number },
): readonly string[] {
  const dueUntilMs = requireEpochMs('nominalMs', nominalMs) + earlyTriggerMs;
  let beforeMs = Number.NEGATIVE_INFINITY;
  const isDue = (period: string): boolean => {
    const dueMs = requireEpochMs(`dueFromMs of ${period}`, periods.dueFromMs(period));
    if (dueMs <= beforeMs) {
      throw new RangeError(
        `dueFromMs must rise from one period to the next, got ${dueMs} for ${period} and ${beforeMs} for the one before it`,
      );
    }
    beforeMs = dueMs;
    return dueMs <= dueUntilMs;
  };
  const due: string[] = [];
  for (let period = periods.parse(startFrom); isDue(period); period = periods.next(period)) {
    if (due.length === maxPeriods) {
      throw new RangeError(
        `startFrom must leave at most ${maxPeriods} periods due, got ${startFrom}, from which ${period} is one more: start from a later period, or use longer ones`,
      );
    }
    due.push(period);
  }
  return due;
}
