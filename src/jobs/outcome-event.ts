import type { JobOutcome } from './job-outcome.ts';

/** Most periods that an event names: a log drops or cuts a long line, and an alarm then misses it. */
const maxPeriods = 40;
/**
 * Longest texts that code of others wrote, in characters of JSON, where one may take six. With them an
 * event stays below the 32 768 that Application Insights takes of a line: cut JSON is none.
 */
const maxMessageLength = 2_000;
const maxTextLength = 500;
/** Most warnings; a runtime has fewer, each shorter than the longest text. */
const maxWarnings = 8;

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
 * One structured event for each invocation that is not stopped in its course, JSON throughout: the outcome, but for the fields that are
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
 * @param warnings - What is not as it should be around the run; at most 8 are told.
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
    leader,
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
    ...(leader !== undefined && { leader: cut(leader, maxTextLength) }),
    periods: periods.slice(0, maxPeriods),
    ...(error && { error: shortened(error) }),
    ...(warnings.length > 0 && { warnings: shown(warnings) }),
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
    name: cut(name, maxTextLength),
    message: cut(message, maxMessageLength),
    ...(code !== undefined && { code: cut(code, maxTextLength) }),
    ...(cause !== undefined && { cause: cut(cause, maxMessageLength) }),
  };
}

function shown(warnings: readonly string[]): readonly string[] {
  return warnings.slice(0, maxWarnings).map((warning) => cut(warning, maxTextLength));
}

/** As much from the start of `text` as fits, in whole characters, each as long as it is in JSON. */
function cut(text: string, maxLength: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += JSON.stringify(character).length - '""'.length;
    if (length > maxLength) {
      return text.slice(0, end);
    }
    end += character.length;
  }
  return text;
}

function levelOf(outcome: JobOutcome, warnings: readonly string[]): OutcomeLevel {
  if (isFailure(outcome)) {
    return 'error';
  }
  const { flapping, periods, reason, status, stuck } = outcome;
  const isWarning =
    warnings.length > 0 ||
    outcome.error !== undefined ||
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
