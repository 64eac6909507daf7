import type { Job } from './job.ts';
import {
  begunPeriods,
  completedThrough,
  isBegun,
  isSettled,
  openPeriod,
  passedOver,
  type JobState,
} from './job-state.ts';
import { hasRoom } from './job-state-text.ts';
import { duePeriods } from './periods/due-periods.ts';
import type { Periods } from './periods/periods.ts';

/** With `catchUp: 'none'`, how long after it became due a period may still be begun. */
const startWithinMs = 3_600_000;
/** How long a stuck period is left alone after a sweep, in milliseconds. */
const stuckPauseMs = 3_600_000;

/** What an invocation knows when it decides. */
export interface Moment {
  /**
   * The nominal time of the trigger, in milliseconds since the Unix epoch; what the clock says where a
   * period was asked for by name. Which periods are due is decided by it alone.
   */
  readonly nominalMs: number;
  /**
   * What the clock says, likewise. Paces the sweeps of stuck periods, and tells with `catchUp: 'none'`
   * what is too late to begin: a trigger may come long after its nominal time.
   */
  readonly wallMs: number;
  /** A period that was asked for by name. */
  readonly period: string | undefined;
}

/** Which periods to work for, and how things stand before that. */
export interface Plan {
  /** In this order. */
  readonly periods: readonly string[];
  /** Every due period that is not settled, oldest first. */
  readonly incomplete: readonly string[];
  /** Those of them of which only items with an unknown outcome are left. */
  readonly stuck: readonly string[];
  /** Periods that are passed over for good once the newest one is worked for, oldest first. */
  readonly passedOver: readonly string[];
  /**
   * For how long the oldest incomplete period has been due at the nominal time, in milliseconds; 0 if
   * there is none.
   */
  readonly lagMs: number;
  readonly completedThrough: string | undefined;
  /** Why there is nothing to do; `undefined` if there is. */
  readonly idle: IdleReason | undefined;
}

/**
 * - `nothing-due`: every due period is complete.
 * - `already-complete`: the period that was asked for is complete, or was passed over for good.
 * - `not-due`: the period that was asked for is not over yet.
 * - `stuck`: what is left is stuck and was swept within the hour.
 * - `too-many-open`: so many periods are open that the record has no room for another.
 */
export type IdleReason = 'nothing-due' | 'already-complete' | 'not-due' | 'stuck' | 'too-many-open';

type PlannedJob = Pick<
  Job,
  'catchUp' | 'lease' | 'maxPeriodsPerRun' | 'name' | 'periods' | 'startFrom'
>;

/**
 * Decides which periods an invocation works for.
 *
 * What no run has had a turn at comes first, oldest first; then what a sweep left unfinished or a run
 * failed at, so that one hopeless item does not keep a newer period waiting, and of that first what has
 * waited for longest; then, unless a new period must wait, what is stuck, at most hourly.
 */
export function planPeriods(planned: PlannedJob, state: JobState, moment: Moment): Plan {
  const periods = remembering(planned.periods);
  const job = { ...planned, periods };
  const { startFrom } = job;
  const through = completedThrough(state, startFrom, periods);
  // What is settled from the start on need not be walked again at every tick.
  const from = through === undefined ? startFrom : periods.next(through);
  const due = duePeriods(periods, { startFrom: from, nominalMs: moment.nominalMs });
  const unsettled = withBegun(job, state, due).filter(
    (period) => !isSettled(state, period, periods),
  );
  const caught = caughtUp(job, state, { unsettled, due, moment });
  const { incomplete } = caught;
  const stuck = incomplete.filter((period) => openPeriod(state, period)?.kind === 'stuck');
  const [oldest] = incomplete;
  const standing = {
    ...caught,
    stuck,
    lagMs: oldest === undefined ? 0 : Math.max(moment.nominalMs - periods.dueFromMs(oldest), 0),
    completedThrough: through,
  };
  const chosen =
    moment.period === undefined
      ? chosenPeriods(job, state, { ...standing, ...moment })
      : askedFor(job, state, { ...standing, ...moment }, moment.period);
  return { ...standing, ...chosen };
}

/** A calendar asks the time zone each time, which over a long backlog would hold up a renewal. */
function remembering(periods: Periods): Periods {
  const known = new Map<string, number>();
  return {
    parse: (text) => periods.parse(text),
    next: (period) => periods.next(period),
    dueFromMs: (period) => {
      const dueMs = known.get(period) ?? periods.dueFromMs(period);
      known.set(period, dueMs);
      return dueMs;
    },
  };
}

/**
 * Due periods, with all that were begun, oldest first: also one before the start that a person asked
 * for, and one that a late trigger would not count as due.
 */
function withBegun(
  { periods }: PlannedJob,
  state: JobState,
  due: readonly string[],
): readonly string[] {
  const begun = begunPeriods(state)
    .map(({ period }) => period)
    .filter((period) => !due.includes(period));
  return begun.length === 0
    ? due
    : [...begun, ...due].toSorted((a, b) => periods.dueFromMs(a) - periods.dueFromMs(b));
}

/**
 * The state in which a run of the period may begin, with what is passed over then; `undefined` if the
 * record has no room for it.
 */
export function readyFor(
  job: Pick<Job, 'lease' | 'name' | 'periods'>,
  state: JobState,
  plan: Pick<Plan, 'incomplete' | 'passedOver'> & { readonly spare?: number },
  period: string,
): JobState | undefined {
  const { spare = 0 } = plan;
  const passed =
    period === plan.incomplete.at(-1) ? passedOver(state, plan.passedOver, job.periods) : state;
  if (hasRoom(passed, period, { owner: job, spare })) {
    return passed;
  }
  // There has been room for it since it was begun; to pass over others can wait.
  return isBegun(state, period) ? state : undefined;
}

type Chosen = Pick<Plan, 'periods' | 'idle'>;
type Standing = Pick<Plan, 'incomplete' | 'passedOver' | 'stuck'> & Omit<Moment, 'period'>;

function askedFor(job: PlannedJob, state: JobState, standing: Standing, period: string): Chosen {
  const { periods } = job;
  if (isSettled(state, period, periods)) {
    return { periods: [], idle: 'already-complete' };
  }
  if (periods.dueFromMs(period) > standing.nominalMs) {
    return { periods: [], idle: 'not-due' };
  }
  // Periods run by hand, here and there, must not take the last room from the schedule.
  return readyFor(job, state, { ...standing, spare: 1 }, period)
    ? { periods: [period], idle: undefined }
    : { periods: [], idle: 'too-many-open' };
}

function chosenPeriods(job: PlannedJob, state: JobState, standing: Standing): Chosen {
  const { incomplete, stuck, wallMs } = standing;
  const sweptMinutes = (period: string): number => openPeriod(state, period)?.sweptMinutes ?? 0;
  const fresh = incomplete.filter((period) => !openPeriod(state, period));
  const startable = firstOf(fresh, job.maxPeriodsPerRun + 1, (period) =>
    Boolean(readyFor(job, state, standing, period)),
  );
  const unfinished = incomplete
    .filter((period) => openPeriod(state, period)?.kind === 'unfinished')
    .toSorted((a, b) => sweptMinutes(a) - sweptMinutes(b));
  const chosen = [...startable, ...unfinished].slice(0, job.maxPeriodsPerRun);
  // What has no room keeps nothing waiting: room may come of a stuck period that somebody looked at.
  const mayResweep = startable.length <= job.maxPeriodsPerRun;
  const rested = stuck.filter((period) => isRested(sweptMinutes(period) * 60_000, wallMs));
  const periods = mayResweep ? [...chosen, ...rested] : chosen;
  if (periods.length > 0) {
    return { periods, idle: undefined };
  }
  const idle = fresh.length > 0 ? 'too-many-open' : stuck.length > 0 ? 'stuck' : 'nothing-due';
  return { periods, idle };
}

/** The first so many that fit; looks no further. */
function firstOf(
  names: readonly string[],
  count: number,
  fits: (name: string) => boolean,
): readonly string[] {
  const found: string[] = [];
  for (const name of names) {
    if (found.length === count) {
      break;
    }
    if (fits(name)) {
      found.push(name);
    }
  }
  return found;
}

function isRested(sweptMs: number, wallMs: number): boolean {
  // A clock that was set back by more than two clocks differ must not make it wait for longer.
  return Math.abs(wallMs - sweptMs) >= stuckPauseMs;
}

function caughtUp(
  job: PlannedJob,
  state: JobState,
  found: {
    readonly unsettled: readonly string[];
    readonly due: readonly string[];
    readonly moment: Moment;
  },
): Pick<Plan, 'incomplete' | 'passedOver'> {
  const { unsettled, due, moment } = found;
  if (job.catchUp === 'all') {
    return { incomplete: unsettled, passedOver: [] };
  }
  const newest = due.at(-1);
  const isInTime = (period: string): boolean =>
    period === newest &&
    (job.catchUp === 'latest' || moment.wallMs - job.periods.dueFromMs(period) < startWithinMs);
  const incomplete = unsettled.filter((period) => isBegun(state, period) || isInTime(period));
  // Nothing is given up before there is something newer to work for.
  const passed =
    newest !== undefined && incomplete.includes(newest)
      ? unsettled.filter((period) => !incomplete.includes(period))
      : [];
  return { incomplete, passedOver: passed };
}
