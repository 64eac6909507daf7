import type { PastTerm } from './lease-store.ts';

const maxTerms = 10;
const maxHolderLength = 40;

/** The history when a new term begins: an older one without an end was taken over after silence. */
export function withNewTerm(
  history: readonly PastTerm[],
  term: { readonly fencingToken: number; readonly holder: string },
): readonly PastTerm[] {
  const ended = history.map((past) => ({ end: 'taken-over' as const, ...past }));
  const holder = Array.from(term.holder).slice(0, maxHolderLength).join('');
  return [...ended, { fencingToken: term.fencingToken, holder }].slice(-maxTerms);
}

/** The history when the newest term is released. */
export function withRelease(history: readonly PastTerm[]): readonly PastTerm[] {
  return history.map((past) => ({ end: 'released' as const, ...past }));
}
