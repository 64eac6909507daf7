/** One term, as the work sees it. */
export interface Leadership<Progress = unknown> {
  /** A safe integer, greater than every earlier token of this lease. */
  readonly fencingToken: number;
  /** Aborts when the leadership is over; its reason is what every later call rejects with. */
  readonly signal: AbortSignal;
  /** What was saved last before this term began, parsed; `undefined` if nothing usable was. */
  readonly progress: Progress | undefined;
  /**
   * Call it from the work loop, at least every `explainTiming().longestStepMs`. Costs nothing when
   * no renewal is due; else renews, and saves the newest progress with it. Concurrent calls share
   * one renewal.
   *
   * Progress says what is done, never what is about to be done. Resolved means renewed or not due,
   * not saved: the release at the end of the term writes what was given last.
   *
   * @param progress - JSON, at most 2 KiB of UTF-8. Nothing keeps the last one; `null` clears it.
   * @throws `LeaseLostError` or `BudgetSpentError` when the leadership is over.
   * @throws `TypeError` if `progress` is not JSON, `RangeError` if it is too long.
   */
  checkpoint(progress?: Progress | null): Promise<void>;
  /**
   * Returns if this process leads, judged on the clock. Belongs right before each side effect that
   * nothing fences.
   *
   * @throws `LeaseLostError` or `BudgetSpentError` when the leadership is over.
   */
  assertLeader(): void;
  /** Milliseconds to the renew deadline; 0 when the leadership is over. */
  remainingMs(): number;
  /**
   * Runs one declared long operation and renews until it settles or `atMostMs` have passed.
   *
   * The operation's `signal` aborts with the leadership's error, or with a `TimeoutError` after
   * `atMostMs`. Settles when the operation has: as it did, or with the leadership's error once that
   * is over.
   *
   * @throws `LeaseLostError` or `BudgetSpentError` when the leadership is over, then or at the end.
   * @throws what the operation throws.
   * @throws `TypeError` if `operation` is no function or `atMostMs` no number, `RangeError` if it is
   *   not a positive, finite number of milliseconds.
   */
  during<T>(
    operation: (context: { readonly signal: AbortSignal }) => T | Promise<T>,
    limit: { readonly atMostMs: number },
  ): Promise<T>;
}

/** The work of a leader. Its leadership ends when it settles. */
export type Work<Progress, T> = (leadership: Leadership<Progress>) => T | Promise<T>;
