/** One customer's charge for one period, as it was made. Customer and period are the key. */
export interface ChargeRow {
  readonly customerId: string;
  /** `YYYY-MM`. */
  readonly period: string;
  /** In minor units of the currency. */
  readonly amountMinor: number;
  readonly currency: string;
  /** The gateway's name for the charge. */
  readonly chargeId: string;
}

/** Where charges are recorded. */
export interface ChargeStore {
  /**
   * Writes one row, unless the row has been written under a higher token, in one atomic operation.
   *
   * @throws `StaleTokenError` if it has: the caller is a leader no longer.
   */
  record(row: ChargeRow, fencingToken: number): Promise<void>;
}
