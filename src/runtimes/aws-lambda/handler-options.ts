import { systemClock, type Clock } from '../../core/clock.ts';
import type { Wait } from '../../core/election.ts';
import {
  optionalFunction,
  positiveMs,
  requireFunction,
  requireNumber,
  requireObject,
  requireWait,
} from '../../core/requirements.ts';
import { resolveTiming } from '../../core/timing.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { createJobRunner, type JobRunnerOptions } from '../../jobs/job-runner.ts';
import { requireDimension, requireNamespace } from './metric-names.ts';

/**
 * Options of `lambdaHandler`: those of a job runner. The identity is
 * `aws:<region>:<function>:<version>`, and the request id its label.
 */
export interface LambdaHandlerOptions extends Omit<JobRunnerOptions, 'identity' | 'onOutcome'> {
  /**
   * What must be left of an invocation for winding down and for the release, in milliseconds.
   * Default 5 000.
   */
  readonly reserveMs?: number;
  /** How long to wait for a lease that another holds. Default `one-lease`. */
  readonly wait?: Wait;
  /** Dimension `Environment` of the metrics, 1 to 255 printable ASCII characters. Default `default`. */
  readonly environment?: string;
  /** CloudWatch namespace of the metrics. Default `tenure`; `false`: no metrics. */
  readonly metricsNamespace?: string | false;
  /** Told how each invocation ended, also before it rejects. What it throws is dropped. */
  readonly onOutcome?: (outcome: JobOutcome) => void;
  /**
   * Writes the line with the outcome, given without its line feed. Default to standard output: what
   * the console writes there, Lambda may wrap, and metrics in a wrapped line are not found. What it
   * throws is dropped.
   */
  readonly write?: (line: string) => void;
}

/** {@link LambdaHandlerOptions}, checked and with their defaults. */
export interface HandlerSettings {
  readonly runner: JobRunnerOptions;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
  readonly reserveMs: number;
  readonly wait: Wait;
  readonly environment: string;
  readonly metricsNamespace: string | false;
  readonly onOutcome: ((outcome: JobOutcome) => void) | undefined;
  readonly write: (line: string) => void;
}

/**
 * Checks everything that can be known before the first invocation, so that what is wrong fails the
 * function when it is loaded.
 *
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed.
 */
export function handlerSettings<Cursor>(
  job: Job<Cursor>,
  options: LambdaHandlerOptions,
): HandlerSettings {
  requireObject('options', options, 'an object with store');
  const { reserveMs = 5_000, wait = 'one-lease', environment = 'default', ...others } = options;
  const { metricsNamespace = 'tenure', write = writeLine, onOutcome, ...runner } = others;
  // Made again with its identity, which the first invocation tells.
  createJobRunner(job, runner);
  requireWait(wait);
  if (metricsNamespace !== false) {
    requireDimension('name of the job', job.name);
  }
  return {
    runner,
    clock: runner.clock ?? systemClock,
    leaseDurationMs: resolveTiming(runner.timing ?? {}, runner.store.limits).leaseDurationMs,
    reserveMs: requireNumber('reserveMs', reserveMs, positiveMs),
    wait,
    environment: requireDimension('environment', environment),
    metricsNamespace: requireNamespace('metricsNamespace', metricsNamespace),
    onOutcome: optionalFunction('onOutcome', onOutcome),
    write: requireFunction('write', write),
  };
}

/** One write, so that no other line comes between, and a synchronous one where Lambda runs it. */
function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
