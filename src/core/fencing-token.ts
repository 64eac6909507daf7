import { LeaseRecordInvalidError, type ErrorContext } from './errors.ts';
import type { Look } from './lease-store.ts';

/**
 * The token for the next term.
 *
 * A constant that the request carries, never computed by the store, so that a repeated request
 * mints no second one. A record without a token starts above the wall clock, so that a deleted
 * record does not rewind the tokens; the clock is only a floor here, never an input to expiry.
 *
 * @param floor - Highest token known to be used up, for example from a `StaleTokenError`.
 * @param start - Replaces the wall clock as the first token of a new record.
 * @throws `LeaseRecordInvalidError` with `token-exhausted` beyond `Number.MAX_SAFE_INTEGER`.
 */
export function nextToken(
  look: Look,
  { floor, start }: { readonly floor: number; readonly start: number },
  context: ErrorContext,
): number {
  const stored = look.state === 'absent' ? undefined : look.record.fencingToken;
  const token = stored === undefined ? Math.max(floor + 1, start) : Math.max(stored, floor) + 1;
  if (!Number.isSafeInteger(token)) {
    throw new LeaseRecordInvalidError(
      'token-exhausted',
      'no larger fencing token can be represented',
      context,
    );
  }
  return token;
}
