/**
 * Store calls that end in time, whatever the store and its client do.
 *
 * @module
 */
import type { Clock } from './clock.ts';
import { OutcomeUnknownError, StoreUnavailableError, type ErrorContext } from './errors.ts';
import type { StoreCall } from './lease-store.ts';

/** How a call is bounded. */
export interface CallBounds {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Ends the call early; it then rejects with this signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a call without an answer may have changed something. */
  readonly writes: boolean;
  readonly context: ErrorContext;
}

/**
 * Makes one store call.
 *
 * @throws `OutcomeUnknownError` or, for a read, `StoreUnavailableError` after `timeoutMs`.
 * @throws the reason of `signal`; what the call throws.
 */
export async function boundedCall<T>(
  bounds: CallBounds,
  call: (call: StoreCall) => Promise<T>,
): Promise<T> {
  const { clock, signal, timeoutMs } = bounds;
  signal?.throwIfAborted();
  // Linked by hand: AbortSignal.any() on Node 20 never forgets a long-lived source signal.
  const limit = new AbortController();
  const stopTimer = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  });
  const forward = (): void => limit.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  clock.sleep(Math.max(0, timeoutMs), stopTimer.signal).then(
    () => limit.abort(noAnswer(bounds)),
    () => {},
  );
  try {
    return await Promise.race([invoke(call, limit.signal), ended]);
  } catch (error) {
    // What the client makes of the abort differs; why it was aborted is what the caller needs.
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', forward);
    stopTimer.abort();
    // A client whose call is still under way, for example after a fast failure of another part.
    limit.abort();
  }
}

/** A call that throws at once must end like one that rejects. */
async function invoke<T>(call: (call: StoreCall) => Promise<T>, signal: AbortSignal): Promise<T> {
  return call({ signal });
}

function noAnswer({ writes, timeoutMs, context }: CallBounds): Error {
  const message = `no answer within ${Math.round(timeoutMs)} ms`;
  return writes
    ? new OutcomeUnknownError(message, context)
    : new StoreUnavailableError(message, context);
}

/** Whether retrying may help: everything but misuse, a refusal and an invalid record. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}
