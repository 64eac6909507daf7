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
export type { JobOutcome, OutcomeReason, PeriodOutcome } from './job-outcome.ts';
export {
  daily,
  monthly,
  weekly,
  type CalendarOptions,
  type CalendarPeriods,
  type PeriodRange,
} from './periods/calendar-periods.ts';
export { customPeriods, type PeriodsDefinition } from './periods/custom-periods.ts';
export type { Periods } from './periods/periods.ts';
export {
  createJobRunner,
  runJob,
  type JobRunner,
  type JobRunnerOptions,
  type RunOptions,
} from './job-runner.ts';
export type { Trigger } from './trigger.ts';
