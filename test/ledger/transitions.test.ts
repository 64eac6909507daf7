import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../src/ledger/index.ts';
import {
  begin,
  end,
  firstTriedMs,
  spareMs,
  type Ending,
  type Intent,
} from '../../src/ledger/transitions.ts';
import { dayMs, key } from './bench.ts';

const intent = (changes: Partial<Intent> = {}): Intent => ({
  key,
  requestHash: 'a',
  attempt: { attemptId: 'one', fencingToken: 33, startedMs: 1_000 },
  keyHonouredForMs: dayMs,
  nowMs: 1_000,
  ...changes,
});

/** One thing that a process does to the entry. */
type Move =
  | {
      readonly type: 'begin';
      readonly token: number;
      readonly afterMs: number;
      readonly honoured: boolean;
    }
  | { readonly type: 'end'; readonly attempt: number; readonly status: Ending['status'] };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    type: fc.constant('begin' as const),
    token: fc.integer({ min: 1, max: 4 }),
    afterMs: fc.integer({ min: 0, max: 12 * spareMs }),
    honoured: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('end' as const),
    attempt: fc.nat(15),
    status: fc.constantFrom(
      'done' as const,
      'declined' as const,
      'unknown' as const,
      'not-sent' as const,
    ),
  }),
);

/** What really happened, kept beside the record. */
interface Truth {
  record: LedgerRecord | undefined;
  nowMs: number;
  readonly begun: { readonly id: string; readonly startedMs: number; ended?: Ending['status'] }[];
}

const endingOf = (status: Ending['status']): Ending =>
  status === 'done' || status === 'declined' ? { status, result: 1 } : { status };

const mayHaveHadIt = ({ begun }: Truth) => begun.filter(({ ended }) => ended !== 'not-sent');

/** Start of the first attempt that was not taken back. */
const firstStartOf = (truth: Truth): number | undefined =>
  mayHaveHadIt(truth)
    .map(({ startedMs }) => startedMs)
    .toSorted((one, other) => one - other)[0];

/** Begins an attempt if the entry lets it, and checks that it may be made. */
function applyBegin(truth: Truth, made: Move & { readonly type: 'begin' }): void {
  truth.nowMs += made.afterMs;
  const id = `attempt-${truth.begun.length}`;
  const attempt = { attemptId: id, fencingToken: made.token, startedMs: truth.nowMs };
  const keyHonouredForMs = made.honoured ? dayMs : 0;
  const { meaning, write } = begin(
    truth.record,
    intent({ attempt, keyHonouredForMs, nowMs: truth.nowMs }),
  );
  truth.record = write ?? truth.record;
  if (meaning !== 'begun') {
    return;
  }
  const ageMs = truth.nowMs - (firstStartOf(truth) ?? truth.nowMs);
  const alone = mayHaveHadIt(truth).length === 0;
  expect(alone || (made.honoured && ageMs < dayMs - spareMs)).toBe(true);
  expect(begin(truth.record, intent({ attempt }))).toEqual({ write: undefined, meaning: 'begun' });
  truth.begun.push({ id, startedMs: truth.nowMs });
}

/** Ends an attempt once, and checks that this cannot be repeated. */
function applyEnd(truth: Truth, made: Move & { readonly type: 'end' }): void {
  const attempt = truth.begun[made.attempt];
  if (attempt === undefined || attempt.ended !== undefined) {
    return;
  }
  const step = end(truth.record, attempt.id, endingOf(made.status));
  truth.record = step.write ?? truth.record;
  attempt.ended = made.status === 'not-sent' && !step.meaning ? 'unknown' : made.status;
  expect(end(truth.record, attempt.id, endingOf(made.status)).write).toBe(undefined);
}

function apply(truth: Truth, made: Move): void {
  if (made.type === 'begin') {
    applyBegin(truth, made);
  } else {
    applyEnd(truth, made);
  }
}

describe('the transitions of an entry', () => {
  const history = (check: (truth: Truth, before: LedgerRecord | undefined) => void): void => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const truth: Truth = { record: undefined, nowMs: 1_000, begun: [] };
        for (const made of moves) {
          const before = truth.record;
          apply(truth, made);
          check(truth, before);
        }
      }),
      { numRuns: 500 },
    );
  };

  it('begin a second attempt only if all others were taken back or the key is honoured', () => {
    history(() => {});
  });

  it('never leave a settled state', () => {
    history(({ record }, before) => {
      const wasSettled = before?.state === 'done' || before?.state === 'declined';
      expect(wasSettled ? record : before).toBe(before);
    });
  });

  it('never lower the fencing token, and never forget the first attempt', () => {
    history((truth, before) => {
      const { record } = truth;
      expect(record?.fencingToken ?? 0).toBeGreaterThanOrEqual(before?.fencingToken ?? 0);
      expect(record && firstTriedMs(record)).toBe(firstStartOf(truth));
    });
  });

  it('are untried exactly when each attempt was taken back', () => {
    history((truth) => {
      const state = truth.record?.state ?? 'untried';
      expect(state === 'untried').toBe(mayHaveHadIt(truth).length === 0);
    });
  });

  it('are declined only by the newest attempt, whose answer covers the earlier ones', () => {
    history((truth, before) => {
      const { record } = truth;
      const declined = record?.state === 'declined' && before?.state !== 'declined';
      const newest = mayHaveHadIt(truth).at(-1)?.ended;
      expect(declined ? newest : 'declined').toBe('declined');
    });
  });
});

describe('begin', () => {
  it.each([
    ['foreign', { key: ['billing'] }],
    ['changed', { requestHash: 'b' }],
    ['stale', { attempt: { attemptId: 'two', fencingToken: 32, startedMs: 1_000 } }],
  ] as const)('writes nothing where the intent is %s', (meaning, changes) => {
    const { write } = begin(undefined, intent());
    const two = { attempt: { attemptId: 'two', fencingToken: 33, startedMs: 1_000 } };
    expect(begin(write, intent({ ...two, ...changes }))).toEqual({ write: undefined, meaning });
  });

  it('takes back itself where a later term has built upon its lost first delivery', () => {
    const first = begin(undefined, intent()).write;
    const two = { attemptId: 'two', fencingToken: 34, startedMs: 2_000 };
    const second = begin(first, intent({ attempt: two })).write;
    const step = begin(second, intent());
    expect(step.meaning).toBe('stale');
    expect(step.write?.attempts.map(({ attemptId }) => attemptId)).toEqual(['two']);
    expect(step.write?.state).toBe('pending');
  });
});

describe('taking an attempt back', () => {
  /** The record after each attempt has begun in turn, by terms of rising tokens. */
  const begunBy = (record: LedgerRecord | undefined, ...ids: readonly string[]) =>
    ids.reduce((found, attemptId) => {
      const fencingToken = (found?.fencingToken ?? 0) + 1;
      return begin(found, intent({ attempt: { attemptId, fencingToken, startedMs: 1_000 } })).write;
    }, record);
  const ended = (record: LedgerRecord | undefined, id: string, status: 'unknown' | 'not-sent') =>
    end(record, id, { status }).write;

  it('returns the entry to unknown if that is what it was, although another is open', () => {
    const first = begunBy(undefined, 'a');
    const attempt = { attemptId: 'x', fencingToken: 5, startedMs: 1_000 };
    const givenUp = begin(first, intent({ attempt, keyHonouredForMs: 0 })).write;
    expect(givenUp?.state).toBe('unknown');
    const again = begunBy(givenUp, 'b');
    expect(again?.state).toBe('pending');
    expect(ended(again, 'b', 'not-sent')?.state).toBe('unknown');
  });

  it('leaves the entry unknown once nobody can say more', () => {
    const unknown = ended(begunBy(undefined, 'a'), 'a', 'unknown');
    const both = begunBy(unknown, 'b', 'c');
    const one = ended(both, 'b', 'not-sent');
    expect(one?.state).toBe('pending');
    expect(ended(one, 'c', 'not-sent')?.state).toBe('unknown');
  });

  it('leaves the entry pending while a newer attempt is', () => {
    const one = ended(begunBy(undefined, 'a', 'b'), 'a', 'not-sent');
    expect(one?.state).toBe('pending');
    expect(ended(one, 'b', 'not-sent')?.state).toBe('untried');
  });
});
