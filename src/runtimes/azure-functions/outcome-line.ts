import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { outcomeEvent, type OutcomeLevel } from '../../jobs/outcome-event.ts';

/** What a line says besides the outcome. */
export interface LineDetails {
  readonly environment: string;
  readonly functionName: string;
  /** What the nominal time, if there is one, was taken from. */
  readonly nominalTimeSource: 'schedule' | 'clock' | 'request';
  readonly isPastDue: boolean;
  /** Whether it was the first invocation of this function in this process. */
  readonly coldStart: boolean;
  /** What is not as it should be; makes the level at least `warn`. */
  readonly warnings: readonly string[];
}

/**
 * The structured event of an invocation as one line of JSON, and the level to log it at. It stays below
 * the 32 768 characters that Application Insights takes of a message: cut JSON is none, and an alert
 * would not see it.
 *
 * @see https://learn.microsoft.com/azure/azure-monitor/app/data-model-complete#trace
 */
export function outcomeLine(
  outcome: JobOutcome,
  { warnings, ...details }: LineDetails,
): { readonly line: string; readonly level: OutcomeLevel } {
  const event = outcomeEvent(outcome, details, warnings);
  return { line: JSON.stringify(event), level: event.level };
}
