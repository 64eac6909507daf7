import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PastTerm } from '../../src/core/lease-store.ts';
import { flappingIn, withNewTerm, withRelease } from '../../src/core/term-history.ts';

describe('withNewTerm', () => {
  it('ends a term that was never released as taken over, and leaves the others', () => {
    const history: readonly PastTerm[] = [
      { fencingToken: 1, holder: 'a', end: 'taken-over' },
      { fencingToken: 2, holder: 'b', end: 'released' },
      { fencingToken: 3, holder: 'c' },
    ];
    expect(withNewTerm(history, { fencingToken: 4, holder: 'd', startedMs: 7 })).toEqual([
      { fencingToken: 1, holder: 'a', end: 'taken-over' },
      { fencingToken: 2, holder: 'b', end: 'released' },
      { fencingToken: 3, holder: 'c', end: 'taken-over' },
      { fencingToken: 4, holder: 'd', startedMs: 7 },
    ]);
    expect(history[2]).toEqual({ fencingToken: 3, holder: 'c' });
  });

  it('keeps the last ten terms, oldest first', () => {
    let history: readonly PastTerm[] = [];
    for (let fencingToken = 1; fencingToken <= 25; fencingToken += 1) {
      history = withRelease(withNewTerm(history, { fencingToken, holder: 'a', startedMs: 0 }));
    }
    const tokens = history.map(({ fencingToken }) => fencingToken);
    expect(tokens).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
  });

  it('keeps the first 40 characters of the holder and cuts none in two', () => {
    const names = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(names, (name) => {
        const [term] = withNewTerm([], { fencingToken: 1, holder: name, startedMs: 0 });
        const holder = term?.holder ?? '';
        expect(name.startsWith(holder)).toBe(true);
        expect(holder.isWellFormed()).toBe(true);
        expect(Array.from(holder)).toHaveLength(Math.min(40, Array.from(name).length));
      }),
    );
    const [term] = withNewTerm([], { fencingToken: 1, holder: '🦊'.repeat(41), startedMs: 0 });
    expect(term?.holder).toBe('🦊'.repeat(40));
  });
});

describe('withRelease', () => {
  it('ends the newest term as released', () => {
    const history = withNewTerm([{ fencingToken: 1, holder: 'a' }], {
      fencingToken: 2,
      holder: 'b',
      startedMs: 7,
    });
    expect(withRelease(history)).toEqual([
      { fencingToken: 1, holder: 'a', end: 'taken-over' },
      { fencingToken: 2, holder: 'b', startedMs: 7, end: 'released' },
    ]);
  });
});

describe('flappingIn', () => {
  const hourMs = 3_600_000;
  const nowMs = 100 * hourMs;

  /** Terms that ended alike, `ageMs` before now, and the one that begins now. */
  const terms = (count: number, change: Partial<PastTerm> = {}): readonly PastTerm[] => [
    ...Array.from({ length: count }, (_, index): PastTerm => ({
      fencingToken: 1 + index,
      holder: 'a',
      startedMs: nowMs - 60_000,
      end: 'taken-over',
      ...change,
    })),
    { fencingToken: 40, holder: 'b', startedMs: nowMs },
  ];

  it('counts from the fifth takeover within an hour on', () => {
    expect(flappingIn(terms(4), nowMs)).toBeUndefined();
    expect(flappingIn(terms(5), nowMs)).toEqual({ terms: 5, withinMs: hourMs });
    expect(flappingIn(terms(9), nowMs)).toEqual({ terms: 9, withinMs: hourMs });
  });

  it('does not count terms that were released', () => {
    expect(flappingIn(terms(9, { end: 'released' }), nowMs)).toBeUndefined();
    const mixed = [...terms(4).slice(0, -1), ...terms(5, { end: 'released' })];
    expect(flappingIn(mixed, nowMs)).toBeUndefined();
  });

  it('does not count terms that began an hour ago or earlier', () => {
    expect(flappingIn(terms(9, { startedMs: nowMs - hourMs }), nowMs)).toBeUndefined();
    expect(flappingIn(terms(9, { startedMs: nowMs - hourMs + 1 }), nowMs)).toMatchObject({
      terms: 9,
    });
    const mixed = [...terms(5, { startedMs: nowMs - 2 * hourMs }).slice(0, -1), ...terms(4)];
    expect(flappingIn(mixed, nowMs)).toBeUndefined();
  });

  it('does not count terms of which an older version did not keep when they began', () => {
    const old = Array.from({ length: 9 }, (_, index): PastTerm => ({
      fencingToken: 1 + index,
      holder: 'a',
      end: 'taken-over',
    }));
    expect(flappingIn(old, nowMs)).toBeUndefined();
    expect(flappingIn(old, 1_000)).toBeUndefined();
  });
});
