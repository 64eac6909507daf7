import type { Customer } from './customers.ts';

/** How far a billing run has come; kept in the lease. */
export interface BillingProgress {
  /** The period that this is about; another period's run starts from the beginning. */
  readonly period: string;
  /** Id of the last customer before whom, and including whom, nobody is left to be charged. */
  readonly settledThrough?: string;
}

/** Reads what another process, perhaps with another version of this code, left in the lease. */
export function parseBillingProgress(json: unknown): BillingProgress | undefined {
  if (typeof json !== 'object' || json === null || !('period' in json)) {
    return undefined;
  }
  const { period } = json;
  const settledThrough = 'settledThrough' in json ? json.settledThrough : undefined;
  if (typeof period !== 'string') {
    return undefined;
  }
  return typeof settledThrough === 'string' ? { period, settledThrough } : { period };
}

/**
 * The customers still to be charged.
 *
 * A mark that is not in the list (the list has changed) counts for nothing: repeating everybody
 * under the same keys is safe, skipping somebody is not.
 */
export function customersAfter(
  progress: BillingProgress,
  customers: readonly Customer[],
): readonly Customer[] {
  const { settledThrough } = progress;
  return customers.slice(customers.findIndex(({ id }) => id === settledThrough) + 1);
}
