import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { outcomeEvent } from '../../jobs/outcome-event.ts';

/** What a line says besides the outcome. */
export interface LineDetails {
  readonly environment: string;
  /** Namespace of the metrics; `false` for none. */
  readonly metricsNamespace: string | false;
  /** When the invocation ended, in milliseconds since the Unix epoch. */
  readonly wallMs: number;
  /** Whether it was the first one in this process. */
  readonly coldStart: boolean;
  /** What is not as it should be; makes the level at least `warn`. */
  readonly warnings: readonly string[];
}

/**
 * One line of JSON that is at once the structured event of an invocation and, with a namespace, a
 * document in CloudWatch's embedded metric format: the figures stand at the top, where the format
 * wants them.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function outcomeLine(outcome: JobOutcome, details: LineDetails): string {
  const { environment, metricsNamespace, wallMs, coldStart, warnings } = details;
  const { figures, ...fields } = outcomeEvent(outcome, { environment, coldStart }, warnings);
  // What is no number is none in JSON either, and CloudWatch drops the line for it.
  const numbers = Object.entries(figures).filter(([, value]) => Number.isFinite(value));
  return JSON.stringify({
    ...fields,
    ...Object.fromEntries(numbers),
    ...(metricsNamespace !== false && {
      Job: outcome.job,
      Environment: environment,
      _aws: {
        Timestamp: Math.round(wallMs),
        CloudWatchMetrics: [
          {
            Namespace: metricsNamespace,
            Dimensions: [['Job', 'Environment']],
            Metrics: numbers.map(([name]) => ({ Name: name, Unit: unitOf(name) })),
          },
        ],
      },
    }),
  });
}

function unitOf(name: string): string {
  return name.endsWith('Ms') ? 'Milliseconds' : name.endsWith('Seconds') ? 'Seconds' : 'Count';
}
