import { describe, expect, it } from 'vitest';
import { BudgetSpentError } from 'tenure';
import { shownError } from '../../src/jobs/shown-error.ts';
import { rejection } from '../core/bench.ts';
import { JobBench, monthlyJob } from './bench.ts';

/** An error on which code of others has put what is no text. */
const odd = Object.assign(new Error('odd'), { name: 7, message: Symbol('odd'), code: 7 });

describe('the error of an outcome', () => {
  it.each<[string, unknown, object]>([
    ['text', 'text', { name: 'unknown', message: '"text"' }],
    ['nothing', undefined, { name: 'unknown', message: 'undefined' }],
    ['an object', { secret: 's3' }, { name: 'unknown', message: 'an object' }],
    ['no prototype', Object.create(null), { name: 'unknown', message: 'an object' }],
    [
      'an error with a cause',
      new RangeError('outer', { cause: new TypeError('inner') }),
      { name: 'RangeError', message: 'outer', cause: 'TypeError: inner' },
    ],
    [
      'an error with a code',
      new BudgetSpentError('spent', { store: 'memory', lease: 'billing' }),
      { name: 'BudgetSpentError', code: 'BUDGET_SPENT', message: 'spent [memory:billing]' },
    ],
    ['an odd error', odd, { name: '7', message: 'Symbol(odd)' }],
    [
      'an odd cause',
      new Error('outer', { cause: odd }),
      { name: 'Error', message: 'outer', cause: '7: Symbol(odd)' },
    ],
  ])('shows whatever was thrown: %s', (_, thrown, shown) => {
    expect(shownError(thrown)).toEqual(shown);
  });

  it('does not replace what a run rejects with', async () => {
    const bench = new JobBench();
    expect(await rejection(bench.tick(monthlyJob(() => Promise.reject('text'))))).toBe('text');
    expect(bench.outcomes).toMatchObject([{ error: { name: 'unknown', message: '"text"' } }]);
  });
});
