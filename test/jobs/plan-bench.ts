import { monthly, type CalendarPeriods } from 'tenure/jobs';
import { leftOpen, underWay, type JobState } from '../../src/jobs/job-state.ts';
import type { Moment } from '../../src/jobs/plan.ts';

export const periods: CalendarPeriods = monthly();
const owner = { name: 'orders', lease: 'orders' };
export const job = {
  ...owner,
  periods,
  startFrom: '2026-01',
  catchUp: 'all',
  maxPeriodsPerRun: 7,
} as const;

/** A tick at this instant, by a clock that agrees. */
export function tick(instant: string, period?: string): Moment {
  const nominalMs = Date.parse(instant);
  return { nominalMs, wallMs: nominalMs, period };
}

export function left(
  state: JobState,
  period: string,
  { unfinished = 0, unknown = 0, at = '2026-04-10T00:00:00Z' },
): JobState {
  return leftOpen(state, period, { unfinished, unknown, wallMs: Date.parse(at) });
}

export function interrupted(state: JobState, period: string): JobState {
  return underWay(state, { period, cursor: 'c-017', counts: {}, isCheck: false });
}

export const april: Moment = tick('2026-04-10T00:00:00Z');
