import { StoreUnavailableError, type ErrorContext } from './errors.ts';

/**
 * Stops a call whose time is over before it is sent, so that its outcome is known: nothing happened.
 *
 * @throws `StoreUnavailableError` if `signal` has aborted.
 */
export function requireTime(operation: string, signal: AbortSignal, context: ErrorContext): void {
  if (signal.aborted) {
    throw new StoreUnavailableError(`the time for ${operation} was over before it was sent`, {
      ...context,
      cause: signal.reason,
    });
  }
}
