/**
 * Jobs: which periods are due, and one path by which each is worked for to its end.
 *
 * @module
 */
export { defineJob } from './define-job.ts';
export type {
  CatchUp,
  Job,
  JobDefinition,
  JobLeadership,
  JobRun,
  Reconciliation,
  SweepResult,
} from './job.ts';
export type { JobOutcome, OutcomeReason, PeriodOutcome, Trigger } from './job-outcome.ts';
export {
  isFailure,
  outcomeEvent,
  type OutcomeEvent,
  type OutcomeFigures,
  type OutcomeLevel,
} from './outcome-event.ts';
export {
  daily,
  monthly,
  weekly,
  type CalendarOptions,
  type CalendarPeriods,
} from './periods/calendar-periods.ts';
export { customPeriods, type PeriodsDefinition } from './periods/custom-periods.ts';
export type { PeriodRange, Periods } from './periods/periods.ts';
export {
  createJobRunner,
  runJob,
  type JobRunner,
  type JobRunnerOptions,
  type RunOptions,
} from './job-runner.ts';
