/** One customer who could not be charged, or whose charge could not be recorded. */
export interface BillingFailure {
  readonly customerId: string;
  /**
   * Why; `undefined` if nothing was tried, because an earlier attempt is `unknown` and too old to be
   * repeated.
   */
  readonly error: unknown;
}

/** What one attempt did. Its numbers add up to the number of customers. */
export interface BillingSummary {
  /** Customers whom the saved progress showed to be settled. */
  readonly skipped: number;
  /** Customers charged and recorded, now or by an earlier attempt. */
  readonly charged: number;
  readonly declined: number;
  /**
   * Customers who may or may not have been charged. The next attempt repeats those that it may under
   * the same key; the rest is left to a person.
   */
  readonly unknown: readonly BillingFailure[];
  /** Customers that the next attempt must repeat. */
  readonly failed: readonly BillingFailure[];
}

/** So many customers failed one after the other, or one in such a way, that the run was stopped. */
export class BillingStoppedError extends Error {
  override readonly name = 'BillingStoppedError';
  /** The customers of the last failures, oldest first. */
  readonly failures: readonly BillingFailure[];

  constructor(failures: readonly BillingFailure[]) {
    const what = failures.length === 1 ? 'a failure' : `${failures.length} failures in a row`;
    super(`stopped after ${what}`, { cause: failures.at(-1)?.error });
    this.failures = failures;
  }
}

/** Whether everybody is settled: charged, or declined for good. */
export function isComplete({
  unknown,
  failed,
}: Pick<BillingSummary, 'unknown' | 'failed'>): boolean {
  return unknown.length + failed.length === 0;
}

/** Counts the customers of one attempt, and stops it after a run of failures. */
export class BillingTally {
  readonly #maxFailuresInARow: number;
  readonly #unknown: BillingFailure[] = [];
  readonly #failed: BillingFailure[] = [];
  #inARow: BillingFailure[] = [];
  #charged = 0;
  #declined = 0;

  constructor(maxFailuresInARow: number) {
    this.#maxFailuresInARow = maxFailuresInARow;
  }

  settled(status: 'done' | 'declined'): void {
    this.#charged += status === 'done' ? 1 : 0;
    this.#declined += status === 'declined' ? 1 : 0;
    this.#inARow = [];
  }

  /** @throws {@link BillingStoppedError} if it is one too many. */
  unknown(failure: BillingFailure): void {
    this.#unknown.push(failure);
    // Where nothing was tried, nothing was learnt about the gateway.
    if (failure.error !== undefined) {
      this.#countInARow(failure);
    }
  }

  /** @throws {@link BillingStoppedError} if it is one too many. */
  failed(failure: BillingFailure): void {
    this.#failed.push(failure);
    this.#countInARow(failure);
  }

  /** The gateway was not asked, so nothing was learnt about it; and nobody else is to wait for this. */
  changed(failure: BillingFailure): void {
    this.#failed.push(failure);
  }

  get counts(): Omit<BillingSummary, 'skipped'> {
    return {
      charged: this.#charged,
      declined: this.#declined,
      unknown: [...this.#unknown],
      failed: [...this.#failed],
    };
  }

  #countInARow(failure: BillingFailure): void {
    this.#inARow.push(failure);
    if (this.#inARow.length === this.#maxFailuresInARow) {
      throw new BillingStoppedError(this.#inARow);
    }
  }
}
