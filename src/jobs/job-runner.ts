import { requireBudget, type Budget } from '../core/budget.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { createJobElection } from '../core/create-election.ts';
import type { ElectionOptions, Wait } from '../core/election.ts';
import type { ErrorContext } from '../core/errors.ts';
import type { JobElection } from '../core/job-election.ts';
import { labelled } from '../core/labelled.ts';
import type { Outcome } from '../core/outcome.ts';
import { quietly } from '../core/quietly.ts';
import {
  optionalFunction,
  requireObject,
  requireSignal,
  requireWait,
} from '../core/requirements.ts';
import { requireJob } from './define-job.ts';
import type { JobOutcome } from './job-outcome.ts';
import { decodeJobState } from './job-state-text.ts';
import { JobTerm } from './job-term.ts';
import type { Job } from './job.ts';
import { planPeriods, type Moment } from './plan.ts';
import { RunReport, type RunEnd } from './run-report.ts';
import { RunWatch } from './run-watch.ts';
import { momentOf, requireTrigger, type Trigger } from './trigger.ts';

/** Options of {@link createJobRunner}: those of an election, but for what the job says itself. */
export type JobRunnerOptions = Omit<ElectionOptions<unknown>, 'lease' | 'parseProgress'>;

/** Options of one run. */
export interface RunOptions {
  /**
   * What makes the job run. A function is called once, within the run: what it throws is told as a
   * failure of the configuration, and the run rejects with it.
   */
  readonly trigger: Trigger | (() => Trigger);
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
  /**
   * Told how the run ended, once, also before it rejects. What it throws is dropped, and so is the
   * rejection of an async one.
   */
  readonly onOutcome?: (outcome: JobOutcome) => void;
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
  /** What is told of the newest term. */
  #watch: RunWatch | undefined;

  constructor(job: Job<Cursor>, options: JobRunnerOptions) {
    const { observer, ...rest } = options;
    optionalFunction('observer', observer);
    this.#job = job;
    this.#clock = options.clock ?? systemClock;
    this.#election = createJobElection({
      ...rest,
      lease: job.lease,
      observer: (event) => {
        if (event.type === 'acquired') {
          this.#watch = new RunWatch();
        }
        this.#watch?.see(event);
        return observer?.(event);
      },
    });
    this.identity = this.#election.identity;
    this.#place = { lease: job.lease, store: options.store.name };
  }

  async run(options: RunOptions): Promise<JobOutcome> {
    requireObject('options', options, 'an object with trigger');
    const { attempt, onOutcome, signal } = options;
    const startMs = this.#clock.monotonicMs();
    const report = new RunReport(this.#job, this.identity, attempt);
    const tell = (end: RunEnd): JobOutcome => {
      const outcome = report.outcome(end, this.#clock.monotonicMs() - startMs);
      quietly(() => onOutcome?.(outcome));
      return outcome;
    };
    try {
      return tell(await this.#run(report, options));
    } catch (error) {
      tell(report.failure(error, signal));
      throw error;
    }
  }

  async #run(report: RunReport, options: RunOptions): Promise<RunEnd> {
    const job = this.#job;
    report.identity = labelled(this.identity, options.label);
    requireRunOptions(options);
    const trigger = requireTrigger(options.trigger, job.periods);
    report.trigger = trigger;
    const moment = momentOf(trigger, this.#clock);
    report.stage = 'store';
    const stored = await this.#election.look(options.signal);
    const state = decodeJobState(stored?.jobState, job, this.#place);
    report.stage = 'configuration';
    report.plan = planPeriods(job, state, moment);
    if (report.plan.idle !== undefined) {
      return { status: 'idle', reason: report.plan.idle };
    }
    report.stage = 'store';
    return report.endOf(await this.#lead(report, moment, options));
  }

  async #lead(report: RunReport, moment: Moment, options: RunOptions): Promise<Outcome<void>> {
    const parts = { job: this.#job, moment, clock: this.#clock, place: this.#place };
    return this.#election.lead(async (leadership, slot) => {
      // The work of a term begins right after the election has told of it.
      report.watch = this.#watch;
      const term = new JobTerm(parts, leadership, slot);
      report.term = term;
      report.stage = 'work';
      await term.run();
    }, options);
  }
}

/** Here and not only where they are used, so that what is wrong is not taken for the store's fault. */
function requireRunOptions({ budget, onOutcome, signal, wait = 'one-lease' }: RunOptions): void {
  requireSignal(signal);
  optionalFunction('onOutcome', onOutcome);
  requireWait(wait);
  if (budget !== undefined) {
    requireBudget(budget);
  }
}
