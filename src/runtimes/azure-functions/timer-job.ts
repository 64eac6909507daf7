import type { InvocationContext } from '@azure/functions';
import type { Budget } from '../../core/budget.ts';
import { instantOf } from '../../core/clock.ts';
import { elapsedMs } from '../../core/validity.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome, Trigger } from '../../jobs/job-outcome.ts';
import { createJobRunner, type JobRunner } from '../../jobs/job-runner.ts';
import { returnedOrThrown } from '../../jobs/returned-or-thrown.ts';
import type { Drain } from './drain.ts';
import { azureIdentity } from './identity.ts';
import type { TimerSettings } from './options.ts';
import { outcomeLine, type LineDetails } from './outcome-line.ts';

/** What makes a function run, and what is to be told about that. */
export interface Invocation extends Pick<
  LineDetails,
  'functionName' | 'isPastDue' | 'nominalTimeSource' | 'warnings'
> {
  readonly trigger: Trigger;
  readonly budgetMs: number;
}

/** Runs one job for the functions that are registered for it, one runner for all. */
export class TimerJob<Cursor> {
  readonly #settings: TimerSettings;
  readonly #drain: Drain;
  readonly #runner: JobRunner;
  /** How to log the outcome of each invocation that is under way, by its id. */
  readonly #logs = new Map<string, (outcome: JobOutcome) => void>();
  #isCold = true;

  /** @throws `TypeError` or `RangeError` as `createJobRunner`. */
  constructor(job: Job<Cursor>, settings: TimerSettings, drain: Drain) {
    this.#settings = settings;
    this.#drain = drain;
    this.#runner = createJobRunner(job, {
      ...settings.runner,
      identity: azureIdentity(settings.where, settings.functionName),
      onOutcome: (outcome) => {
        this.#logs.get(outcome.attempt['invocationId'] ?? '')?.(outcome);
        settings.onOutcome?.(outcome);
      },
    });
  }

  /**
   * Runs the job and logs its outcome, once, in any case.
   *
   * @returns the outcome where no retry is called for.
   * @throws what the run threw, or `LeaseLostError` if the lease ran out over the work.
   */
  async run(context: InvocationContext, invocation: Invocation): Promise<JobOutcome> {
    const { clock, reserveMs, runner, wait } = this.#settings;
    const { trigger, budgetMs } = invocation;
    const { invocationId } = context;
    const settled = this.#drain.begin({ clock, reserveMs });
    this.#logs.set(invocationId, this.#logTo(context, invocation));
    try {
      const outcome = await this.#runner.run({
        trigger,
        wait,
        budget: this.#budgetFromNow(budgetMs),
        label: invocationId,
        attempt: attemptOf(context),
      });
      return returnedOrThrown(outcome, runner.store.name);
    } finally {
      this.#logs.delete(invocationId);
      settled();
    }
  }

  /** Nothing is left of it once the app is being stopped, so that the work pauses where it is. */
  #budgetFromNow(budgetMs: number): Budget {
    const { clock, reserveMs } = this.#settings;
    const start = instantOf(clock);
    return {
      reserveMs,
      remainingMs: () =>
        this.#drain.isDraining ? 0 : budgetMs - elapsedMs(start, instantOf(clock)),
    };
  }

  #logTo(context: InvocationContext, invocation: Invocation): (outcome: JobOutcome) => void {
    const { environment } = this.#settings;
    const { functionName, isPastDue, nominalTimeSource } = invocation;
    const coldStart = this.#isCold;
    this.#isCold = false;
    const warnings = [...invocation.warnings, ...(coldStart ? this.#warnings() : [])];
    const details = {
      environment,
      functionName,
      nominalTimeSource,
      isPastDue,
      coldStart,
      warnings,
    };
    return (outcome) => {
      const { level, line } = outcomeLine(outcome, details);
      context[level](line);
    };
  }

  #warnings(): readonly string[] {
    const { budgetMs, leaseDurationMs, reserveMs } = this.#settings;
    const usableMs = budgetMs - reserveMs;
    return leaseDurationMs < usableMs
      ? []
      : [
          `the lease (${leaseDurationMs} ms) outlasts what an invocation may use (budgetMs less reserveMs, ${usableMs} ms): after the death of a leader, no single invocation can wait until its lease is over`,
        ];
  }
}

function attemptOf({ invocationId, retryContext }: InvocationContext): Record<string, string> {
  return {
    invocationId,
    ...(retryContext && { retryCount: String(retryContext.retryCount) }),
  };
}
