import type { PastTerm } from '../../core/lease-store.ts';

/** JSON text of a record's last terms. */
export function encodePastTerms(history: readonly PastTerm[]): string {
  return JSON.stringify(
    history.map(({ fencingToken, holder, end }) => ({ fencingToken, holder, end })),
  );
}

/** Reads what {@link encodePastTerms} wrote; `undefined` if the text is anything else. */
export function decodePastTerms(text: string): readonly PastTerm[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Array.isArray(json) && json.every(isPastTerm) ? json : undefined;
}

function isPastTerm(value: unknown): value is PastTerm {
  return (
    typeof value === 'object' &&
    value !== null &&
    'fencingToken' in value &&
    Number.isSafeInteger(value.fencingToken) &&
    'holder' in value &&
    typeof value.holder === 'string' &&
    (!('end' in value) || value.end === 'released' || value.end === 'taken-over')
  );
}
