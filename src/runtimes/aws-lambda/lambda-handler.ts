import { quietly } from '../../core/quietly.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { createJobRunner, type JobRunner } from '../../jobs/job-runner.ts';
import { leaseWarning } from '../shared/lease-warning.ts';
import { returnedOrThrown } from '../shared/returned-or-thrown.ts';
import { identityOf, labelOf, requireTimeLeft, type LambdaContext } from './lambda-context.ts';
import { attemptOf, triggerOf } from './lambda-event.ts';
import { requireSettings, type HandlerSettings, type LambdaHandlerOptions } from './options.ts';
import { outcomeLine } from './outcome-line.ts';

/**
 * Makes the handler of a function that runs a job. Made once, at module scope: what it has seen of
 * other holders adds up over the invocations of one process. Nothing else outlives an invocation.
 *
 * The event is the input of a schedule of EventBridge Scheduler, an event of an EventBridge rule, or
 * `{ period }`. Each invocation writes one line: the outcome as JSON, which is also a document in
 * CloudWatch's embedded metric format. It writes none if Lambda stops the process in its course: at the
 * time limit, out of memory, or when the function failed to load.
 *
 * @returns a handler that resolves to the outcome if the job led, followed, had nothing to do, or
 *   lost the lease to another holder. It rejects with what the run threw; with a store error; with
 *   `LeaseLostError` if the lease ran out over the work, since a retry must go on with that; with
 *   `TypeError` or `RangeError` if the event is none of these, or the time limit is too short.
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed.
 */
export function lambdaHandler<Cursor>(
  job: Job<Cursor>,
  options: LambdaHandlerOptions,
): (event: unknown, context: LambdaContext) => Promise<JobOutcome> {
  const lambda = new LambdaFunction(job, requireSettings(job, options));
  return (event, context) => lambda.handle(event, context);
}

class LambdaFunction<Cursor> {
  readonly #job: Job<Cursor>;
  readonly #settings: HandlerSettings;
  #runner: JobRunner | undefined;
  #isCold = true;

  constructor(job: Job<Cursor>, settings: HandlerSettings) {
    this.#job = job;
    this.#settings = settings;
  }

  async handle(event: unknown, context: LambdaContext): Promise<JobOutcome> {
    const { clock, reserveMs, runner, wait } = this.#settings;
    const label = labelOf(context);
    const coldStart = this.#isCold;
    this.#isCold = false;
    let beganWithMs: number | undefined;
    const outcome = await this.#runnerAt(identityOf(context)).run({
      trigger: () => {
        beganWithMs = requireTimeLeft(context, reserveMs);
        return triggerOf(event, clock.wallMs());
      },
      wait,
      budget: { reserveMs, remainingMs: () => context.getRemainingTimeInMillis() },
      attempt: attemptOf(event, context),
      ...(label !== undefined && { label }),
      onOutcome: (told) => this.#tell(told, { coldStart, beganWithMs }),
    });
    return returnedOrThrown(outcome, runner.store.name);
  }

  /** Only a context tells the identity; that of another place, or of none, must not stay. */
  #runnerAt(identity: string): JobRunner {
    if (this.#runner?.identity !== identity) {
      this.#runner = createJobRunner(this.#job, { ...this.#settings.runner, identity });
    }
    return this.#runner;
  }

  #tell(
    outcome: JobOutcome,
    invocation: { readonly coldStart: boolean; readonly beganWithMs: number | undefined },
  ): void {
    const { clock, environment, leaseDurationMs, metricsNamespace, onOutcome, reserveMs, write } =
      this.#settings;
    const { coldStart, beganWithMs: budgetMs } = invocation;
    const isWarned = coldStart && budgetMs !== undefined;
    const line = outcomeLine(outcome, {
      environment,
      metricsNamespace,
      wallMs: clock.wallMs(),
      coldStart,
      warnings: isWarned ? leaseWarning(leaseDurationMs, { budgetMs, reserveMs }) : [],
    });
    quietly(() => write(line));
    quietly(() => onOutcome?.(outcome));
  }
}
