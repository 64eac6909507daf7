import { describe, expect, it } from 'vitest';
import {
  BudgetSpentError,
  LeaseLostError,
  StaleTokenError,
  type LossReason,
} from '../../src/core/errors.ts';
import { settlement, staleTokenOf, type WorkResult } from '../../src/core/settlement.ts';

const context = { lease: 'billing', store: 'memory' };
const token = 33;
const callersReason = new Error('shutting down');
const lastFailure = new Error('no answer');

function lost(reason: LossReason, fencingToken = token, cause?: unknown): LeaseLostError {
  return new LeaseLostError(reason, 'm', { ...context, fencingToken, cause });
}
function stale(fencingToken: number): StaleTokenError {
  return new StaleTokenError('m', { ...context, fencingToken, highestToken: 80 });
}

/** Why the leadership was over before the work settled. */
const overs = {
  none: undefined,
  'taken-over': lost('taken-over'),
  expired: lost('expired', token, lastFailure),
  aborted: lost('aborted', token, callersReason),
  budget: new BudgetSpentError('m', context),
};
type Over = keyof typeof overs;

const own = new Error('card declined');

/** What the work may throw. */
const thrown = {
  'an error of its own': () => own,
  'something that is no error': () => 'just text',
  nothing: () => undefined,
  'the error of the leadership': (over: Over) => overs[over] ?? lost('expired'),
  'an error caused by that of the leadership': (over: Over) =>
    new Error('charge failed', { cause: overs[over] ?? lost('expired') }),
  'an abort': () => new DOMException('aborted', 'AbortError'),
  'an error caused by an abort': () =>
    new Error('charge failed', { cause: new DOMException('aborted', 'AbortError') }),
  'the reason of the caller': () => callersReason,
  'a timeout': () => new DOMException('too slow', 'TimeoutError'),
  'a stale token of this term': () => stale(token),
  'an error caused by a stale token of this term': () =>
    new Error('charge failed', { cause: stale(token) }),
  'a stale token of another term': () => stale(token - 1),
  'the loss of another term': () => lost('taken-over', token + 1),
  'the spent budget of another election': () => new BudgetSpentError('m', context),
  'a group of errors of the leadership': (over: Over) =>
    new AggregateError([
      overs[over] ?? lost('expired'),
      new DOMException('aborted', 'AbortError'),
      new Error('charge failed', { cause: overs[over] ?? lost('expired') }),
    ]),
  'a group with an error of its own': (over: Over) =>
    new AggregateError([own, overs[over] ?? lost('expired')]),
  'a group with a stale token of this term': () => new AggregateError([own, stale(token)]),
};
type Thrown = keyof typeof thrown;

/** In this order for none, taken-over, expired, aborted and budget. */
type Row = readonly [string, string, string, string, string];

// `rejects` is with what was thrown, untouched; `work error` is a loss that carries it.
const table: Record<Thrown, Row> = {
  'an error of its own': ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  'something that is no error': ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  nothing: ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  'the error of the leadership': ['rejects', 'lost', 'lost', 'rejects with reason', 'paused'],
  'an error caused by that of the leadership': [
    'rejects',
    'lost',
    'lost',
    'rejects with reason',
    'paused',
  ],
  'an abort': ['rejects', 'lost', 'lost', 'rejects with reason', 'paused'],
  'an error caused by an abort': ['rejects', 'lost', 'lost', 'rejects with reason', 'paused'],
  'the reason of the caller': [
    'rejects',
    'work error',
    'work error',
    'rejects with reason',
    'rejects',
  ],
  'a timeout': ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  'a stale token of this term': ['taken-over', 'lost', 'lost', 'rejects with reason', 'taken-over'],
  'an error caused by a stale token of this term': [
    'taken-over',
    'lost',
    'lost',
    'rejects with reason',
    'taken-over',
  ],
  'a stale token of another term': ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  'the loss of another term': ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  'the spent budget of another election': [
    'rejects',
    'work error',
    'work error',
    'rejects',
    'rejects',
  ],
  'a group of errors of the leadership': [
    'rejects',
    'lost',
    'lost',
    'rejects with reason',
    'paused',
  ],
  'a group with an error of its own': ['rejects', 'work error', 'work error', 'rejects', 'rejects'],
  'a group with a stale token of this term': [
    'taken-over',
    'lost',
    'lost',
    'rejects with reason',
    'taken-over',
  ],
};

const overNames = ['none', 'taken-over', 'expired', 'aborted', 'budget'] as const;

/** What a cell of the table means. */
function expected(cell: string, over: Over, error: unknown): unknown {
  const loss = { status: 'lost', fencingToken: token };
  switch (cell) {
    case 'rejects':
      return { thrown: error };
    case 'rejects with reason':
      return { thrown: callersReason };
    case 'paused':
      return { outcome: { status: 'led', end: 'paused', fencingToken: token } };
    case 'taken-over':
      return { outcome: { ...loss, reason: 'taken-over' } };
    case 'lost':
      return { outcome: { ...loss, reason: over } };
    default:
      return { outcome: { ...loss, reason: over, workError: error } };
  }
}

describe('settlement', () => {
  const cells = (Object.keys(table) as Thrown[]).flatMap((what) =>
    overNames.map((over, column) => [over, what, table[what][column] ?? ''] as const),
  );

  it.each(cells)('with a leadership over by %s, of work that throws %s: %s', (over, what, cell) => {
    const error = thrown[what](over);
    const settled = settlement(
      { returned: false, error },
      { over: overs[over], fencingToken: token },
    );
    expect(settled).toStrictEqual(expected(cell, over, error));
    // Untouched means this very value, not one that equals it.
    expect('thrown' in settled ? settled.thrown : undefined).toBe(
      cell === 'rejects' ? error : cell === 'rejects with reason' ? callersReason : undefined,
    );
  });

  const returned: WorkResult<string> = { returned: true, value: 'report' };
  const led = { status: 'led', fencingToken: token, value: 'report' };

  it.each([
    ['none', { ...led, end: 'completed' }],
    ['aborted', { ...led, end: 'completed' }],
    ['budget', { ...led, end: 'paused' }],
    ['taken-over', { status: 'lost', reason: 'taken-over', fencingToken: token }],
    ['expired', { status: 'lost', reason: 'expired', fencingToken: token }],
  ] as const)('with a leadership over by %s, of work that returns', (over, outcome) => {
    expect(settlement(returned, { over: overs[over], fencingToken: token })).toStrictEqual({
      outcome,
    });
  });

  it('keeps that the work returned undefined', () => {
    const settled = settlement(
      { returned: true, value: undefined },
      { over: overs.budget, fencingToken: token },
    );
    expect(settled).toStrictEqual({
      outcome: { status: 'led', end: 'paused', fencingToken: token, value: undefined },
    });
  });

  it.each([['a text'], [null], [{ code: 'SIGTERM' }]])(
    'rejects with a reason of the caller that is no error: %o',
    (reason) => {
      const result: WorkResult<never> = { returned: false, error: reason };
      const over = lost('aborted', token, reason);
      expect(settlement(result, { over: over, fencingToken: token })).toStrictEqual({
        thrown: reason,
      });
      const ownResult: WorkResult<never> = { returned: false, error: over };
      expect(settlement(ownResult, { over: over, fencingToken: token })).toStrictEqual({
        thrown: reason,
      });
    },
  );

  it('does not call the spent budget that the work was told of its own error', () => {
    const spent = new BudgetSpentError('m', context);
    const result: WorkResult<never> = { returned: false, error: spent };
    const end = { fencingToken: token, over: overs['taken-over'] };
    const lossAlone = { status: 'lost', reason: 'taken-over', fencingToken: token };
    expect(settlement(result, { ...end, spent })).toStrictEqual({ outcome: lossAlone });
    expect(settlement(result, end)).toStrictEqual({ outcome: { ...lossAlone, workError: spent } });
  });

  it('does not call the cause of an expired leadership the work’s own error', () => {
    const result: WorkResult<never> = { returned: false, error: lastFailure };
    expect(settlement(result, { over: overs.expired, fencingToken: token })).toStrictEqual({
      outcome: { status: 'lost', reason: 'expired', fencingToken: token },
    });
  });
});

describe('staleTokenOf', () => {
  it('finds the rejection of this very term, also as a cause', () => {
    const error = stale(33);
    expect(staleTokenOf(error, 33)).toBe(error);
    expect(staleTokenOf(new Error('charge failed', { cause: error }), 33)).toBe(error);
  });

  it.each([stale(32), stale(34), lost('taken-over'), own, undefined])(
    'finds none in %o',
    (error) => {
      expect(staleTokenOf(error, 33)).toBeUndefined();
    },
  );
});
