import type { InvocationContext } from '@azure/functions';
import type { Budget } from '../../core/budget.ts';
import { instantOf } from '../../core/clock.ts';
import { quietly } from '../../core/quietly.ts';
import { elapsedMs } from '../../core/validity.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { createJobRunner, type JobRunner, type RunOptions } from '../../jobs/job-runner.ts';
import { invocationLabel } from '../shared/identity.ts';
import { leaseWarning } from '../shared/lease-warning.ts';
import { returnedOrThrown } from '../shared/returned-or-thrown.ts';
import type { Drain } from './drain.ts';
import { azureIdentity } from './identity.ts';
import type { TimerSettings } from './options.ts';
import { outcomeLine, type LineDetails } from './outcome-line.ts';

/** What makes a function run, and what is to be told about that. */
export interface Invocation
  extends
    Pick<LineDetails, 'functionName' | 'isPastDue' | 'nominalTimeSource' | 'warnings'>,
    Pick<RunOptions, 'trigger'> {
  readonly budgetMs: number;
}

/** Runs one job for the functions that are registered for it, one runner for all. */
export class TimerJob<Cursor> {
  readonly #settings: TimerSettings;
  readonly #drain: Drain;
  readonly #runner: JobRunner;
  #isCold = true;

  /** @throws `TypeError` or `RangeError` as `createJobRunner`. */
  constructor(job: Job<Cursor>, settings: TimerSettings, drain: Drain) {
    this.#settings = settings;
    this.#drain = drain;
    const identity = azureIdentity(settings.where, settings.functionName);
    this.#runner = createJobRunner(job, { ...settings.runner, identity });
  }

  /**
   * Runs the job and logs its outcome, once, in any case.
   *
   * @returns the outcome where no retry is called for.
   * @throws what the run threw, or `LeaseLostError` if the lease ran out over the work.
   */
  async run(context: InvocationContext, invocation: Invocation): Promise<JobOutcome> {
    const { clock, reserveMs, runner, wait } = this.#settings;
    const label = invocationLabel(context.invocationId);
    const coldStart = this.#isCold;
    this.#isCold = false;
    const settled = this.#drain.begin({ clock, reserveMs });
    try {
      const outcome = await this.#runner.run({
        trigger: invocation.trigger,
        wait,
        budget: this.#budgetFromNow(invocation.budgetMs),
        attempt: attemptOf(context),
        ...(label !== undefined && { label }),
        onOutcome: (told) => this.#tell(told, context, { ...invocation, coldStart }),
      });
      return returnedOrThrown(outcome, runner.store.name);
    } finally {
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

  #tell(
    outcome: JobOutcome,
    context: InvocationContext,
    invocation: Invocation & { readonly coldStart: boolean },
  ): void {
    const { environment, leaseDurationMs, onOutcome, reserveMs } = this.#settings;
    const { budgetMs, coldStart, functionName, isPastDue, nominalTimeSource } = invocation;
    const { level, line } = outcomeLine(outcome, {
      environment,
      functionName,
      nominalTimeSource,
      isPastDue,
      coldStart,
      warnings: [
        ...invocation.warnings,
        ...(coldStart ? leaseWarning(leaseDurationMs, { budgetMs, reserveMs }) : []),
      ],
    });
    quietly(() => context[level](line));
    quietly(() => onOutcome?.(outcome));
  }
}

function attemptOf({ invocationId, retryContext }: InvocationContext): Record<string, string> {
  return {
    invocationId,
    ...(retryContext && { retryCount: String(retryContext.retryCount) }),
  };
}
