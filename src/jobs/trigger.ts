import type { Clock } from '../core/clock.ts';
import { describeValue } from '../core/describe-value.ts';
import { requireObject } from '../core/requirements.ts';
import type { Periods } from './periods/periods.ts';
import type { Moment } from './plan.ts';

/** What makes a job run. */
export type Trigger =
  | {
      /**
       * The time for which the run was scheduled, not that at which it began. It is believed: one that
       * lies ahead makes periods due that are not over.
       */
      readonly nominalTime: Date;
    }
  | {
      /** A period that a person, or a backfill, asks for by name. */
      readonly period: string;
    };

const kind = 'an object with a nominalTime (Date) or a period (text)';

/**
 * Checks a trigger.
 *
 * @param given - The trigger, or what finds it.
 * @throws `TypeError` or `RangeError` if it is none, or names no period of this job; what `given`
 *   throws.
 */
export function requireTrigger(given: Trigger | (() => Trigger), periods: Periods): Trigger {
  const trigger = typeof given === 'function' ? given() : given;
  requireObject('trigger', trigger, kind);
  if ('period' in trigger) {
    if (typeof trigger.period !== 'string') {
      throw new TypeError(`trigger.period must be text, got ${describeValue(trigger.period)}`);
    }
    return { period: periods.parse(trigger.period) };
  }
  const { nominalTime } = trigger;
  if (!isDate(nominalTime)) {
    throw new TypeError(`trigger must be ${kind}, got nominalTime ${describeValue(nominalTime)}`);
  }
  if (Number.isNaN(nominalTime.getTime())) {
    throw new RangeError('trigger.nominalTime must be a valid Date, got Invalid Date');
  }
  return { nominalTime };
}

/** Whether this is a date, also one of another realm. */
function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Date]';
}

/** What an invocation knows when it decides. */
export function momentOf(trigger: Trigger, clock: Clock): Moment {
  const wallMs = clock.wallMs();
  return 'period' in trigger
    ? { nominalMs: wallMs, wallMs, period: trigger.period }
    : { nominalMs: trigger.nominalTime.getTime(), wallMs, period: undefined };
}
