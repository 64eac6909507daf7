import { isRetryable } from './errors.ts';
import type { TermContext } from './term.ts';
import { jittered } from './timing.ts';

/**
 * Repeats a call while the store cannot answer, with pauses that double from one retry period to
 * one lease duration.
 *
 * @throws what is not retryable; the reason of `signal`.
 */
export async function outlasting<T>(
  { clock, timing, random, report }: TermContext,
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
      report({ type: 'attempt-failed', error });
    }
    pauseMs = Math.min(pauseMs, timing.leaseDurationMs);
    await clock.sleep(jittered(pauseMs, random), signal);
  }
}

/** Whether it was `signal` that ended a call which rejected with `error`. */
export function isAbortOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal !== undefined && signal.aborted && error === signal.reason;
}
