import { isRetryable } from './bounded-call.ts';
import type { TermContext } from './term.ts';
import { jittered } from './timing.ts';

/**
 * Repeats a call while the store cannot answer, with pauses that double from one retry period to
 * one lease duration.
 *
 * @throws what is not retryable; the reason of `signal`.
 */
export async function outlasting<T>(
  { clock, timing, random }: TermContext,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = timing.retryPeriodMs; ; pauseMs *= 2) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted || !isRetryable(error)) {
        throw error;
      }
    }
    pauseMs = Math.min(pauseMs, timing.leaseDurationMs);
    await clock.sleep(jittered(pauseMs, random), signal);
  }
}

/** Ends an iteration quietly if it was `signal` that ended it. */
export function endsQuietly(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal !== undefined && signal.aborted && error === signal.reason;
}
