import { describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../src/core/lease-store.ts';
import {
  requireFunction,
  requireStore,
  requireToken,
  requireWait,
} from '../../src/core/requirements.ts';
import { memoryLeaseStore } from '../../src/stores/memory/index.ts';

class DynamoDBClient {
  readonly config = { credentials: 'secret' };
}

describe('requireStore', () => {
  it.each(['observed', 'store'] as const)('returns a store of expiry %s', (expiry) => {
    const store = memoryLeaseStore({ expiry });
    expect(requireStore(store)).toBe(store);
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['leases', '"leases"'],
    [{ look: () => {} }, 'an object'],
    [memoryLeaseStore, 'a function'],
    [new DynamoDBClient(), 'DynamoDBClient'],
  ])('refuses %o', (store, received) => {
    expect(() => requireStore(store as unknown as LeaseStore)).toThrow(
      new TypeError(
        `store must be a lease store, such as dynamoDbLeaseStore(...) returns, got ${received}`,
      ),
    );
  });
});

describe('requireToken', () => {
  it.each([1, 33, Number.MAX_SAFE_INTEGER])('returns %i', (token) => {
    expect(requireToken('firstToken', token)).toBe(token);
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 53])('refuses %s', (token) => {
    expect(() => requireToken('minimumToken', token)).toThrow(
      new RangeError(`minimumToken must be a safe integer of at least 1, got ${token}`),
    );
  });

  it.each([
    ['33', '"33"'],
    [33n, '33'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('refuses what is no number: %s', (token, received) => {
    expect(() => requireToken('minimumToken', token)).toThrow(
      new TypeError(
        `minimumToken must be a number (a safe integer of at least 1), got ${received}`,
      ),
    );
  });
});

describe('requireFunction', () => {
  it('accepts a function', () => {
    expect(() => requireFunction('work', async () => {})).not.toThrow();
  });

  it.each([
    [undefined, 'undefined'],
    ['work', '"work"'],
    [Promise.resolve(), 'Promise'],
  ])('refuses %o', (work, received) => {
    expect(() => requireFunction('work', work)).toThrow(
      new TypeError(`work must be a function, got ${received}`),
    );
  });
});

describe('requireWait', () => {
  it.each(['none', 'one-lease', 0, 1_500.5, Infinity])('accepts %s', (wait) => {
    expect(() => requireWait(wait)).not.toThrow();
  });

  it.each([
    ['forever', '"forever"'],
    ['1000', '"1000"'],
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [{ ms: 5 }, 'an object'],
  ])('refuses %o', (wait, received) => {
    expect(() => requireWait(wait)).toThrow(
      new TypeError(`wait must be 'none', 'one-lease' or milliseconds, got ${received}`),
    );
  });

  it.each([-1, Number.NaN, -Infinity])('refuses %d milliseconds', (wait) => {
    expect(() => requireWait(wait)).toThrow(
      new RangeError(`wait must be 0 or more milliseconds, got ${wait}`),
    );
  });
});
