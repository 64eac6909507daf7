/**
 * How an attempt to lead settles: the leadership decides, not the thrown error. Pure.
 *
 * @module
 */
import {
  causes,
  isTenureError,
  LeaseLostError,
  type BudgetSpentError,
  type StaleTokenError,
} from './errors.ts';
import type { Outcome } from './outcome.ts';

/** How the work ended. */
export type WorkResult<T> =
  | { readonly returned: true; readonly value: T }
  | { readonly returned: false; readonly error: unknown };

/** How `lead` settles: with an outcome, or by throwing. */
export type Settlement<T> = { readonly outcome: Outcome<T> } | { readonly thrown: unknown };

/**
 * Decides how `lead` settles.
 *
 * @param over - Why the leadership was over before the work settled; `undefined` if it was not.
 */
export function settlement<T>(
  result: WorkResult<T>,
  over: LeaseLostError | BudgetSpentError | undefined,
  fencingToken: number,
): Settlement<T> {
  if (!over) {
    return settledWhileLeading(result, fencingToken);
  }
  if (over instanceof LeaseLostError && over.reason !== 'aborted') {
    const reason = over.reason === 'taken-over' ? 'taken-over' : 'expired';
    return {
      outcome: { status: 'lost', reason, fencingToken, ...ownError(result, over, fencingToken) },
    };
  }
  if (!result.returned && isOwnError(result.error, over, fencingToken)) {
    return { thrown: result.error };
  }
  if (over instanceof LeaseLostError) {
    return result.returned ? completed(result.value, fencingToken) : { thrown: over.cause };
  }
  return settledWhilePaused(result, fencingToken);
}

function settledWhilePaused<T>(result: WorkResult<T>, fencingToken: number): Settlement<T> {
  const paused = { status: 'led', end: 'paused', fencingToken } as const;
  if (result.returned) {
    return { outcome: { ...paused, value: result.value } };
  }
  return staleTokenOf(result.error, fencingToken) ? takenOver(fencingToken) : { outcome: paused };
}

function settledWhileLeading<T>(result: WorkResult<T>, fencingToken: number): Settlement<T> {
  if (result.returned) {
    return completed(result.value, fencingToken);
  }
  return staleTokenOf(result.error, fencingToken)
    ? takenOver(fencingToken)
    : { thrown: result.error };
}

function takenOver<T>(fencingToken: number): Settlement<T> {
  return { outcome: { status: 'lost', reason: 'taken-over', fencingToken } };
}

function completed<T>(value: T, fencingToken: number): Settlement<T> {
  return { outcome: { status: 'led', end: 'completed', fencingToken, value } };
}

function ownError<T>(
  result: WorkResult<T>,
  over: LeaseLostError | BudgetSpentError,
  fencingToken: number,
): { workError?: unknown } {
  return !result.returned && isOwnError(result.error, over, fencingToken)
    ? { workError: result.error }
    : {};
}

/** Whether an error is the work's own: not the leadership's, and not an abort because of it. */
function isOwnError(
  error: unknown,
  over: LeaseLostError | BudgetSpentError,
  fencingToken: number,
): boolean {
  return (
    staleTokenOf(error, fencingToken) === undefined &&
    // By identity: the work may lead another lease too, and let that one's error through.
    !causes(error).some(
      (link) => link === over || link === over.cause || isAbort(link) || isBudgetSpent(link),
    )
  );
}

function isBudgetSpent(error: unknown): boolean {
  return isTenureError(error) && error.code === 'BUDGET_SPENT';
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** The rejection of a guarded write of this very term, in `error` or its causes. */
export function staleTokenOf(error: unknown, fencingToken: number): StaleTokenError | undefined {
  return causes(error).find(
    (link): link is StaleTokenError =>
      isTenureError(link) && link.code === 'STALE_TOKEN' && link.fencingToken === fencingToken,
  );
}
