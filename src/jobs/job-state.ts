/**
 * What a job keeps in the record of its lease, and how it changes. All of it is pure.
 *
 * @module
 */
import type { Periods } from './periods/periods.ts';
import type { SweepResult } from './job.ts';

/** Periods that are settled, one after the other: complete, or passed over by `catchUp`. */
interface SettledRange {
  readonly first: string;
  readonly last: string;
}

/** A period that was begun and is not complete, other than the one whose run is under way. */
export interface OpenPeriod {
  readonly period: string;
  /**
   * `unfinished`: items must be tried again, or no sweep has come to its end. `stuck`: only unknown
   * ones are left.
   */
  readonly kind: 'unfinished' | 'stuck';
  /** Whether the outcome of items is unknown. */
  readonly hasUnknown: boolean;
  /** When it had its last turn, in wall-clock minutes since the Unix epoch; 0 if interrupted. */
  readonly sweptMinutes: number;
}

/** The run that is under way, or was when it was interrupted. */
export interface CurrentRun {
  readonly period: string;
  /** JSON; `undefined` if nothing was saved. */
  readonly cursor: unknown;
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Whether this sweep began at the first item, after one that had begun at a cursor: what was added
   * behind the cursor is found by it.
   */
  readonly isCheck: boolean;
}

/** What a job knows of its periods. */
export interface JobState {
  /** Oldest first, neighbours joined. */
  readonly settled: readonly SettledRange[];
  readonly open: readonly OpenPeriod[];
  readonly current: CurrentRun | undefined;
}

/** Nothing has been worked for. */
export const emptyState: JobState = { settled: [], open: [], current: undefined };

/** Highest `sweptMinutes`: six digits to the base of 36, which last until the year 6108. */
export const maxSweptMinutes: number = 36 ** 6 - 1;

/** Whether a period is settled: complete, or passed over. */
export function isSettled(state: JobState, period: string, periods: Periods): boolean {
  const dueMs = periods.dueFromMs(period);
  return state.settled.some(
    ({ first, last }) => periods.dueFromMs(first) <= dueMs && dueMs <= periods.dueFromMs(last),
  );
}

/** Up to which period everything from `startFrom` on is settled; `undefined` if not even that. */
export function completedThrough(
  state: JobState,
  startFrom: string,
  periods: Periods,
): string | undefined {
  const startMs = periods.dueFromMs(startFrom);
  return state.settled.find(
    ({ first, last }) => periods.dueFromMs(first) <= startMs && startMs <= periods.dueFromMs(last),
  )?.last;
}

/** Mark of an open period; `undefined` if it is none. */
export function openPeriod(state: JobState, period: string): OpenPeriod | undefined {
  return state.open.find((open) => open.period === period);
}

/** Whether a run has begun the period, which is not complete. */
export function isBegun(state: JobState, period: string): boolean {
  return state.current?.period === period || openPeriod(state, period) !== undefined;
}

/** Every period that was begun, each with its mark, as if no run were under way. */
export function begunPeriods({ open, current }: JobState): readonly OpenPeriod[] {
  const isMarked = !current || open.some(({ period }) => period === current.period);
  return isMarked ? open : [...open, unsweptMark(current.period)];
}

/** Mark of a period that was begun and that no sweep has come to the end of. */
export function unsweptMark(period: string): OpenPeriod {
  return { period, kind: 'unfinished', hasUnknown: false, sweptMinutes: 0 };
}

/** The state while `run` goes on. A run of another period, if one was interrupted, stays begun. */
export function underWay(state: JobState, run: CurrentRun): JobState {
  const open = state.current?.period === run.period ? state.open : begunPeriods(state);
  return { ...state, open, current: run };
}

/**
 * The state after an attempt that failed: the period stays as it is, and has had its turn. A run that
 * was interrupted by it can still go on at its cursor.
 */
export function failedAt(state: JobState, period: string, wallMs: number): JobState {
  const mark = openPeriod(state, period) ?? unsweptMark(period);
  const others = state.open.filter((other) => other.period !== period);
  return { ...state, open: [...others, { ...mark, sweptMinutes: minutesOf(wallMs) }] };
}

/** The state after a sweep that left something: the period stays open. */
export function leftOpen(
  state: JobState,
  period: string,
  { unfinished, unknown, wallMs }: SweepResult & { readonly wallMs: number },
): JobState {
  const open: OpenPeriod = {
    period,
    kind: unfinished > 0 ? 'unfinished' : 'stuck',
    hasUnknown: unknown > 0,
    sweptMinutes: minutesOf(wallMs),
  };
  const others = state.open.filter((other) => other.period !== period);
  return { ...withoutRunOf(state, period), open: [...others, open] };
}

function minutesOf(wallMs: number): number {
  return Math.min(Math.max(Math.floor(wallMs / 60_000), 0), maxSweptMinutes);
}

/** The state after a sweep that left nothing: the period is complete. */
export function completed(state: JobState, period: string, periods: Periods): JobState {
  const open = state.open.filter((other) => other.period !== period);
  const settled = joined([...state.settled, { first: period, last: period }], periods);
  return { ...withoutRunOf(state, period), settled, open };
}

/** The state after some periods, none of which was begun, were passed over. */
export function passedOver(state: JobState, passed: readonly string[], periods: Periods): JobState {
  const ranges = passed.map((period) => ({ first: period, last: period }));
  return { ...state, settled: joined([...state.settled, ...ranges], periods) };
}

function withoutRunOf(state: JobState, period: string): JobState {
  return state.current?.period === period ? { ...state, current: undefined } : state;
}

/** Ranges in order, with those joined that touch or overlap. */
function joined(ranges: readonly SettledRange[], periods: Periods): readonly SettledRange[] {
  const dueMs = (period: string): number => periods.dueFromMs(period);
  const result: SettledRange[] = [];
  for (const range of ranges.toSorted((a, b) => dueMs(a.first) - dueMs(b.first))) {
    const before = result.at(-1);
    if (before && dueMs(range.first) <= dueMs(periods.next(before.last))) {
      const last = dueMs(range.last) > dueMs(before.last) ? range.last : before.last;
      result[result.length - 1] = { first: before.first, last };
    } else {
      result.push(range);
    }
  }
  return result;
}
