import { longestTimerMs } from '../../core/clock.ts';
import type { StoreLimits } from '../../core/lease-store.ts';

/** Any whole number of milliseconds that one timer can hold. */
export function memoryLimits(expiry: StoreLimits['expiry']): StoreLimits {
  return { expiry, minDurationMs: 1, maxDurationMs: longestTimerMs, granularityMs: 1 };
}
