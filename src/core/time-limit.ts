import type { Clock } from './clock.ts';

/** A signal that aborts with another one, or when its time is over. */
export interface TimeLimit {
  /** Its signal is the limited one; whoever has set the limit may abort it too. */
  readonly limit: AbortController;
  /** Stops the timer and lets go of the other signal. */
  readonly clear: () => void;
}

/** When a {@link TimeLimit} aborts. */
export interface TimeLimitOptions {
  readonly clock: Clock;
  readonly afterMs: number;
  /** Makes the reason of the abort when the time is over. */
  readonly reason: () => unknown;
  /** Aborts the limit early, with its own reason. */
  readonly source: AbortSignal | undefined;
}

/** Starts a {@link TimeLimit}. Whoever starts one clears it. */
export function timeLimit({ clock, afterMs, reason, source }: TimeLimitOptions): TimeLimit {
  // Linked by hand: AbortSignal.any() on Node 20 never forgets a long-lived source signal.
  const limit = new AbortController();
  const stopTimer = new AbortController();
  const forward = (): void => limit.abort(source?.reason);
  source?.addEventListener('abort', forward, { once: true });
  clock.sleep(afterMs, stopTimer.signal).then(
    () => limit.abort(reason()),
    () => {},
  );
  return {
    limit,
    clear: () => {
      source?.removeEventListener('abort', forward);
      stopTimer.abort();
    },
  };
}
