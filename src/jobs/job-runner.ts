import { requireBudget, type Budget } from '../core/budget.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { createJobElection } from '../core/create-election.ts';
import type { ElectionOptions, Wait } from '../core/election.ts';
import type { ErrorContext } from '../core/errors.ts';
import type { JobElection } from '../core/job-state.ts';
import type { Outcome } from '../core/outcome.ts';
import {
  optionalFunction,
  requireName,
  requireObject,
  requireSignal,
  requireWait,
} from '../core/requirements.ts';
import { requireJob } from './define-job.ts';
import type { JobOutcome, Trigger } from './job-outcome.ts';
import { decodeJobState } from './job-state-text.ts';
import { JobTerm } from './job-term.ts';
import type { InvocationWatch } from './invocation-watch.ts';
import type { Job } from './job.ts';
import { planPeriods, type Moment } from './plan.ts';
import { RunRecord, type RunEnd } from './run-record.ts';
import { momentOf, requireTrigger } from './trigger.ts';

/** Options of {@link createJobRunner}: those of an election, but for what the job says itself. */
export interface JobRunnerOptions extends Omit<
  ElectionOptions<unknown>,
  'lease' | 'parseProgress'
> {
  /**
   * Told how each run ended, once per run, also before the run rejects. What it throws is dropped,
   * and so is the rejection of an async one.
   */
  readonly onOutcome?: (outcome: JobOutcome) => void;
}

/** Options of one run. */
export interface RunOptions {
  readonly trigger: Trigger;
  /** Time that is left to wait and to work. Default unlimited. */
  readonly budget?: Budget;
  /** Ends the run: it rejects with this signal's reason. */
  readonly signal?: AbortSignal;
  /** How long to wait for a lease that another holds. Default `one-lease`. */
  readonly wait?: Wait;
  /** Stored behind the identity as `identity/label`, for example an invocation id. */
  readonly label?: string;
  /** By what ids others know this attempt, such as a request id; told with the outcome. */
  readonly attempt?: Readonly<Record<string, string>>;
}

/** Runs one job, again and again. */
export interface JobRunner {
  readonly identity: string;
  /**
   * Works for the periods that are due and not complete, if this process is the one to do so.
   *
   * @throws what the job's run threw while this process led; a store error if the lease could not be
   *   asked for; the reason of `signal`; `LeaseRecordInvalidError` if the record holds no state of
   *   this job. `TypeError` or `RangeError` for an option that does not fit, also a trigger for a
   *   period that is none.
   */
  run(options: RunOptions): Promise<JobOutcome>;
}

/**
 * Makes a runner. Made once per process, at module scope in a function: what it has seen of other
 * holders adds up over invocations.
 *
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed.
 */
export function createJobRunner<Cursor>(job: Job<Cursor>, options: JobRunnerOptions): JobRunner {
  requireJob(job);
  requireObject('options', options, 'an object with store');
  return new ElectedJobRunner(job, options);
}

/**
 * Runs a job once: {@link createJobRunner} and {@link JobRunner.run} in one call, for a process that
 * ends afterwards.
 *
 * @throws as both of them.
 */
export async function runJob<Cursor>(
  job: Job<Cursor>,
  options: JobRunnerOptions & RunOptions,
): Promise<JobOutcome> {
  return createJobRunner(job, options).run(options);
}

class ElectedJobRunner<Cursor> implements JobRunner {
  readonly identity: string;
  readonly #job: Job<Cursor>;
  readonly #clock: Clock;
  readonly #election: JobElection;
  readonly #place: ErrorContext;
  readonly #onOutcome: JobRunnerOptions['onOutcome'];
  /** The run whose leadership it is; others are told that it is busy. */
  #watch: InvocationWatch | undefined;

  constructor(job: Job<Cursor>, options: JobRunnerOptions) {
    const { onOutcome, observer, ...rest } = options;
    optionalFunction('observer', observer);
    this.#onOutcome = optionalFunction('onOutcome', onOutcome);
    this.#job = job;
    this.#clock = options.clock ?? systemClock;
    this.#election = createJobElection({
      ...rest,
      lease: job.lease,
      observer: (event) => {
        this.#watch?.see(event);
        return observer?.(event);
      },
    });
    this.identity = this.#election.identity;
    this.#place = { lease: job.lease, store: options.store.name };
  }

  async run(options: RunOptions): Promise<JobOutcome> {
    const { attempt, label, signal } = requireObject('options', options, 'an object with trigger');
    const startMs = this.#clock.monotonicMs();
    const identity = label === undefined ? this.identity : `${this.identity}/${label}`;
    const record = new RunRecord(this.#job, identity, attempt);
    const tell = (end: RunEnd): JobOutcome => {
      const outcome = record.outcome(end, this.#clock.monotonicMs() - startMs);
      this.#tell(outcome);
      return outcome;
    };
    try {
      return tell(await this.#run(record, options));
    } catch (error) {
      tell(record.failure(error, signal));
      throw error;
    }
  }

  async #run(record: RunRecord, options: RunOptions): Promise<RunEnd> {
    const job = this.#job;
    requireRunOptions(options);
    const trigger = requireTrigger(options.trigger, job.periods);
    record.trigger = trigger;
    const moment = momentOf(trigger, this.#clock);
    record.stage = 'store';
    const stored = await this.#election.look(options.signal);
    const state = decodeJobState(stored?.jobState, job.periods, this.#place);
    record.stage = 'configuration';
    record.plan = planPeriods(job, state, moment);
    if (record.plan.idle !== undefined) {
      return { status: 'idle', reason: record.plan.idle };
    }
    record.stage = 'store';
    return record.endOf(await this.#lead(record, moment, options));
  }

  async #lead(record: RunRecord, moment: Moment, options: RunOptions): Promise<Outcome<void>> {
    const isFirst = this.#watch === undefined;
    if (isFirst) {
      this.#watch = record.watch;
    }
    try {
      const parts = { job: this.#job, moment, clock: this.#clock, place: this.#place };
      return await this.#election.lead(async (leadership, slot) => {
        const term = new JobTerm(parts, leadership, slot);
        record.term = term;
        record.stage = 'work';
        await term.run();
      }, options);
    } finally {
      if (isFirst) {
        this.#watch = undefined;
      }
    }
  }

  #tell(outcome: JobOutcome): void {
    try {
      const returned: unknown = this.#onOutcome?.(outcome);
      // An async function passes, too; unhandled, its rejection would end the process.
      Promise.resolve(returned).catch(() => {});
    } catch {
      // Dropped by contract: what watches a run must not fail it.
    }
  }
}

/** Here and not only where they are used, so that what is wrong is not taken for the store's fault. */
function requireRunOptions({ budget, label, signal, wait = 'one-lease' }: RunOptions): void {
  requireSignal(signal);
  requireWait(wait);
  if (budget !== undefined) {
    requireBudget(budget);
  }
  if (label !== undefined) {
    requireName('label', label);
  }
}
