import { describeValue } from '../../core/describe-value.ts';
import type { Trigger } from '../../jobs/trigger.ts';
import { parseInstant } from './nominal-time.ts';

/**
 * The input that a schedule of EventBridge Scheduler needs, for people to paste: the service puts
 * values in the place of the four names.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
 */
export const scheduleInput: string = JSON.stringify({
  scheduledTime: '<aws.scheduler.scheduled-time>',
  executionId: '<aws.scheduler.execution-id>',
  attemptNumber: '<aws.scheduler.attempt-number>',
  scheduleArn: '<aws.scheduler.schedule-arn>',
});

/** How far the nominal time may lie ahead: no schedule fires early, but clocks differ. */
const maxAheadMs = 60_000;
/** Ids longer than this are none that a schedule made. */
const maxIdLength = 256;

type Fields = Readonly<Record<string, unknown>>;

/**
 * What makes the job run, read from the event of an invocation:
 *
 * - `{ scheduledTime }`, the input of a schedule of EventBridge Scheduler.
 * - An event of a rule on an EventBridge bus: `source` is `aws.events`, `time` the nominal time.
 * - `{ period }`, from a person or a backfill. Not together with a nominal time: the two plan
 *   differently, and which was meant cannot be known.
 *
 * Other fields are ignored. What Scheduler sends without an input is refused, although it has a
 * `time`: nothing says whether that is the nominal time or the one of the delivery.
 *
 * @param wallMs - What the clock says, in milliseconds since the Unix epoch. A nominal time that is
 *   more than a minute ahead of it is refused: it would make periods due that are not over.
 * @throws `TypeError` or `RangeError` whose message has the input to paste into the schedule.
 */
export function triggerOf(event: unknown, wallMs: number): Trigger {
  const fields = fieldsOf(event);
  const { name, value } = nominalTimeIn(fields);
  const period = fields['period'];
  if (period === undefined) {
    return { nominalTime: requireNominalTime(name, value, wallMs) };
  }
  if (typeof period !== 'string') {
    throw new TypeError(`period must be text, got ${describeValue(period)}; ${advice}`);
  }
  if (value !== undefined) {
    throw new TypeError(
      `the event must have a period or a nominal time, got both period and ${name}; ${advice}`,
    );
  }
  return { period };
}

/** By what ids others know the invocation; those that the event and the context have. */
export function attemptOf(event: unknown, context: unknown): Readonly<Record<string, string>> {
  const fields = isFields(event) ? event : {};
  const ids = {
    awsRequestId: isFields(context) ? context['awsRequestId'] : undefined,
    executionId: fields['executionId'],
    attemptNumber: fields['attemptNumber'],
    scheduleArn: fields['scheduleArn'],
    eventId: isRuleEvent(fields) ? fields['id'] : undefined,
  };
  const known = Object.entries(ids).flatMap(([name, value]) => {
    const id = typeof value === 'number' ? String(value) : value;
    return typeof id === 'string' && isId(id) ? [[name, id] as const] : [];
  });
  return Object.fromEntries(known);
}

const advice = `a schedule of EventBridge Scheduler needs this input: ${scheduleInput}`;

function fieldsOf(event: unknown): Fields {
  if (!isFields(event)) {
    throw new TypeError(`the event must be an object, got ${describeValue(event)}; ${advice}`);
  }
  return event;
}

function nominalTimeIn(fields: Fields): { readonly name: string; readonly value: unknown } {
  const name = isRuleEvent(fields) && !('scheduledTime' in fields) ? 'time' : 'scheduledTime';
  return { name, value: fields[name] };
}

function requireNominalTime(name: string, value: unknown, wallMs: number): Date {
  if (typeof value !== 'string') {
    throw new TypeError(
      `${name} must be the nominal time of the run, got ${describeValue(value)}; ${advice}`,
    );
  }
  if (isPlaceholder(value)) {
    throw new RangeError(
      `${name} must be a time, got ${describeValue(value)}, which only EventBridge Scheduler replaces; ${advice}`,
    );
  }
  const nominalTime = parseInstant(value);
  if (!nominalTime) {
    throw new RangeError(
      `${name} must be a time in UTC such as 2026-11-01T00:00:00Z, got ${shown(value)}; ${advice}`,
    );
  }
  if (nominalTime.getTime() > wallMs + maxAheadMs) {
    throw new RangeError(
      `${name} must not be in the future, got ${value}: it would make periods due that are not over; to run one by its name, send {"period":"..."}`,
    );
  }
  return nominalTime;
}

function isRuleEvent(fields: Fields): boolean {
  return fields['source'] === 'aws.events';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlaceholder(text: string): boolean {
  return text.startsWith('<aws.scheduler.');
}

function isId(text: string): boolean {
  return text !== '' && text.length <= maxIdLength && !isPlaceholder(text);
}

/** What stands in an event may be of any length, and a message is a line in a log. */
function shown(text: string): string {
  return describeValue(text.slice(0, 64));
}
