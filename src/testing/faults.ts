/** What can be asked of a store. A `RecordStore` sees an `abandon` as a `release`. */
export type StoreOperation = 'look' | 'acquire' | 'renew' | 'release' | 'abandon';

/**
 * What happens to one request, or to its reply, on the way.
 *
 * - `lose-request`: it never arrives. `lose-reply`: it is applied, and nobody learns how it went.
 *   Either way the call rejects, with an `OutcomeUnknownError` or, for a `look`, a
 *   `StoreUnavailableError`; with `hangs`, only when its signal aborts.
 * - `delay`: it arrives after `requestMs` and is answered after another `replyMs` (default 0). It
 *   arrives even if the caller has given up by then.
 * - `duplicate`: it arrives at once, and a second time `afterMs` later.
 * - `reject`: the store refuses it with `error`; nothing is applied.
 */
export type StoreFault =
  | { readonly type: 'lose-request' | 'lose-reply'; readonly hangs?: boolean }
  | { readonly type: 'delay'; readonly requestMs?: number; readonly replyMs?: number }
  | { readonly type: 'duplicate'; readonly afterMs: number }
  | { readonly type: 'reject'; readonly error: unknown };

/** One request: what it asks for, and the how manyth of its kind it is, from 1. */
export interface StoreRequest {
  readonly operation: StoreOperation;
  readonly count: number;
}

/** Decides what happens to a request; `undefined` lets it pass. */
export type FaultDecision = (request: StoreRequest) => StoreFault | undefined;

/** The faults of the first, second, ... request of each kind; those that come after pass. */
export type FaultScript = {
  readonly [Operation in StoreOperation]?: readonly (StoreFault | undefined)[];
};

/** How often {@link seededFaults} strike, and for how long. */
export interface SeededFaultOptions {
  /** Part of the requests that meets a fault, from 0 to 1. Default 0.2. */
  readonly ratio?: number;
  /** Longest delay, in milliseconds; the shortest is 1. Default 20 000. */
  readonly longestMs?: number;
}

/**
 * Loses, delays and duplicates requests at random. The same seed decides the same for the same
 * sequence of requests.
 *
 * @param seed - A whole number; its lowest 32 bits count.
 */
export function seededFaults(
  seed: number,
  { ratio = 0.2, longestMs = 20_000 }: SeededFaultOptions = {},
): FaultDecision {
  const random = randomFrom(seed);
  const delayMs = (): number => 1 + Math.floor(random() * longestMs);
  return () => {
    if (random() >= ratio) {
      return undefined;
    }
    const hangs = random() < 0.5;
    const faults: readonly StoreFault[] = [
      { type: 'lose-request', hangs },
      { type: 'lose-reply', hangs },
      { type: 'delay', requestMs: delayMs(), replyMs: delayMs() },
      { type: 'duplicate', afterMs: delayMs() },
    ];
    return faults[Math.floor(random() * faults.length)];
  };
}

/** Numbers from 0 up to 1 that look random and follow from the seed (xorshift, 32 bits). */
function randomFrom(seed: number): () => number {
  // Zero would stay zero, and small seeds that are neighbours would begin alike.
  let state = Math.imul((seed ^ 0x9e3779b9) | 0, 0x2c1b3c6d) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
