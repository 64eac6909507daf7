import { Buffer } from 'node:buffer';
import type { PastTerm } from '../../core/lease-store.ts';

/**
 * A record's last terms, each as token, end and holder. Not as JSON, whose escapes would not fit
 * into the metadata if ten holders were full of them.
 */
export function encodePastTerms(history: readonly PastTerm[]): string {
  return history
    .map(({ fencingToken, end, holder }) => {
      const name = Buffer.from(holder, 'utf8').toString('base64url');
      return `${fencingToken}.${end === undefined ? '' : letters[end]}.${name}`;
    })
    .join(',');
}

/** Reads what {@link encodePastTerms} wrote; `undefined` if the text is anything else. */
export function decodePastTerms(text: string): readonly PastTerm[] | undefined {
  const terms = text.split(',').map(decodeTerm);
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

const letters = { released: 'r', 'taken-over': 't' } as const;

function decodeTerm(text: string): PastTerm | undefined {
  const [, digits, letter, name = ''] = /^([0-9]+)\.([rt]?)\.([A-Za-z0-9_-]*)$/.exec(text) ?? [];
  const fencingToken = Number(digits);
  if (!Number.isSafeInteger(fencingToken)) {
    return undefined;
  }
  const term = { fencingToken, holder: Buffer.from(name, 'base64url').toString('utf8') };
  if (letter === '') {
    return term;
  }
  return { ...term, end: letter === 'r' ? 'released' : 'taken-over' };
}
