/**
 * Time as a dependency. Nothing else in this library reads a clock or starts a timer.
 *
 * Two clocks, because each is blind where the other sees: the monotonic clock may stop while a
 * sandbox is frozen, and the wall clock may be set.
 *
 * @module
 */

/** A source of time and of timers. */
export interface Clock {
  /** Milliseconds since an arbitrary origin. Never decreases; may stand still while frozen. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch, as far as this machine knows. May jump. */
  wallMs(): number;
  /**
   * Resolves after `ms` milliseconds.
   *
   * @throws the reason of `signal`, as soon as it aborts.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** One moment, read on both clocks. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Reads both clocks. */
export function instantOf(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/** The longest delay that one Node timer can hold; a longer one fires at once. */
export const longestTimerMs = 2_147_483_647;

/** {@link Clock} over `performance.now()`, `Date.now()` and `setTimeout`. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: async (ms, signal) => {
    let leftMs = ms;
    do {
      const stepMs = Math.min(leftMs, longestTimerMs);
      await timer(stepMs, signal);
      leftMs -= stepMs;
    } while (leftMs > 0);
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
