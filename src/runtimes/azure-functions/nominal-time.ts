import { describeValue } from '../../core/describe-value.ts';

/** For which time an invocation was scheduled. */
export interface NominalTime {
  readonly nominalTime: Date;
  /** `schedule`: the host named the tick. `clock`: it did not, and the present time stands in. */
  readonly source: 'schedule' | 'clock';
  /** Why the host's word was not taken; `undefined` if it was. */
  readonly warning: string | undefined;
}

/**
 * How far ahead of the clock a tick may lie and still be the one that is being run: the host can
 * fire a little early, and its clock is the same machine's.
 */
const maxAheadMs = 5_000;

/** With the offset from UTC, as .NET writes an instant that it knows the zone of. */
const instantText = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Finds out for which tick a timer was fired.
 *
 * While a timer runs, `scheduleStatus.next` still is the tick that is being run: the host moves it on
 * afterwards. So it is also for a past due call, where it is the oldest tick that was missed: the period
 * comes from the schedule, not from the time of a late call, and what became due after that tick is due
 * at the next one too.
 *
 * It is not known for a timer without a schedule monitor (`null`), and it is a tick to come when the host
 * fires for another reason: at startup, or when someone runs the function by hand. The present time then
 * stands in: it can make due only what is over, and nothing that a tick of the past would not.
 *
 * @param timer - What the host passed.
 * @param wallMs - What the clock says, in milliseconds since the Unix epoch.
 */
export function nominalTimeOf(timer: unknown, wallMs: number): NominalTime {
  const next = nextIn(timer);
  const tickMs = typeof next === 'string' && instantText.test(next) ? instant(next).getTime() : NaN;
  // .NET's empty date is a valid one, in the year 1.
  if (!(tickMs > 0)) {
    const warning = `the host names no tick (scheduleStatus.next is ${shown(next)}): the present time stands in for it`;
    return { nominalTime: instant(wallMs), source: 'clock', warning };
  }
  if (tickMs > wallMs + maxAheadMs) {
    const warning = `the host fires outside the schedule, whose next tick is ${String(next)}: the present time stands in for it`;
    return { nominalTime: instant(wallMs), source: 'clock', warning };
  }
  return { nominalTime: instant(tickMs), source: 'schedule', warning: undefined };
}

/** Whether the host says that the tick was missed when it was due. */
export function isPastDue(timer: unknown): boolean {
  return memberOf(timer, 'isPastDue') === true;
}

function nextIn(timer: unknown): unknown {
  return memberOf(memberOf(timer, 'scheduleStatus'), 'next');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function shown(next: unknown): string {
  return describeValue(typeof next === 'string' ? next.slice(0, 64) : next);
}

function instant(at: string | number): Date {
  // oxlint-disable-next-line no-restricted-globals -- an instant that was given, not the present one
  return new Date(at);
}
