/**
 * Which stretches of time a job works for. All of it is a function of names and instants: nothing
 * here asks what time it is.
 *
 * @module
 */
import { describeValue } from '../../core/describe-value.ts';
import { requireNumber, type NumberRule } from '../../core/requirements.ts';

/**
 * Periods that follow one another, each known by its name.
 *
 * A name is part of the keys under which effects are recorded, so one period must have one
 * spelling for ever. {@link customPeriods} checks an own implementation as it is used.
 */
export interface Periods {
  /**
   * Checks the name of a period.
   *
   * @returns the name in its one spelling: 1 to 16 of `A-Z a-z 0-9 . _ : -`.
   * @throws `RangeError` naming what was received and what is expected.
   */
  parse(text: string): string;
  /** Name of the period that follows. */
  next(period: string): string;
  /**
   * From which instant on the period may be worked for, in milliseconds since the Unix epoch.
   * Later than that of the period before it: by it, periods are put in order.
   */
  dueFromMs(period: string): number;
}

const periodName = /^[A-Za-z0-9._:-]{1,16}$/;

/**
 * Checks what can be told of the name of a period without knowing the periods.
 *
 * @param name - What is checked, for the error.
 * @throws `TypeError` if this is no string, `RangeError` if it is no such name.
 */
export function requirePeriodName(name: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError(`${name} must be a string, got ${describeValue(value)}`);
  }
  if (!periodName.test(value)) {
    throw new RangeError(
      `${name} must be 1 to 16 letters, digits or any of . _ : -, got ${describeValue(value)}`,
    );
  }
  return value;
}

const epochMs: NumberRule = {
  kind: 'a finite number of milliseconds since the Unix epoch',
  fits: Number.isFinite,
};

/** @throws `TypeError` if this is no number, `RangeError` if it is not finite. */
export function requireEpochMs(name: string, value: unknown): number {
  return requireNumber(name, value, epochMs);
}
