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
import type { Job } from './job.ts';
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

/** What of a job says whose state it is. */
export type StateOwner = Pick<Job, 'lease' | 'name'>;

/** JSON text of a state. */
export function encodeJobState({ settled, open, current }: JobState, owner: StateOwner): string {
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
    job: owner.name === owner.lease ? undefined : owner.name,
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
 *
 * @param spare - For how many more periods there must be room besides.
 */
export function hasRoom(
  state: JobState,
  period: string,
  { owner, spare = 0 }: { readonly owner: StateOwner; readonly spare?: number },
): boolean {
  const begun = begunPeriods(state);
  const isMarked = begun.some((other) => other.period === period);
  const more = Array.from({ length: isMarked ? 0 : 1 + spare }, () => unsweptMark(period));
  const open = [...begun, ...more];
  const text = encodeJobState({ ...state, open, current: longestRun }, owner);
  const bytes = new TextEncoder().encode(text).length;
  return open.length <= maxBegunPeriods && bytes <= maxJobStateBytes;
}

/**
 * Reads what {@link encodeJobState} wrote.
 *
 * @param text - As stored; `undefined` for a record without state.
 * @throws `LeaseRecordInvalidError` if it is anything else, or of another job. Taking it for none
 *   would make every period due again; taking another job's would leave out the work of this one.
 */
export function decodeJobState(
  text: string | undefined,
  job: StateOwner & Pick<Job, 'periods'>,
  context: ErrorContext,
): JobState {
  if (text === undefined) {
    return emptyState;
  }
  try {
    return stateOf(jsonOf(text), job);
  } catch (cause) {
    throw new LeaseRecordInvalidError(
      'malformed',
      'the state of the job cannot be read: another job, one with other periods, or another version of this code has written it; give each job a lease of its own, or repair the record',
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

function stateOf(json: unknown, owner: StateOwner & Pick<Job, 'periods'>): JobState {
  const { v, job = owner.lease, settled, open, run } = fieldsOf(json);
  const periods = readable(owner.periods);
  if (v !== version) {
    throw new TypeError(`its version must be ${version}`);
  }
  if (job !== owner.name) {
    throw new TypeError('it must be of this job, not of another one');
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

/** Periods whose refusals do not quote what stands in the record. */
function readable(periods: Periods): Pick<Periods, 'parse'> {
  return {
    parse: (text) => {
      try {
        return periods.parse(text);
      } catch {
        throw new TypeError('it must name periods of this job');
      }
    },
  };
}

function openOf(word: string, periods: Pick<Periods, 'parse'>): OpenPeriod {
  const [, period = '', letter, minutes = ''] = /^(.+)~([ums])([0-9a-z]{6})$/.exec(word) ?? [];
  return {
    period: periods.parse(period),
    kind: letter === letters.stuck ? 'stuck' : 'unfinished',
    hasUnknown: letter !== letters.unfinished,
    sweptMinutes: Number.parseInt(minutes, 36),
  };
}

function runOf(
  { period, cursor, counts, check }: Fields,
  periods: Pick<Periods, 'parse'>,
): CurrentRun {
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
