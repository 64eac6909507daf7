/**
 * The state of a job as JSON text of at most 1 KiB:
 *
 * ```json
 * {"v":1,"settled":"2026-01/2026-06 2026-08","open":"2026-07~s0htbqs",
 *  "run":{"period":"2026-09","cursor":"c-017","counts":{"charged":17}}}
 * ```
 *
 * @module
 */
import { LeaseRecordInvalidError, type ErrorContext } from '../core/errors.ts';
import { maxJobStateBytes } from '../core/job-election.ts';
import {
  begunPeriods,
  emptyState,
  maxSweptMinutes,
  unsweptMark,
  type CurrentRun,
  type JobState,
  type OpenPeriod,
} from './job-state.ts';
import type { Periods } from './periods/periods.ts';

/** Layout of the text; another one would be another number. */
const version = 1;
/** Longest cursor, in bytes of JSON. */
export const maxCursorBytes = 200;
/** Most names that a run counts under, the length of each, and the highest count. */
export const maxCounts = 6;
export const maxCountName = 12;
export const maxCount = 99_999_999;
/** Most periods that may be begun and not complete at one time. */
const maxBegunPeriods = 16;
/** The run that takes the most room. */
const longestRun: CurrentRun = {
  period: 'x'.repeat(16),
  cursor: 'x'.repeat(maxCursorBytes - '""'.length),
  counts: Object.fromEntries(
    Array.from({ length: maxCounts }, (_, index) => [
      String.fromCodePoint(97 + index).repeat(maxCountName),
      maxCount,
    ]),
  ),
  isCheck: true,
};

/** Digits of `sweptMinutes`, to the base of 36. */
const minuteDigits = maxSweptMinutes.toString(36).length;

/** Which letter stands for which mark of an open period. */
const letters = { unfinished: 'u', 'unfinished-unknown': 'm', stuck: 's' } as const;

/** JSON text of a state. */
export function encodeJobState({ settled, open, current }: JobState): string {
  const ranges = settled.map(({ first, last }) => (first === last ? first : `${first}/${last}`));
  const marks = open.map(({ period, kind, hasUnknown, sweptMinutes }) => {
    const letter =
      kind === 'unfinished' && hasUnknown ? letters['unfinished-unknown'] : letters[kind];
    // A mark that could grow later might not fit any more.
    return `${period}~${letter}${sweptMinutes.toString(36).padStart(minuteDigits, '0')}`;
  });
  const { period, cursor, counts, isCheck } = current ?? {};
  return JSON.stringify({
    v: version,
    settled: ranges.length > 0 ? ranges.join(' ') : undefined,
    open: marks.length > 0 ? marks.join(' ') : undefined,
    run: current && {
      period,
      cursor,
      counts: Object.keys(counts ?? {}).length > 0 ? counts : undefined,
      check: isCheck ? 1 : undefined,
    },
  });
}

/**
 * Whether there is room for whatever may become of a period, and of all that were begun before it:
 * each may stay open for ever or be settled on its own. A period that begins only where this holds
 * leaves it true for all that are begun, since a settled period takes less room than an open one.
 */
export function hasRoom(state: JobState, period: string): boolean {
  const begun = begunPeriods(state);
  const isMarked = begun.some((other) => other.period === period);
  const open = isMarked ? begun : [...begun, unsweptMark(period)];
  const bytes = encodeJobState({ ...state, open, current: longestRun }).length;
  return open.length <= maxBegunPeriods && bytes <= maxJobStateBytes;
}

/**
 * Reads what {@link encodeJobState} wrote.
 *
 * @param text - As stored; `undefined` for a record without state.
 * @throws `LeaseRecordInvalidError` if it is anything else. Taking it for none would make every
 *   period due again.
 */
export function decodeJobState(
  text: string | undefined,
  periods: Periods,
  context: ErrorContext,
): JobState {
  if (text === undefined) {
    return emptyState;
  }
  try {
    return stateOf(jsonOf(text), periods);
  } catch (cause) {
    throw new LeaseRecordInvalidError(
      'malformed',
      'the state of the job cannot be read: another version of this code, or a job with other periods, has written it; use another lease, or repair the record',
      { ...context, cause },
    );
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error quotes the text, which may name a customer.
    throw new TypeError('it must be JSON');
  }
}

function stateOf(json: unknown, periods: Periods): JobState {
  const { v, settled, open, run } = fieldsOf(json);
  if (v !== version) {
    throw new TypeError(`its version must be ${version}`);
  }
  return {
    settled: wordsOf(settled).map((word) => {
      const [first = '', last = first, ...more] = word.split('/');
      if (more.length > 0) {
        throw new TypeError('its settled periods must be ranges');
      }
      return { first: periods.parse(first), last: periods.parse(last) };
    }),
    open: wordsOf(open).map((word) => openOf(word, periods)),
    current: run === undefined ? undefined : runOf(fieldsOf(run), periods),
  };
}

function openOf(word: string, periods: Periods): OpenPeriod {
  const [, period = '', letter, minutes = ''] = /^(.+)~([ums])([0-9a-z]{6})$/.exec(word) ?? [];
  return {
    period: periods.parse(period),
    kind: letter === letters.stuck ? 'stuck' : 'unfinished',
    hasUnknown: letter !== letters.unfinished,
    sweptMinutes: Number.parseInt(minutes, 36),
  };
}

function runOf({ period, cursor, counts, check }: Fields, periods: Periods): CurrentRun {
  const numbers = counts === undefined ? {} : fieldsOf(counts);
  const entries = Object.entries(numbers).map(([name, count]) => {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
      throw new TypeError('its counts must be whole numbers from 0');
    }
    return [name, count] as const;
  });
  return {
    period: periods.parse(textOf(period)),
    cursor,
    counts: Object.fromEntries(entries),
    isCheck: check === 1,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(json: unknown): Fields {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new TypeError('it must be an object');
  }
  return { ...json };
}

function wordsOf(value: unknown): readonly string[] {
  return value === undefined ? [] : textOf(value).split(' ');
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError('its periods must be text');
  }
  return value;
}
