import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PastTerm } from '../../src/core/lease-store.ts';
import { withNewTerm, withRelease } from '../../src/core/term-history.ts';

describe('withNewTerm', () => {
  it('ends a term that was never released as taken over, and leaves the others', () => {
    const history: readonly PastTerm[] = [
      { fencingToken: 1, holder: 'a', end: 'taken-over' },
      { fencingToken: 2, holder: 'b', end: 'released' },
      { fencingToken: 3, holder: 'c' },
    ];
    expect(withNewTerm(history, { fencingToken: 4, holder: 'd' })).toEqual([
      { fencingToken: 1, holder: 'a', end: 'taken-over' },
      { fencingToken: 2, holder: 'b', end: 'released' },
      { fencingToken: 3, holder: 'c', end: 'taken-over' },
      { fencingToken: 4, holder: 'd' },
    ]);
    expect(history[2]).toEqual({ fencingToken: 3, holder: 'c' });
  });

  it('keeps the last ten terms, oldest first', () => {
    let history: readonly PastTerm[] = [];
    for (let fencingToken = 1; fencingToken <= 25; fencingToken += 1) {
      history = withRelease(withNewTerm(history, { fencingToken, holder: 'a' }));
    }
    const tokens = history.map(({ fencingToken }) => fencingToken);
    expect(tokens).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
  });

  it('keeps the first 40 characters of the holder and cuts none in two', () => {
    const names = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(
      fc.property(names, (name) => {
        const [term] = withNewTerm([], { fencingToken: 1, holder: name });
        const holder = term?.holder ?? '';
        expect(name.startsWith(holder)).toBe(true);
        expect(holder.isWellFormed()).toBe(true);
        expect(Array.from(holder)).toHaveLength(Math.min(40, Array.from(name).length));
      }),
    );
    const [term] = withNewTerm([], { fencingToken: 1, holder: '🦊'.repeat(41) });
    expect(term?.holder).toBe('🦊'.repeat(40));
  });
});

describe('withRelease', () => {
  it('ends the newest term as released', () => {
    const history = withNewTerm([{ fencingToken: 1, holder: 'a' }], {
      fencingToken: 2,
      holder: 'b',
    });
    expect(withRelease(history)).toEqual([
      { fencingToken: 1, holder: 'a', end: 'taken-over' },
      { fencingToken: 2, holder: 'b', end: 'released' },
    ]);
  });
});
