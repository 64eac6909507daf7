import type { JobOutcome } from './job-outcome.ts';

/** Most periods that an event names: a log drops or cuts a long line, and an alarm then misses it. */
const maxPeriods = 40;
/** Most characters of a text that code of others wrote. */
const maxTextLength = 2_000;

/** How much an outcome deserves attention. */
export type OutcomeLevel = 'info' | 'warn' | 'error';

/**
 * What to plot and to be warned about, as numbers. Those without a value are absent, never 0.
 *
 * A type and no interface, so that it can be written where any record of numbers is taken.
 */
export type OutcomeFigures = {
  /** For how long the oldest incomplete period has been due; absent where the record could not be read. */
  readonly periodLagSeconds?: number;
  /** 1 if the invocation fails: after an error, or after a lease that ran out over the work. */
  readonly failures: 0 | 1;
  /**
   * Items with an unknown outcome: those that this invocation's sweeps found, and at least one for each
   * stuck period that was left to rest, so that a stuck period is seen at every tick.
   */
  readonly unknownItems: number;
  /** Items that must be tried again, as far as this invocation's sweeps came. */
  readonly unfinishedItems: number;
  /** Periods that this invocation completed. */
  readonly periodsCompleted: number;
  /** 1 if leaders keep dying or losing the lease. */
  readonly flapping: 0 | 1;
  /** The least that was left of the leadership; absent where none began. */
  readonly leaseHeadroomMs?: number;
  readonly durationMs: number;
};

/**
 * One structured event for each invocation, JSON throughout: the outcome, but for the fields that are
 * figures, which stand in `figures` only. No figure has the name of another field.
 */
export interface OutcomeEvent extends Omit<
  JobOutcome,
  'durationMs' | 'flapping' | 'leaseHeadroomMs' | 'periodLagSeconds'
> {
  readonly event: 'tenure.job.outcome';
  readonly level: OutcomeLevel;
  /** What is not as it should be around the run; makes the level at least `warn`. */
  readonly warnings?: readonly string[];
  /** What the figure `flapping` stands for, where it is 1. */
  readonly flappingTerms?: NonNullable<JobOutcome['flapping']>;
  readonly figures: OutcomeFigures;
}

/**
 * Builds the event of an outcome.
 *
 * @param extra - What the runtime knows besides, such as the environment; it cannot replace a field.
 * @param warnings - What is not as it should be around the run.
 */
export function outcomeEvent<Extra extends object>(
  outcome: JobOutcome,
  extra: Extra,
  warnings: readonly string[] = [],
): OutcomeEvent & Extra {
  const {
    durationMs: _durationMs,
    error,
    flapping,
    leaseHeadroomMs: _leaseHeadroomMs,
    periodLagSeconds: _periodLagSeconds,
    periods,
    ...fields
  } = outcome;
  return {
    ...extra,
    event: 'tenure.job.outcome',
    level: levelOf(outcome, warnings),
    ...fields,
    periods: periods.slice(0, maxPeriods),
    ...(error && { error: shortened(error) }),
    ...(warnings.length > 0 && { warnings }),
    ...(flapping && { flappingTerms: flapping }),
    figures: figuresOf(outcome),
  };
}

/**
 * Whether the invocation must fail: a retry can do what this one could not. A loss to another holder
 * is none, since that one goes on with the work.
 */
export function isFailure({ status, reason }: JobOutcome): boolean {
  return status === 'failed' || (status === 'lost' && reason === 'expired');
}

function shortened(error: NonNullable<JobOutcome['error']>): NonNullable<JobOutcome['error']> {
  const { name, message, code, cause } = error;
  return {
    name: name.slice(0, maxTextLength),
    message: message.slice(0, maxTextLength),
    ...(code !== undefined && { code: code.slice(0, maxTextLength) }),
    ...(cause !== undefined && { cause: cause.slice(0, maxTextLength) }),
  };
}

function levelOf(outcome: JobOutcome, warnings: readonly string[]): OutcomeLevel {
  if (isFailure(outcome)) {
    return 'error';
  }
  const { flapping, periods, reason, status, stuck } = outcome;
  const isWarning =
    warnings.length > 0 ||
    status === 'lost' ||
    reason === 'too-many-open' ||
    stuck.length > 0 ||
    flapping !== undefined ||
    periods.some(({ end }) => end === 'unfinished' || end === 'stuck');
  return isWarning ? 'warn' : 'info';
}

function figuresOf(outcome: JobOutcome): OutcomeFigures {
  const { durationMs, flapping, leaseHeadroomMs, periodLagSeconds, periods, stuck } = outcome;
  const swept = new Set(
    periods.filter(({ unknown }) => unknown !== undefined).map(({ period }) => period),
  );
  const resting = stuck.filter((period) => !swept.has(period)).length;
  return {
    ...(periodLagSeconds !== undefined && { periodLagSeconds }),
    failures: isFailure(outcome) ? 1 : 0,
    unknownItems: sum(periods.map(({ unknown = 0 }) => unknown)) + resting,
    unfinishedItems: sum(periods.map(({ unfinished = 0 }) => unfinished)),
    periodsCompleted: periods.filter(({ end }) => end === 'completed').length,
    flapping: flapping ? 1 : 0,
    ...(leaseHeadroomMs !== undefined && { leaseHeadroomMs }),
    durationMs,
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
