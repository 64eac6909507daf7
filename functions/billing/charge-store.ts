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

/** The store takes no charge at all: a table or container is missing, or may not be written. */
export class ChargesRefusedError extends Error {
  override readonly name = 'ChargesRefusedError';

  constructor(place: string, cause: Error) {
    super(`${place} takes no charges (${cause.name}); is it there, and may it be written?`, {
      cause,
    });
  }
}

/** Where charges are recorded. */
export interface ChargeStore {
  /**
   * Writes one row, unless the row has been written under a higher token, in one atomic operation.
   *
   * @throws `StaleTokenError` if it has: the caller is a leader no longer. `ChargesRefusedError` if no
   *   charge can be recorded.
   */
  record(row: ChargeRow, fencingToken: number): Promise<void>;
}
