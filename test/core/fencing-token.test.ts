import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextToken } from '../../src/core/fencing-token.ts';
import type { Look } from '../../src/core/lease-store.ts';
import { lookAt } from './arbitraries.ts';

const absent: Look = { state: 'absent' };
const context = { lease: 'billing', store: 'memory' };
const stored = (fencingToken: number | undefined, holder = 'a'): Look =>
  lookAt('v1', { record: { fencingToken, holder } });
const wallMs = 1_000.5;

describe('nextToken', () => {
  it.each([
    ['nothing starts above the wall clock', absent, { floor: 0 }, 1_001],
    ['nothing starts as told', absent, { floor: 0, firstToken: 33 }, 33],
    ['nothing starts above the floor', absent, { floor: 2_000, firstToken: 33 }, 2_001],
    [
      'a record that nobody held starts as told',
      stored(undefined, ''),
      { floor: 0, firstToken: 33 },
      33,
    ],
    ['a lost token starts above the wall clock', stored(undefined), { floor: 5 }, 1_001],
    [
      'a lost token starts above the wall clock, whatever a first token is told',
      stored(undefined),
      { floor: 5, firstToken: 33 },
      1_001,
    ],
    [
      'a known token goes on by one, whatever the clock shows',
      stored(33),
      { floor: 0, firstToken: 500 },
      34,
    ],
    ['a known token goes on above the floor', stored(33), { floor: 80 }, 81],
    ['a floor below it changes nothing', stored(33), { floor: 32 }, 34],
    ['a floor equal to it changes nothing', stored(33), { floor: 33 }, 34],
  ])('%s', (_, look, floors, token) => {
    expect(nextToken(look, { firstToken: undefined, wallMs, ...floors }, context)).toBe(token);
  });

  it('is a safe integer above everything seen and never asks the clock about a known record', () => {
    const tokens = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
    const looks = fc.oneof(
      fc.constant(absent),
      fc.option(tokens, { nil: undefined }).map((token) => stored(token)),
    );
    fc.assert(
      fc.property(looks, tokens, tokens, tokens, (look, floor, firstToken, other) => {
        const token = nextToken(look, { floor, firstToken, wallMs: other }, context);
        const known = look.state === 'absent' ? undefined : look.record.fencingToken;
        expect(Number.isSafeInteger(token)).toBe(true);
        expect(token).toBeGreaterThan(Math.max(floor, known ?? 0));
        const swapped = { floor, firstToken: other, wallMs: firstToken };
        expect(known === undefined || nextToken(look, swapped, context) === token).toBe(true);
      }),
    );
  });

  it.each([
    [stored(Number.MAX_SAFE_INTEGER), 0],
    [stored(1), Number.MAX_SAFE_INTEGER],
    [absent, Number.MAX_SAFE_INTEGER],
  ])('refuses to go beyond the largest safe integer', (look, floor) => {
    expect(() => nextToken(look, { floor, firstToken: 1, wallMs }, context)).toThrow(
      expect.objectContaining({
        code: 'LEASE_RECORD_INVALID',
        reason: 'token-exhausted',
        lease: 'billing',
        store: 'memory',
      }),
    );
  });
});
