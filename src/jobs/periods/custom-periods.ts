import { describeValue } from '../../core/describe-value.ts';
import { optionalFunction, requireFunction, requireObject } from '../../core/requirements.ts';
import { requireEpochMs, requirePeriodName, type Periods } from './periods.ts';

/** Periods of one's own, such as quarters or hours. */
export interface PeriodsDefinition {
  /**
   * Checks a name and returns its one spelling; throws a `RangeError` that says what is expected.
   * Default: any 1 to 16 of `A-Z a-z 0-9 . _ : -`, as it is.
   */
  readonly parse?: (text: string) => string;
  /** Name of the period that follows. */
  readonly next: (period: string) => string;
  /**
   * From which instant on the period may be worked for, in milliseconds since the Unix epoch;
   * later than for the period before it.
   */
  readonly dueFromMs: (period: string) => number;
}

/**
 * Makes {@link Periods} of a definition, and checks each answer of it when it is given: names fit
 * and have one spelling, a period is due later than the one before it, instants are finite.
 *
 * What the definition throws passes unchanged.
 *
 * @throws `TypeError` if a part is missing or is no function; each method later throws `TypeError`
 *   or `RangeError` for an answer that does not fit, and names it.
 */
export function customPeriods(definition: PeriodsDefinition): Periods {
  requireObject('definition', definition);
  optionalFunction('parse', definition.parse);
  requireFunction('next', definition.next);
  requireFunction('dueFromMs', definition.dueFromMs);
  return Object.freeze<Periods>({
    parse: (text) => parsed(definition, text),
    next: (period) => following(definition, period),
    dueFromMs: (period) => dueFromMs(definition, period),
  });
}

function parsed(definition: PeriodsDefinition, text: string): string {
  if (definition.parse === undefined) {
    return requirePeriodName('period', text);
  }
  const name = requirePeriodName('what parse returns', definition.parse(text));
  const again = definition.parse(name);
  if (again !== name) {
    throw new RangeError(
      `parse must leave the name of a period as it is, got ${describeValue(again)} for ${describeValue(name)}`,
    );
  }
  return name;
}

function following(definition: PeriodsDefinition, period: string): string {
  const name = requirePeriodName('what next returns', definition.next(period));
  const spelling = parsed(definition, name);
  if (spelling !== name) {
    throw new RangeError(
      `next must return the name of a period as parse spells it (${spelling}), got ${describeValue(name)}`,
    );
  }
  const dueMs = dueFromMs(definition, period);
  const nextDueMs = dueFromMs(definition, name);
  if (nextDueMs <= dueMs) {
    throw new RangeError(
      `dueFromMs must rise from one period to the next, got ${dueMs} for ${period} and ${nextDueMs} for ${name} after it`,
    );
  }
  return name;
}

function dueFromMs(definition: PeriodsDefinition, period: string): number {
  return requireEpochMs(`dueFromMs of ${period}`, definition.dueFromMs(period));
}
