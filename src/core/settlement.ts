/**
 * How an attempt to lead settles: the leadership decides, not the thrown error. Pure.
 *
 * @module
 */
import {
  causes,
  hasCode,
  membersOf,
  type BudgetSpentError,
  type LeaseLostError,
  type StaleTokenError,
} from './errors.ts';
import type { Outcome } from './outcome.ts';

/** How the work ended. */
export type WorkResult<T> =
  | { readonly returned: true; readonly value: T }
  | { readonly returned: false; readonly error: unknown };

/** How `lead` settles: with an outcome, or by throwing. */
export type Settlement<T> = { readonly outcome: Outcome<T> } | { readonly thrown: unknown };

/** What a term knows of its own end. */
export interface TermEnd {
  readonly fencingToken: number;
  /** Why the leadership was over before the work settled; `undefined` if it was not. */
  readonly over: LeaseLostError | BudgetSpentError | undefined;
  /** What the work was told when the budget was spent, which may have been before a loss. */
  readonly spent?: BudgetSpentError | undefined;
}

/** Decides how `lead` settles. */
export function settlement<T>(result: WorkResult<T>, end: TermEnd): Settlement<T> {
  const { fencingToken, over } = end;
  if (!over) {
    return settledWhileLeading(result, fencingToken);
  }
  const own = ownErrorOf(result, end);
  if (over.code === 'LEASE_LOST' && over.reason !== 'aborted') {
    const reason = over.reason === 'taken-over' ? 'taken-over' : 'expired';
    const workError = own ? { workError: own.error } : {};
    return { outcome: { status: 'lost', reason, fencingToken, ...workError } };
  }
  if (own) {
    return { thrown: own.error };
  }
  if (over.code === 'LEASE_LOST') {
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

/**
 * The error of the work's own that it failed by: not the leadership's, not an abort because of it.
 * A group of errors is the work's own if one of them is.
 */
function ownErrorOf<T>(
  result: WorkResult<T>,
  end: TermEnd,
): { readonly error: unknown } | undefined {
  if (result.returned || staleTokenOf(result.error, end.fencingToken)) {
    return undefined;
  }
  const { error } = result;
  const members = membersOf(error);
  const failures = members.length > 0 ? members : [error];
  return failures.some((failure) => isOwnError(failure, end)) ? { error } : undefined;
}

function isOwnError(error: unknown, { over, spent }: TermEnd): boolean {
  // By identity: the work may lead another lease too, and let that one's error through.
  const told: readonly unknown[] = [over, over?.cause, spent].filter((one) => one !== undefined);
  return !causes(error).some((link) => told.includes(link) || isAbort(link));
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** The rejection of a guarded write of this very term, in `error` or its causes. */
export function staleTokenOf(error: unknown, fencingToken: number): StaleTokenError | undefined {
  return causes(error).find(
    (link): link is StaleTokenError =>
      hasCode(link, 'STALE_TOKEN') && link.fencingToken === fencingToken,
  );
}
