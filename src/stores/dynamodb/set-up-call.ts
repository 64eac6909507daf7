import { boundedCall } from '../../core/bounded-call.ts';
import { systemClock } from '../../core/clock.ts';

/** Longest time that one call of a set-up or a check may take, in milliseconds. */
const timeoutMs = 10_000;

/**
 * Makes one call of the SDK that ends in time, also with a client that waits for ever.
 *
 * @throws `OutcomeUnknownError` or, for a read, `StoreUnavailableError` without an answer in time;
 *   the reason of `signal`; what the SDK throws.
 */
export async function setUpCall<T>(
  { signal }: { readonly signal?: AbortSignal },
  writes: boolean,
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  return boundedCall(
    { clock: systemClock, timeoutMs, signal, writes, context: { store: 'dynamodb' } },
    (call) => send({ abortSignal: call.signal }),
  );
}
