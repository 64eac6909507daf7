/** Most attempts that are remembered; forgetting one costs a wait, never safety. */
const maxRemembered = 64;

/**
 * What this process knows of its own attempts to hold a lease, beside what is stored.
 *
 * Acquiring takes two requests: one for the lease, one for the record. Between them the record
 * still names the term before. So the record alone does not tell whose lease it is: it may be that
 * of an attempt of this process that was given up, or of another, while the record still names a
 * term of this process.
 */
export class OwnAttempts {
  readonly #open = new Map<string, string>();
  readonly #gone = new Set<string>();

  /** Notes an attempt from whose requests any may still be applied. */
  opened(attemptId: string, lease: string): void {
    this.#open.set(attemptId, lease);
    forgetOldest(this.#open);
  }

  /** Notes that an attempt has won, and wrote the record; or that it did not, and holds nothing. */
  settled(attemptId: string): void {
    this.#open.delete(attemptId);
  }

  /** Notes that an attempt, or the term that came of it, does not hold the lease any more. */
  gone(attemptId: string): void {
    this.#open.delete(attemptId);
    this.#gone.add(attemptId);
    forgetOldest(this.#gone);
  }

  isGone(attemptId: string): boolean {
    return this.#gone.has(attemptId);
  }

  /** Attempts that may hold `lease`, newest first. */
  openOf(lease: string): readonly string[] {
    return [...this.#open]
      .filter(([, of]) => of === lease)
      .map(([attemptId]) => attemptId)
      .toReversed();
  }
}

function forgetOldest(remembered: Map<string, string> | Set<string>): void {
  for (const oldest of remembered.keys()) {
    if (remembered.size <= maxRemembered) {
      return;
    }
    remembered.delete(oldest);
  }
}
