import { boundedCall } from '../core/bounded-call.ts';
import type { Clock } from '../core/clock.ts';
import { hasCode, isRetryable, OutcomeUnknownError } from '../core/errors.ts';
import type { StoreCall } from '../core/lease-store.ts';

/** How patient the ledger is with its store. */
export interface Patience {
  readonly clock: Clock;
  /** Bounds one call, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a call is repeated that got no usable answer, in milliseconds. */
  readonly retryForMs: number;
}

/** One call of the store. */
export interface PatientCall<T> {
  readonly store: string;
  readonly writes: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Makes the call. Made again, it must be the same call: the same write, not another one. */
  readonly make: (call: StoreCall) => Promise<T>;
}

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/**
 * Makes a call and repeats it while there is no usable answer.
 *
 * @throws what the last call threw; for a write of which any may have been applied, an
 *   `OutcomeUnknownError`.
 * @throws the reason of `signal`.
 */
export async function patientCall<T>(patience: Patience, call: PatientCall<T>): Promise<T> {
  const { clock, requestTimeoutMs, retryForMs } = patience;
  const { make, signal, store, writes } = call;
  const bounds = { clock, timeoutMs: requestTimeoutMs, signal, writes, context: { store } };
  const endMs = clock.monotonicMs() + retryForMs;
  let maybeApplied = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await boundedCall(bounds, make);
    } catch (error) {
      signal?.throwIfAborted();
      maybeApplied ||= hasCode(error, 'OUTCOME_UNKNOWN');
      if (!isRetryable(error) || clock.monotonicMs() + pauseMs > endMs) {
        throw maybeApplied ? outcomeUnknown(error, store) : error;
      }
    }
    await clock.sleep(pauseMs, signal);
  }
}

/** The last answer may be a plain refusal and says nothing about the calls before it. */
function outcomeUnknown(error: unknown, store: string): unknown {
  return hasCode(error, 'OUTCOME_UNKNOWN')
    ? error
    : new OutcomeUnknownError('an earlier delivery of this write may have been applied', {
        store,
        cause: error,
      });
}
