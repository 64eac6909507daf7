/**
 * What a charge is for, as the ledger's key. It names customer and period and nothing that changes
 * from one attempt to the next, least of all the fencing token: a successor repeats an unanswered
 * request under the very same key.
 *
 * @param period - `YYYY-MM`.
 */
export function chargeKey(customerId: string, period: string): readonly string[] {
  return ['billing', customerId, period];
}

/** The period that a key of the ledger is for; `undefined` if it is no key of a charge. */
export function periodOf([purpose, , period]: readonly string[]): string | undefined {
  return purpose === 'billing' ? period : undefined;
}
