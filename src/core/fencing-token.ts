import { LeaseRecordInvalidError, type ErrorContext } from './errors.ts';
import type { Look } from './lease-store.ts';

/**
 * The token for the next term.
 *
 * A constant that the request carries, never computed by the store, so that a repeated request
 * mints no second one. Without a stored token it starts above the wall clock, so that a record that
 * was deleted or has lost its token does not rewind the tokens; the clock is only a floor here,
 * never an input to expiry.
 *
 * @param floor - Highest token known to be used up, for example from a `StaleTokenError`.
 * @param firstToken - Replaces the wall clock, but only where nobody ever held the lease.
 * @throws `LeaseRecordInvalidError` with `token-exhausted` beyond `Number.MAX_SAFE_INTEGER`.
 */
export function nextToken(
  look: Look,
  {
    floor,
    firstToken,
    wallMs,
  }: {
    readonly floor: number;
    readonly firstToken: number | undefined;
    readonly wallMs: number;
  },
  context: ErrorContext,
): number {
  const stored = look.state === 'absent' ? undefined : look.record.fencingToken;
  const isNew = look.state === 'absent' || look.record.holder === '';
  const start = (isNew ? firstToken : undefined) ?? Math.floor(wallMs) + 1;
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
