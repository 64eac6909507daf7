import type { Clock } from '../core/clock.ts';
import { isLeadershipOver, type ErrorContext } from '../core/errors.ts';
import { describeValue } from '../core/describe-value.ts';
import type { JobStateSlot } from '../core/job-election.ts';
import type { Leadership } from '../core/leadership.ts';
import { parseStoredProgress } from '../core/progress.ts';
import { Counts } from './counts.ts';
import { requireCursor } from './cursor.ts';
import type { Job, JobLeadership, JobRun, SweepResult } from './job.ts';
import type { PeriodOutcome } from './job-outcome.ts';
import {
  completed,
  failedAt,
  leftOpen,
  openPeriod,
  underWay,
  type CurrentRun,
  type JobState,
} from './job-state.ts';
import { decodeJobState, encodeJobState } from './job-state-text.ts';
import { planPeriods, readyFor, type Moment, type Plan } from './plan.ts';

/** What one term of a job needs. */
export interface JobTermParts<Cursor> {
  readonly job: Job<Cursor>;
  readonly moment: Moment;
  readonly clock: Clock;
  readonly place: ErrorContext;
}

/** Works for the due periods, for as long as one leadership lasts. */
export class JobTerm<Cursor> {
  readonly #parts: JobTermParts<Cursor>;
  readonly #leadership: Leadership;
  readonly #slot: JobStateSlot;
  readonly #outcomes: PeriodOutcome[] = [];
  /** What reconciliations threw, which keeps no other period from its turn. */
  readonly #failures: unknown[] = [];
  #state: JobState;

  /** @throws `LeaseRecordInvalidError` if the stored state cannot be read. */
  constructor(parts: JobTermParts<Cursor>, leadership: Leadership, slot: JobStateSlot) {
    this.#parts = parts;
    this.#leadership = leadership;
    this.#slot = slot;
    this.#state = decodeJobState(slot.stored, parts.job, parts.place);
  }

  /** What became of the periods so far; `failed` also where the leadership's own error ended it. */
  get outcomes(): readonly PeriodOutcome[] {
    return this.#outcomes;
  }

  /** How things stand by now. */
  get plan(): Plan {
    const { clock, job, moment } = this.#parts;
    // The moment is that before the wait for the lease, in which others have gone on.
    return planPeriods(job, this.#state, { ...moment, wallMs: clock.wallMs() });
  }

  /** @throws what the job's run throws, or why the leadership is over. */
  async run(): Promise<void> {
    const { job } = this.#parts;
    const plan = this.plan;
    for (const period of plan.periods) {
      // Those before it may have taken the room.
      const ready = readyFor(job, this.#state, plan, period);
      if (ready) {
        await this.#leadership.checkpoint();
        this.#state = ready;
        await this.#workFor(period);
      }
    }
    if (this.#failures.length > 0) {
      throw this.#failures[0];
    }
  }

  async #workFor(period: string): Promise<void> {
    const { clock } = this.#parts;
    const startMs = clock.monotonicMs();
    const counts = new Counts();
    const note = (end: PeriodOutcome['end'], left?: SweepResult): void => {
      const durationMs = Math.round(clock.monotonicMs() - startMs);
      this.#outcomes.push({ period, end, ...left, counts: counts.all, durationMs });
    };
    try {
      if (await this.#reconcile(period)) {
        const left = await this.#sweep(period, counts);
        this.#settle(period, left);
        note(endOf(left), left);
      } else {
        note('failed');
      }
    } catch (error) {
      note('failed');
      this.#hadItsTurn(period, error);
      throw error;
    }
  }

  /** Resolves to `false` if it failed: then there is nothing new to sweep for. */
  async #reconcile(period: string): Promise<boolean> {
    const { reconcile } = this.#parts.job;
    if (!reconcile || !openPeriod(this.#state, period)?.hasUnknown) {
      return true;
    }
    try {
      const checkpoint = (): Promise<void> => this.#leadership.checkpoint();
      await reconcile({ period, leadership: jobLeadership(this.#leadership), checkpoint });
      return true;
    } catch (error) {
      if (!this.#hadItsTurn(period, error)) {
        throw error;
      }
      this.#failures.push(error);
      return false;
    }
  }

  /** Makes room for others after a failure; `false` if it was the leadership that ended. */
  #hadItsTurn(period: string, error: unknown): boolean {
    const leads = !isLeadershipOver(error) && this.#leadership.remainingMs() > 0;
    if (leads) {
      this.#leave(failedAt(this.#state, period, this.#parts.clock.wallMs()));
    }
    return leads;
  }

  /**
   * Sweeps over the period's items. A sweep that began at a cursor and left nothing is followed by
   * one from the beginning: items may have been added behind the cursor. If that one is interrupted, it
   * goes on at its own cursor, or a long list would never come to its end.
   */
  async #sweep(period: string, counts: Counts): Promise<SweepResult> {
    const { job, place } = this.#parts;
    const { current } = this.#state;
    let run = current?.period === period ? current : freshRun(period, false);
    for (;;) {
      const cursor = this.#cursorOf(run);
      // What begins at the first item counts from 0.
      run = cursor === undefined ? freshRun(period, run.isCheck) : run;
      counts.restart(run.counts);
      // Known as begun even if the run throws before its first checkpoint.
      this.#leave(underWay(this.#state, run));
      const given = this.#jobRun(run, counts, cursor);
      const left = requireSweepResult(await job.run(given.run), `${place.lease}: run(${period})`);
      given.requireWhole();
      if (cursor === undefined || run.isCheck || !isNothing(left)) {
        return left;
      }
      run = freshRun(period, true);
    }
  }

  #cursorOf({ cursor }: CurrentRun): Cursor | undefined {
    const text = cursor === undefined ? undefined : JSON.stringify(cursor);
    const parsed = parseStoredProgress(text, this.#parts.job.parseCursor);
    return parsed.usable ? parsed.progress : undefined;
  }

  /** What the job's run is given, and a check that its sweep was not cut short. */
  #jobRun(
    started: CurrentRun,
    counts: Counts,
    cursor: Cursor | undefined,
  ): { readonly run: JobRun<Cursor>; requireWhole(): void } {
    const leadership = this.#leadership;
    const refusals: unknown[] = [];
    let newest: unknown = started.cursor;
    let isOver = false;
    const run: JobRun<Cursor> = {
      period: started.period,
      leadership: jobLeadership(leadership),
      cursor,
      checkpoint: async (given) => {
        if (isOver) {
          throw new TypeError(`a checkpoint of ${started.period} came after its run had settled`);
        }
        if (given !== undefined) {
          newest = requireCursor(given);
        }
        this.#leave(underWay(this.#state, { ...started, cursor: newest, counts: counts.all }));
        try {
          await leadership.checkpoint();
        } catch (error) {
          refusals.push(error);
          throw error;
        }
      },
      count: (name, by = 1) => counts.add(name, by),
    };
    const requireWhole = (): void => {
      isOver = true;
      // A run that took the refusal for the failure of an item has not seen all items.
      if (refusals.length > 0) {
        throw refusals[0];
      }
      leadership.assertLeader();
    };
    return { run, requireWhole };
  }

  #settle(period: string, left: SweepResult): void {
    const { clock, job } = this.#parts;
    const state = this.#state;
    this.#leave(
      isNothing(left)
        ? completed(state, period, job.periods)
        : leftOpen(state, period, { ...left, wallMs: clock.wallMs() }),
    );
  }

  #leave(state: JobState): void {
    this.#state = state;
    this.#slot.leave(encodeJobState(state, this.#parts.job));
  }
}

/** Of the leadership, what a run may use: renewals that pass by its own checkpoint would not be seen. */
function jobLeadership(leadership: Leadership): JobLeadership {
  return {
    get fencingToken() {
      return leadership.fencingToken;
    },
    get signal() {
      return leadership.signal;
    },
    assertLeader: () => leadership.assertLeader(),
    remainingMs: () => leadership.remainingMs(),
    during: (operation, limit) => leadership.during(operation, limit),
  };
}

function freshRun(period: string, isCheck: boolean): CurrentRun {
  return { period, cursor: undefined, counts: {}, isCheck };
}

function isNothing({ unfinished, unknown }: SweepResult): boolean {
  return unfinished + unknown === 0;
}

function endOf({ unfinished, unknown }: SweepResult): PeriodOutcome['end'] {
  return unfinished > 0 ? 'unfinished' : unknown > 0 ? 'stuck' : 'completed';
}

function requireSweepResult(result: unknown, what: string): SweepResult {
  const { unfinished, unknown } =
    typeof result === 'object' && result !== null
      ? { unfinished: undefined, unknown: undefined, ...result }
      : {};
  if (!isCount(unfinished) || !isCount(unknown)) {
    throw new TypeError(
      `${what} must resolve to { unfinished, unknown }, two numbers of items, got ${describeValue(result)}`,
    );
  }
  return { unfinished, unknown };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
