/**
 * Store calls that end in time, whatever the store and its client do.
 *
 * @module
 */
import type { Clock } from './clock.ts';
import { OutcomeUnknownError, StoreUnavailableError, type ErrorContext } from './errors.ts';
import type { StoreCall } from './lease-store.ts';
import type { TermContext } from './term.ts';
import { timeLimit } from './time-limit.ts';
import { untilAborted } from './until-aborted.ts';

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
  const { limit, clear } = timeLimit({
    clock,
    afterMs: Math.max(0, timeoutMs),
    reason: () => noAnswer(bounds),
    source: signal,
  });
  try {
    return await untilAborted(invoke(call, limit.signal), limit.signal);
  } catch (error) {
    // What the client makes of the abort differs; why it was aborted is what the caller needs.
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    clear();
    // A client whose call is still under way, for example after a fast failure of another part.
    limit.abort();
  }
}

/** Bounds of a call about a lease: one request timeout, or less where less is left. */
export function boundsOf(
  { clock, timing, lease, storeName }: TermContext,
  call: {
    readonly writes: boolean;
    readonly signal?: AbortSignal | undefined;
    readonly leftMs?: number;
  },
): CallBounds {
  const { writes, signal, leftMs = Number.POSITIVE_INFINITY } = call;
  const timeoutMs = Math.min(timing.requestTimeoutMs, leftMs);
  return { clock, timeoutMs, signal, writes, context: { lease, store: storeName } };
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
