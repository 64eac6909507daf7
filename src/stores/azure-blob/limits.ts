import type { StoreLimits } from '../../core/lease-store.ts';

/** What Azure takes as the duration of a lease that expires: 15 to 60 whole seconds. */
export const azureBlobLimits: StoreLimits = {
  expiry: 'store',
  minDurationMs: 15_000,
  maxDurationMs: 60_000,
  granularityMs: 1_000,
};
