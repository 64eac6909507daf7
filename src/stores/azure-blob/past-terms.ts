import { Buffer } from 'node:buffer';
import type { PastTerm } from '../../core/lease-store.ts';

/**
 * A record's last terms, each as token, end, holder and, to base 36, when it started. Not as JSON,
 * whose escapes would not fit into the metadata if ten holders were full of them.
 */
export function encodePastTerms(history: readonly PastTerm[]): string {
  return history
    .map(({ fencingToken, end, holder, startedMs }) => {
      const name = Buffer.from(holder, 'utf8').toString('base64url');
      const started = startedMs === undefined ? '' : `.${startedMs.toString(36)}`;
      return `${fencingToken}.${end === undefined ? '' : letters[end]}.${name}${started}`;
    })
    .join(',');
}

/** Reads what {@link encodePastTerms} wrote; `undefined` if the text is anything else. */
export function decodePastTerms(text: string): readonly PastTerm[] | undefined {
  const terms = text.split(',').map(decodeTerm);
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

const letters = { released: 'r', 'taken-over': 't' } as const;

const pattern = /^([0-9]+)\.([rt]?)\.([A-Za-z0-9_-]*)(?:\.(-?[0-9a-z]+))?$/;

function decodeTerm(text: string): PastTerm | undefined {
  const [, digits, letter, name = '', started] = pattern.exec(text) ?? [];
  const fencingToken = Number(digits);
  // Absent from what a version wrote that did not keep it.
  const startedMs = started === undefined ? undefined : Number.parseInt(started, 36);
  if (!Number.isSafeInteger(fencingToken) || !Number.isSafeInteger(startedMs ?? 0)) {
    return undefined;
  }
  return {
    fencingToken,
    holder: Buffer.from(name, 'base64url').toString('utf8'),
    ...(startedMs !== undefined && { startedMs }),
    ...(letter !== '' && { end: letter === 'r' ? 'released' : 'taken-over' }),
  };
}
