import { build } from 'esbuild';
import pMap from 'p-map';
import { describe, expect, it } from 'vitest';
import {
  BudgetSpentError,
  causes,
  hasCode,
  isLeadershipOver,
  isRetryable,
  isTenureError,
  LeaseLostError,
  LeaseRecordInvalidError,
  OutcomeUnknownError,
  StaleTokenError,
  StoreRejectedError,
  StoreUnavailableError,
  TenureError,
} from '../../src/core/errors.ts';

const cause = new Error('socket closed');
const context = { lease: 'billing', store: 'dynamodb', cause };
const tokens = { fencingToken: 33, highestToken: 34 };

const errors = [
  new LeaseLostError('expired', 'm', { ...context, ...tokens }),
  new BudgetSpentError('m', context),
  new StoreUnavailableError('m', context),
  new OutcomeUnknownError('m', context),
  new StoreRejectedError('m', context),
  new LeaseRecordInvalidError('token-lost', 'm', context),
  new StaleTokenError('m', { ...context, ...tokens }),
];
const byName = errors.map((error) => [error.name, error] as const);

/** What another copy of this library, or a test, throws. */
function foreign(code: string): Error {
  return Object.assign(new Error('of another copy'), { code });
}

describe('errors', () => {
  it.each([
    ['LeaseLostError', 'LEASE_LOST', false],
    ['BudgetSpentError', 'BUDGET_SPENT', true],
    ['StoreUnavailableError', 'STORE_UNAVAILABLE', true],
    ['OutcomeUnknownError', 'OUTCOME_UNKNOWN', true],
    ['StoreRejectedError', 'STORE_REJECTED', false],
    ['LeaseRecordInvalidError', 'LEASE_RECORD_INVALID', false],
    ['StaleTokenError', 'STALE_TOKEN', false],
  ])('%s has code %s and is retryable: %s', (name, code, retryable) => {
    const error = errors.find((other) => other.name === name);
    expect(error).toMatchObject({ name, code, retryable });
  });

  it.each(byName)('%s is named by its code', (name, error) => {
    const words = name.replace(/Error$/, '').match(/[A-Z][a-z]+/g) ?? [];
    expect(error.code).toBe(words.join('_').toUpperCase());
  });

  it.each(byName)('%s says where it happened and why', (_, error) => {
    expect(error).toBeInstanceOf(TenureError);
    expect(error).toMatchObject({
      lease: 'billing',
      store: 'dynamodb',
      message: 'm [dynamodb:billing]',
    });
    expect(error.cause).toBe(cause);
    expect(isTenureError(error)).toBe(true);
  });

  it('names the store alone where there is no lease', () => {
    const error = new StaleTokenError('rejected', { store: 'dynamodb', ...tokens });
    expect(error.message).toBe('rejected [dynamodb]');
    expect(error.lease).toBeUndefined();
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });

  it('carry what their class adds', () => {
    expect(errors[0]).toMatchObject({ reason: 'expired', fencingToken: 33 });
    expect(errors[5]).toMatchObject({ reason: 'token-lost' });
    expect(errors[6]).toMatchObject(tokens);
  });
});

describe('isTenureError', () => {
  it('knows an error by its code, whoever made it', () => {
    expect(isTenureError(foreign('STALE_TOKEN'))).toBe(true);
  });

  it.each([
    foreign('ECONNRESET'),
    new Error('plain'),
    { code: 'STALE_TOKEN' },
    'STALE_TOKEN',
    undefined,
    null,
  ])('is false for %o', (value) => {
    expect(isTenureError(value)).toBe(false);
  });
});

describe('hasCode', () => {
  it('knows an error by its code, whoever made it, and by no other', () => {
    expect(hasCode(foreign('STALE_TOKEN'), 'STALE_TOKEN')).toBe(true);
    expect(hasCode(foreign('STALE_TOKEN'), 'LEASE_LOST')).toBe(false);
    expect(hasCode({ code: 'STALE_TOKEN' }, 'STALE_TOKEN')).toBe(false);
    expect(hasCode(undefined, 'STALE_TOKEN')).toBe(false);
  });
});

describe('isLeadershipOver', () => {
  it.each([
    ['LEASE_LOST', true],
    ['BUDGET_SPENT', true],
    ['STALE_TOKEN', true],
    ['STORE_UNAVAILABLE', false],
    ['OUTCOME_UNKNOWN', false],
    ['STORE_REJECTED', false],
    ['LEASE_RECORD_INVALID', false],
  ])('of an error of code %s is %s, also as a cause', (code, over) => {
    const inner = foreign(code);
    const outer = new Error('charge failed', {
      cause: new Error('request failed', { cause: inner }),
    });
    expect(isLeadershipOver(inner)).toBe(over);
    expect(isLeadershipOver(outer)).toBe(over);
  });

  it('finds it behind another error of this library', () => {
    const wrapped = new OutcomeUnknownError('m', { ...context, cause: errors[0] });
    expect(isLeadershipOver(wrapped)).toBe(true);
  });

  it.each([undefined, null, 'LEASE_LOST', new Error('declined'), { cause: errors[0] }])(
    'is false for %o',
    (value) => {
      expect(isLeadershipOver(value)).toBe(false);
    },
  );

  it('finds it in a group of errors', async () => {
    const failures = [Promise.reject(new Error('declined')), Promise.reject(errors[0])];
    const group = await Promise.any(failures).catch((error: unknown) => error);
    expect(isLeadershipOver(group)).toBe(true);
    expect(isLeadershipOver(new Error('run failed', { cause: group }))).toBe(true);
    expect(isLeadershipOver(new AggregateError([new Error('declined')]))).toBe(false);
  });

  it('finds it where p-map collects what failed', async () => {
    const run = pMap(
      [1, 2, 3],
      (item) => Promise.reject(item === 2 ? errors[0] : new Error('declined')),
      { stopOnError: false },
    );
    expect(isLeadershipOver(await run.catch((error: unknown) => error))).toBe(true);
  });

  it('ends at a cycle of causes', () => {
    const one = new Error('one');
    const other = new Error('other', { cause: one });
    one.cause = other;
    expect(isLeadershipOver(one)).toBe(false);
  });
});

describe('causes', () => {
  it('lists an error and its causes, outermost first', () => {
    const outer = new Error('outer', { cause: errors[1] });
    expect(causes(outer)).toEqual([outer, errors[1], cause]);
    expect(causes(undefined)).toEqual([]);
    expect(causes('text')).toEqual(['text']);
    expect(causes(new Error('outer', { cause: 'text' }))).toHaveLength(2);
  });

  it('lists the errors of a group, each with its causes', () => {
    const one = new Error('one', { cause: errors[1] });
    const group = new AggregateError([one, errors[1], 'text'], 'all failed', { cause: errors[2] });
    expect(causes(group)).toEqual([group, errors[2], cause, one, errors[1], 'text']);
  });

  it('ends where a group contains itself', () => {
    const group = new AggregateError([]);
    group.errors.push(group);
    expect(causes(group)).toEqual([group]);
  });

  it('lists each link of a cycle once', () => {
    const one = new Error('one');
    const other = new Error('other', { cause: one });
    one.cause = other;
    expect(causes(one)).toEqual([one, other]);
  });
});

describe('isRetryable', () => {
  it.each([
    [new StoreUnavailableError('down', context), true],
    [new OutcomeUnknownError('no answer', context), true],
    [new StoreRejectedError('no table', context), false],
    [new LeaseRecordInvalidError('malformed', 'no record', context), false],
    [new TypeError('misuse'), false],
    [Object.assign(new Error('of another copy'), { retryable: true }), true],
    [{ retryable: true }, false],
    [undefined, false],
  ])('of %o is %s', (error, retryable) => {
    expect(isRetryable(error)).toBe(retryable);
  });
});

describe('names of errors', () => {
  it('survive a minifier', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import * as tenure from 'tenure';
          export const named = Object.entries(tenure)
            .filter(([name]) => /^[A-Z].*Error$/.test(name) && name !== 'TenureError')
            .map(([name, Class]) => {
              const context = { store: 's' };
              const withReason = ['LeaseLostError', 'LeaseRecordInvalidError'].includes(name);
              return [name, (withReason ? new Class('r', 'm', context) : new Class('m', context)).name];
            });`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      minify: true,
      write: false,
      platform: 'node',
      format: 'esm',
    });
    const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
    const { named } = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as {
      readonly named: readonly (readonly [string, string])[];
    };
    expect(named).toHaveLength(9);
    expect(named.filter(([expected, name]) => expected !== name)).toEqual([]);
  });
});
