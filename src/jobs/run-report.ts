import type { Outcome } from '../core/outcome.ts';
import type { Job } from './job.ts';
import type { JobOutcome, OutcomeReason, PeriodOutcome } from './job-outcome.ts';
import type { Plan } from './plan.ts';
import type { RunWatch } from './run-watch.ts';
import { shownError } from './shown-error.ts';
import type { Trigger } from './trigger.ts';

/** Most periods that an outcome names; it is a line in a log, and a backlog may be long. */
const maxNamed = 20;

/** How a run ended. */
export type RunEnd = Pick<JobOutcome, 'status' | 'reason'> &
  Partial<Pick<JobOutcome, 'error' | 'leader'>>;

/** What is known of one run, so that its outcome can be told wherever it ends. */
export class RunReport {
  /** What the election told of the run's term, if it led one. */
  watch: RunWatch | undefined;
  /** Who runs; with its label once that is known to be one. */
  identity: string;
  /** What made the job run; `undefined` until that is known to be a trigger. */
  trigger: Trigger | undefined;
  /** Where an error comes from, if one comes now. */
  stage: Extract<OutcomeReason, 'configuration' | 'store' | 'work'> = 'configuration';
  /** How things stood when the record was read. */
  plan: Plan | undefined;
  /** The work of the term, if one began. */
  term: { readonly outcomes: readonly PeriodOutcome[]; readonly plan: Plan } | undefined;
  readonly #job: Pick<Job, 'lease' | 'name'>;
  readonly #attempt: JobOutcome['attempt'];

  constructor(
    job: Pick<Job, 'lease' | 'name'>,
    identity: string,
    attempt: JobOutcome['attempt'] = {},
  ) {
    this.#job = job;
    this.identity = identity;
    this.#attempt = attempt;
  }

  /** The outcome of a run that ended so. */
  outcome(end: RunEnd, durationMs: number): JobOutcome {
    const {
      fencingToken,
      leastHeadroomMs,
      renewals = 0,
      flapping,
      releaseError,
    } = this.watch ?? {};
    return {
      job: this.#job.name,
      lease: this.#job.lease,
      identity: this.identity,
      attempt: this.#attempt,
      trigger: shownTrigger(this.trigger),
      ...(fencingToken !== undefined && { fencingToken }),
      ...(end.status === 'led' &&
        releaseError !== undefined && { error: shownError(releaseError) }),
      ...end,
      periods: this.#periods.map((period) => ({ ...period, end: this.#endOf(period, end) })),
      ...standing(this.#storedPlan),
      ...(leastHeadroomMs !== undefined && { leaseHeadroomMs: leastHeadroomMs }),
      renewals,
      durationMs: Math.round(durationMs),
      ...(flapping && { flapping }),
    };
  }

  /** How a run ended for which `lead` resolved to this. */
  endOf(outcome: Outcome<unknown>): RunEnd {
    const { status } = outcome;
    if (status === 'followed') {
      const { reason, leader } = outcome;
      return { status, reason, ...(leader && { leader: leader.holder }) };
    }
    if (status === 'lost') {
      const { reason, workError } = outcome;
      return { status, reason, ...(workError !== undefined && { error: shownError(workError) }) };
    }
    return { status, reason: outcome.end === 'paused' ? 'paused' : this.#worstEnd() };
  }

  /** How a run ended that rejects with `error`. */
  failure(error: unknown, signal: AbortSignal | undefined): RunEnd {
    const isAbort = signal?.aborted === true && error === signal.reason;
    const reason = isAbort ? 'aborted' : this.stage;
    return { status: 'failed', reason, error: shownError(error) };
  }

  /** How things stand: what a term left counts once it is stored, since the next one starts from there. */
  get #storedPlan(): Plan | undefined {
    if (!this.watch?.isReleased) {
      return this.plan;
    }
    try {
      return this.term?.plan ?? this.plan;
    } catch {
      // Periods of somebody's own, which have begun to throw.
      return this.plan;
    }
  }

  get #periods(): readonly PeriodOutcome[] {
    return this.term?.outcomes ?? [];
  }

  #worstEnd(): OutcomeReason {
    const ends = this.#periods.map(({ end }) => end);
    return (
      (['unfinished', 'stuck', 'completed'] as const).find((end) => ends.includes(end)) ??
      'nothing-due'
    );
  }

  /** What ended the period's run, if its leadership did: the term itself cannot tell. */
  #endOf({ end }: PeriodOutcome, { status, reason, error }: RunEnd): PeriodOutcome['end'] {
    if (end === 'failed') {
      return error ? 'failed' : status === 'lost' ? 'lost' : reason === 'paused' ? 'paused' : end;
    }
    return status === 'lost' && !this.watch?.isReleased ? 'lost' : end;
  }
}

function standing(
  plan: Plan | undefined,
): Pick<
  JobOutcome,
  'completedThrough' | 'incomplete' | 'incompleteCount' | 'periodLagSeconds' | 'stuck'
> {
  if (!plan) {
    return { incomplete: [], incompleteCount: 0, stuck: [] };
  }
  const { incomplete, stuck, completedThrough, lagMs } = plan;
  return {
    incomplete: incomplete.slice(0, maxNamed),
    incompleteCount: incomplete.length,
    stuck,
    ...(completedThrough !== undefined && { completedThrough }),
    periodLagSeconds: Math.round(lagMs / 1_000),
  };
}

function shownTrigger(trigger: Trigger | undefined): JobOutcome['trigger'] {
  if (trigger === undefined) {
    return {};
  }
  return 'period' in trigger
    ? { period: trigger.period }
    : { nominalTime: trigger.nominalTime.toISOString() };
}
