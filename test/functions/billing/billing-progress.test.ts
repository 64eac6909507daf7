import { describe, expect, it } from 'vitest';
import {
  customersAfter,
  parseBillingProgress,
} from '../../../functions/billing/billing-progress.ts';
import { customersNamed } from './support.ts';

describe('parseBillingProgress', () => {
  it.each([
    [{ period: '2026-10' }, { period: '2026-10' }],
    [
      { period: '2026-10', settledThrough: 'b', later: 1 },
      { period: '2026-10', settledThrough: 'b' },
    ],
    [{ period: '2026-10', settledThrough: 7 }, { period: '2026-10' }],
    [{ settledThrough: 'b' }, undefined],
    [{ period: 202610 }, undefined],
    ['2026-10', undefined],
    [null, undefined],
  ])('reads %j as %j', (json, progress) => {
    expect(parseBillingProgress(json)).toEqual(progress);
  });
});

describe('customersAfter', () => {
  const customers = customersNamed('a', 'b', 'c');

  it.each([
    [undefined, 'abc'],
    ['a', 'bc'],
    ['c', ''],
    ['gone', 'abc'],
  ])('leaves, after %s, %s', (settledThrough, left) => {
    const progress = { period: '2026-10', ...(settledThrough !== undefined && { settledThrough }) };
    const ids = customersAfter(progress, customers).map(({ id }) => id);
    expect(ids.join('')).toBe(left);
  });
});
