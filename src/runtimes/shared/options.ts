import { systemClock, type Clock } from '../../core/clock.ts';
import type { Wait } from '../../core/election.ts';
import {
  optionalFunction,
  positiveMs,
  requireName,
  requireNumber,
  requireWait,
} from '../../core/requirements.ts';
import { resolveTiming } from '../../core/timing.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { createJobRunner, type JobRunnerOptions } from '../../jobs/job-runner.ts';

/** Options that a job's function takes in every cloud: those of a job runner and some more. */
export interface FunctionOptions extends Omit<JobRunnerOptions, 'identity'> {
  /**
   * What must be left of an invocation for the work to wind down and for the release, in
   * milliseconds. Default 5 000.
   */
  readonly reserveMs?: number;
  /** How long to wait for a lease that another holds. Default `one-lease`. */
  readonly wait?: Wait;
  /** Name of the environment, such as `prod`; part of the outcome events. Default `default`. */
  readonly environment?: string;
  /**
   * Told how each invocation ended, also before it rejects. What it throws is dropped, and so is the
   * rejection of an async one.
   */
  readonly onOutcome?: (outcome: JobOutcome) => void;
}

/** {@link FunctionOptions}, checked and with their defaults. */
export interface FunctionSettings {
  readonly runner: JobRunnerOptions;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
  readonly reserveMs: number;
  readonly wait: Wait;
  readonly environment: string;
  readonly onOutcome: ((outcome: JobOutcome) => void) | undefined;
}

/**
 * Checks everything that can be known before the first invocation, so that what is wrong fails the
 * function when it is loaded.
 *
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed.
 */
export function requireFunctionSettings<Cursor>(
  job: Job<Cursor>,
  options: FunctionOptions,
): FunctionSettings {
  const {
    reserveMs = 5_000,
    wait = 'one-lease',
    environment = 'default',
    onOutcome,
    ...runner
  } = options;
  // Checks them; made again with its identity, which only an invocation may know.
  createJobRunner(job, runner);
  requireWait(wait);
  return {
    runner,
    clock: runner.clock ?? systemClock,
    leaseDurationMs: resolveTiming(runner.timing ?? {}, runner.store.limits).leaseDurationMs,
    reserveMs: requireNumber('reserveMs', reserveMs, positiveMs),
    wait,
    environment: requireName('environment', environment),
    onOutcome: optionalFunction('onOutcome', onOutcome),
  };
}
