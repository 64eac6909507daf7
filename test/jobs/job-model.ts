import assert from 'node:assert/strict';
import type { CatchUp } from 'tenure/jobs';
import {
  completed,
  emptyState,
  isSettled,
  leftOpen,
  underWay,
  type JobState,
} from '../../src/jobs/job-state.ts';
import { decodeJobState, encodeJobState } from '../../src/jobs/job-state-text.ts';
import { planPeriods, readyFor, type Moment, type Plan } from '../../src/jobs/plan.ts';
import type { End, ModelTick, PeriodsKind } from './arbitraries.ts';

const place = { lease: 'orders', store: 'model' };
/** All that a run may leave: the longest cursor and the most counts. */
const longest = {
  cursor: 'ü'.repeat(99),
  counts: Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => [letter.repeat(12), 99_999_999]),
  ),
};

/** A job whose runs end as a test says, without store and leadership. */
export class JobModel {
  state: JobState = emptyState;
  /** Periods of which a sweep found nothing left. */
  readonly completed = new Set<string>();
  readonly passedOver = new Set<string>();
  /** Length of the longest text so far. */
  longestText = 0;
  readonly #kind: PeriodsKind;
  readonly #job: Parameters<typeof planPeriods>[0];
  #newest: number;
  #clockOffsetMs = 0;

  constructor(kind: PeriodsKind, options: { readonly catchUp: CatchUp; readonly max?: number }) {
    const { catchUp, max = 7 } = options;
    this.#kind = kind;
    // Periods before the first one can be asked for by name.
    this.#newest = 60;
    this.#job = {
      name: 'orders',
      lease: 'orders of the house',
      periods: kind.periods,
      startFrom: kind.nameOf(this.#newest),
      catchUp,
      maxPeriodsPerRun: max,
    };
  }

  /** Decides as an invocation at the present moment does. */
  plan(asked?: string): Plan {
    return planPeriods(this.#job, this.state, this.#moment(asked));
  }

  tick({ later, asked, clockStepMinutes, ends }: ModelTick): void {
    this.#newest += later;
    this.#clockOffsetMs += clockStepMinutes * 60_000;
    const plan = this.plan(
      asked === undefined ? undefined : this.#kind.nameOf(this.#newest - asked),
    );
    this.#requireSound(plan);
    for (const [index, period] of plan.periods.entries()) {
      if (!this.#run(plan, period, ends[index % ends.length] ?? 'completed')) {
        return;
      }
    }
  }

  /** Everything that is settled was completed by a sweep or passed over, and the other way round. */
  requireHonest(): void {
    for (let index = 0; index <= this.#newest; index += 1) {
      const period = this.#kind.nameOf(index);
      assert.equal(
        isSettled(this.state, period, this.#job.periods),
        this.completed.has(period) || this.passedOver.has(period),
        period,
      );
    }
  }

  /** Whether the invocation goes on with its next period. */
  #run(plan: Plan, period: string, end: End): boolean {
    const { periods } = this.#job;
    const ready = readyFor(this.#job, this.state, plan, period);
    if (!ready) {
      return true;
    }
    if (ready !== this.state) {
      plan.passedOver.forEach((passed) => this.passedOver.add(passed));
    }
    this.#become(underWay(ready, { period, ...longest, isCheck: true }));
    if (end === 'interrupted') {
      return false;
    }
    if (end === 'completed') {
      this.completed.add(period);
      this.#become(completed(this.state, period, periods));
      return true;
    }
    const left = { unfinished: end === 'unknown' ? 0 : 2, unknown: end === 'unfinished' ? 0 : 3 };
    const { wallMs } = this.#moment(undefined);
    this.#become(leftOpen(this.state, period, { ...left, wallMs }));
    return true;
  }

  #become(state: JobState): void {
    const text = encodeJobState(state, this.#job);
    const bytes = new TextEncoder().encode(text).length;
    assert.ok(bytes <= 1_024, `${bytes} bytes: ${text}`);
    assert.deepEqual(decodeJobState(text, this.#job, place), state);
    this.longestText = Math.max(this.longestText, bytes);
    this.state = state;
  }

  #requireSound(plan: Plan): void {
    const { maxPeriodsPerRun } = this.#job;
    const stuck = plan.periods.filter((period) => plan.stuck.includes(period));
    assert.ok(plan.periods.length - stuck.length <= maxPeriodsPerRun);
    assert.equal(plan.idle === undefined, plan.periods.length > 0);
    assert.equal(new Set(plan.periods).size, plan.periods.length);
    for (const period of [...plan.periods, ...plan.incomplete]) {
      assert.ok(!this.completed.has(period), `${period} is complete`);
      assert.ok(!this.passedOver.has(period), `${period} was passed over`);
    }
  }

  #moment(period: string | undefined): Moment {
    const newestMs = this.#kind.periods.dueFromMs(this.#kind.nameOf(this.#newest));
    return { nominalMs: newestMs, wallMs: newestMs + this.#clockOffsetMs, period };
  }
}
