import { requireFunction, requireObject } from '../../core/requirements.ts';
import type { Job } from '../../jobs/job.ts';
import {
  requireFunctionSettings,
  type FunctionOptions,
  type FunctionSettings,
} from '../shared/options.ts';
import { requireDimension, requireNamespace } from './metric-names.ts';

/**
 * Options of `lambdaHandler`. The identity is `aws:<region>:<function>:<version>`, and the request id
 * its label. With metrics, their dimensions are the name of the job and `environment`, each 1 to 255
 * printable ASCII characters.
 */
export interface LambdaHandlerOptions extends FunctionOptions {
  /** CloudWatch namespace of the metrics. Default `tenure`; `false`: no metrics. */
  readonly metricsNamespace?: string | false;
  /**
   * Writes the line with the outcome, given without its line feed. Default to standard output: what
   * the console writes there, Lambda may wrap, and metrics in a wrapped line are not found. What it
   * throws is dropped.
   */
  readonly write?: (line: string) => void;
}

/** {@link LambdaHandlerOptions}, checked and with their defaults. */
export interface HandlerSettings extends FunctionSettings {
  readonly metricsNamespace: string | false;
  readonly write: (line: string) => void;
}

/** @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed. */
export function requireSettings<Cursor>(
  job: Job<Cursor>,
  options: LambdaHandlerOptions,
): HandlerSettings {
  requireObject('options', options, 'an object with store');
  const { metricsNamespace = 'tenure', write = writeLine, ...shared } = options;
  const settings = requireFunctionSettings(job, shared);
  if (metricsNamespace !== false) {
    requireDimension('name of the job', job.name);
    requireDimension('environment', settings.environment);
  }
  return {
    ...settings,
    metricsNamespace: requireNamespace('metricsNamespace', metricsNamespace),
    write: requireFunction('write', write),
  };
}

/** One write, so that no other line comes between, and a synchronous one where Lambda runs it. */
function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
