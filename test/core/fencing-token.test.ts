import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextToken } from '../../src/core/fencing-token.ts';
import type { Look } from '../../src/core/lease-store.ts';
import { lookAt } from './arbitraries.ts';

const absent: Look = { state: 'absent' };
const context = { lease: 'billing', store: 'memory' };
const stored = (fencingToken: number | undefined): Look =>
  lookAt('v1', { record: { fencingToken } });

describe('nextToken', () => {
  it.each([
    ['a new record starts as told', absent, { floor: 0, start: 1_000 }, 1_000],
    ['a new record starts above the floor', absent, { floor: 2_000, start: 1_000 }, 2_001],
    ['a record without a token is a new one', stored(undefined), { floor: 5, start: 1_000 }, 1_000],
    [
      'a known token goes on by one, whatever the clock shows',
      stored(33),
      { floor: 0, start: 1_000 },
      34,
    ],
    ['a known token goes on above the floor', stored(33), { floor: 80, start: 1_000 }, 81],
    ['a floor below it changes nothing', stored(33), { floor: 32, start: 1_000 }, 34],
    ['a floor equal to it changes nothing', stored(33), { floor: 33, start: 1_000 }, 34],
  ])('%s', (_, look, floors, token) => {
    expect(nextToken(look, floors, context)).toBe(token);
  });

  it('is a safe integer above everything seen and never asks the clock about a known record', () => {
    const tokens = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
    const looks = fc.oneof(
      fc.constant(absent),
      fc.option(tokens, { nil: undefined }).map((token) => stored(token)),
    );
    fc.assert(
      fc.property(looks, tokens, tokens, tokens, (look, floor, start, otherStart) => {
        const token = nextToken(look, { floor, start }, context);
        const known = look.state === 'absent' ? undefined : look.record.fencingToken;
        expect(Number.isSafeInteger(token)).toBe(true);
        expect(token).toBeGreaterThan(Math.max(floor, known ?? 0));
        const other = nextToken(look, { floor, start: otherStart }, context);
        expect(known === undefined || other === token).toBe(true);
      }),
    );
  });

  it.each([
    [stored(Number.MAX_SAFE_INTEGER), 0],
    [stored(1), Number.MAX_SAFE_INTEGER],
    [absent, Number.MAX_SAFE_INTEGER],
  ])('refuses to go beyond the largest safe integer', (look, floor) => {
    expect(() => nextToken(look, { floor, start: 1 }, context)).toThrow(
      expect.objectContaining({
        code: 'LEASE_RECORD_INVALID',
        reason: 'token-exhausted',
        lease: 'billing',
        store: 'memory',
      }),
    );
  });
});
