import type { Clock } from '../core/clock.ts';
import { describeValue } from '../core/describe-value.ts';
import { requireObject } from '../core/requirements.ts';
import type { Trigger } from './job-outcome.ts';
import type { Periods } from './periods/periods.ts';
import type { Moment } from './plan.ts';

const kind = 'an object with a nominalTime (Date) or a period (text)';

/**
 * Checks a trigger.
 *
 * @throws `TypeError` or `RangeError` if it is none, or names no period of this job.
 */
export function requireTrigger(trigger: Trigger, periods: Periods): Trigger {
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
