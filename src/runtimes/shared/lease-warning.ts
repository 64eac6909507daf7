/**
 * Warns of a lease that outlasts what an invocation may use: no single invocation can then see a silent
 * holder out. A list of one text, or of none. Told by the first invocation of a process only, since it
 * is the same for all, and would hide other warnings.
 *
 * @param limits.budgetMs - What the invocation began with, its reserve included.
 */
export function leaseWarning(
  leaseDurationMs: number,
  { budgetMs, reserveMs }: { readonly budgetMs: number; readonly reserveMs: number },
): readonly string[] {
  const usableMs = budgetMs - reserveMs;
  return leaseDurationMs < usableMs
    ? []
    : [
        `the lease (${leaseDurationMs} ms) is not shorter than what an invocation may use (${budgetMs} ms less reserveMs, ${usableMs} ms): after the death of a leader, no single invocation can wait until its lease is over; allow invocations more time, or shorten the lease`,
      ];
}
