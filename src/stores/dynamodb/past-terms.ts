import type { PastTerm } from '../../core/lease-store.ts';

/** JSON text of a record's last terms. */
export function encodePastTerms(history: readonly PastTerm[]): string {
  return JSON.stringify(
    history.map(({ fencingToken, holder, startedMs, end }) => ({
      fencingToken,
      holder,
      startedMs,
      end,
    })),
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
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { fencingToken, holder, startedMs, end } = value as { [field in keyof PastTerm]?: unknown };
  return (
    Number.isSafeInteger(fencingToken) &&
    typeof holder === 'string' &&
    (startedMs === undefined || Number.isSafeInteger(startedMs)) &&
    (end === undefined || end === 'released' || end === 'taken-over')
  );
}
