import type { PastTerm } from './lease-store.ts';

const maxTerms = 10;
const maxHolderLength = 40;

/** The history when a new term begins: an older one without an end was taken over after silence. */
export function withNewTerm(
  history: readonly PastTerm[],
  term: Required<Pick<PastTerm, 'fencingToken' | 'holder' | 'startedMs'>>,
): readonly PastTerm[] {
  const ended = history.map((past) => ({ end: 'taken-over' as const, ...past }));
  const holder = Array.from(term.holder).slice(0, maxHolderLength).join('');
  return [...ended, { ...term, holder }].slice(-maxTerms);
}

/** The history when the newest term is released. */
export function withRelease(history: readonly PastTerm[]): readonly PastTerm[] {
  return history.map((past) => ({ end: 'released' as const, ...past }));
}

/** So many terms that ended in silence, of those that began within an hour, are no accident. */
const flappingTerms = 5;
const flappingWithinMs = 3_600_000;

/** What {@link flappingIn} found. */
export interface Flapping {
  /** How many terms ended because their holder fell silent. */
  readonly terms: number;
  /** In how long, in milliseconds. */
  readonly withinMs: number;
}

/**
 * Whether leaders keep dying or losing the lease: 5 or more of the last ten terms were taken over
 * and began within the last hour. By the clocks of the holders, since it is for people only.
 */
export function flappingIn(history: readonly PastTerm[], wallMs: number): Flapping | undefined {
  const lost = history.filter(
    ({ end, startedMs = Number.NEGATIVE_INFINITY }) =>
      end === 'taken-over' && startedMs > wallMs - flappingWithinMs,
  );
  return lost.length >= flappingTerms
    ? { terms: lost.length, withinMs: flappingWithinMs }
    : undefined;
}
