import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { createJobRunner, type JobRunner } from '../../jobs/job-runner.ts';
import { RunRecord } from '../../jobs/run-record.ts';
import { returnedOrThrown } from '../../jobs/returned-or-thrown.ts';
import {
  handlerSettings,
  type HandlerSettings,
  type LambdaHandlerOptions,
} from './handler-options.ts';
import {
  budgetOf,
  identityOf,
  labelOf,
  requireContext,
  type LambdaContext,
} from './lambda-context.ts';
import { attemptOf, triggerOf } from './lambda-event.ts';
import { outcomeLine } from './outcome-line.ts';

/**
 * Makes the handler of a function that runs a job. Made once, at module scope: what it has seen of
 * other holders adds up over the invocations of one process. Nothing else outlives an invocation.
 *
 * The event is the input of a schedule of EventBridge Scheduler, an event of an EventBridge rule, or
 * `{ period }`. Each invocation writes one line, whatever becomes of it: the outcome as JSON, which
 * is also a document in CloudWatch's embedded metric format.
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
  const lambda = new LambdaFunction(job, handlerSettings(job, options));
  return (event, context) => lambda.handle(event, context);
}

/** What is known of one invocation. */
interface Invocation {
  readonly context: LambdaContext;
  readonly attempt: JobOutcome['attempt'];
  readonly isFirst: boolean;
  readonly startMs: number;
  readonly warnings: string[];
  isTold: boolean;
}

class LambdaFunction<Cursor> {
  readonly #job: Job<Cursor>;
  readonly #settings: HandlerSettings;
  /** The invocations that the runner works for, by the ids that it was given and tells. */
  readonly #running = new WeakMap<JobOutcome['attempt'], Invocation>();
  #runner: JobRunner | undefined;
  #isCold = true;

  constructor(job: Job<Cursor>, settings: HandlerSettings) {
    this.#job = job;
    this.#settings = settings;
  }

  async handle(event: unknown, context: LambdaContext): Promise<JobOutcome> {
    const { clock, runner } = this.#settings;
    const invocation: Invocation = {
      context,
      attempt: attemptOf(event, context),
      isFirst: this.#isCold,
      startMs: clock.monotonicMs(),
      warnings: [],
      isTold: false,
    };
    this.#isCold = false;
    try {
      return returnedOrThrown(await this.#run(invocation, event), runner.store.name);
    } catch (error) {
      if (!invocation.isTold) {
        this.#tell(invocation, this.#failed(invocation, error));
      }
      throw error;
    }
  }

  async #run(invocation: Invocation, event: unknown): Promise<JobOutcome> {
    const { clock, reserveMs, runner, wait } = this.#settings;
    const { attempt, warnings } = invocation;
    const context = requireContext(invocation.context);
    const trigger = triggerOf(event, clock.wallMs());
    warnings.push(...this.#warningsAbout(context.getRemainingTimeInMillis()));
    this.#runner ??= createJobRunner(this.#job, {
      ...runner,
      identity: identityOf(context),
      onOutcome: (outcome) => this.#tell(this.#running.get(outcome.attempt), outcome),
    });
    this.#running.set(attempt, invocation);
    const label = labelOf(context);
    return this.#runner.run({
      trigger,
      attempt,
      wait,
      budget: budgetOf(context, reserveMs),
      ...(label !== undefined && { label }),
    });
  }

  /** @throws `RangeError` if nothing could be done in the time that is left. */
  #warningsAbout(leftMs: number): readonly string[] {
    const { leaseDurationMs, reserveMs } = this.#settings;
    // Turned round, so that what is no number does not pass.
    if (!(leftMs > reserveMs)) {
      throw new RangeError(
        `an invocation must begin with more than reserveMs (${reserveMs}), got ${leftMs} ms: raise the function's timeout`,
      );
    }
    return leftMs < leaseDurationMs + reserveMs
      ? [
          `leaseDurationMs + reserveMs (${leaseDurationMs} + ${reserveMs}) exceed the ${leftMs} ms that this invocation began with, so it cannot wait for the lease of a leader that died to run out: raise the function's timeout`,
        ]
      : [];
  }

  /** Tells how an invocation ended. */
  #tell(invocation: Invocation | undefined, outcome: JobOutcome): void {
    if (!invocation) {
      return;
    }
    invocation.isTold = true;
    const { clock, environment, metricsNamespace, onOutcome, write } = this.#settings;
    const line = outcomeLine(outcome, {
      environment,
      metricsNamespace,
      wallMs: clock.wallMs(),
      coldStart: invocation.isFirst,
      warnings: invocation.warnings,
    });
    unharmed(() => write(line));
    unharmed(() => onOutcome?.(outcome));
  }

  /** The outcome of an invocation that never came to a run. */
  #failed({ context, attempt, startMs }: Invocation, error: unknown): JobOutcome {
    const label = labelOf(context);
    const identity = `${identityOf(context)}${label === undefined ? '' : `/${label}`}`;
    const record = new RunRecord(this.#job, identity, attempt);
    const durationMs = this.#settings.clock.monotonicMs() - startMs;
    return record.outcome(record.failure(error, undefined), durationMs);
  }
}

/** Calls what must not fail an invocation, nor end the process by a promise that rejects. */
function unharmed(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(() => {});
  } catch {
    // Dropped by contract.
  }
}
