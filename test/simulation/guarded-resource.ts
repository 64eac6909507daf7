import { StaleTokenError } from '../../src/core/errors.ts';
import type { History, Request } from './history.ts';

/** How a resource compares tokens. */
export interface Guard {
  /** Decides about a write; `highest` is the highest token that it has accepted. */
  accepts(fencingToken: number, highest: number): boolean;
  /** Between the comparison and the write: nothing, where the two are one atomic step. */
  between(): Promise<void>;
}

/** Accepts a token that is not lower than the highest, in one step. */
export const atomicGuard: Guard = {
  accepts: (fencingToken, highest) => fencingToken >= highest,
  between: () => Promise.resolve(),
};

/** Something that leaders write to, and that checks their tokens. */
export class GuardedResource {
  readonly #guard: Guard;
  readonly #history: History;
  #highest = 0;

  constructor(guard: Guard, history: History) {
    this.#guard = guard;
    this.#history = history;
  }

  /** Handles one copy of a write. Resolves to the rejection, if it is one. */
  async write(request: Request): Promise<StaleTokenError | undefined> {
    const { fencingToken = 0 } = request.operation;
    const accepted = this.#guard.accepts(fencingToken, this.#highest);
    await this.#guard.between();
    const highestBefore = this.#highest;
    if (accepted) {
      this.#highest = fencingToken;
    }
    const highestToken = this.#highest;
    this.#history.add({
      type: 'guarded',
      atMs: this.#history.nowMs,
      request,
      highestBefore,
      highestAfter: highestToken,
      accepted,
    });
    return accepted
      ? undefined
      : new StaleTokenError('a higher token was seen', {
          store: 'guarded resource',
          fencingToken,
          highestToken,
        });
  }
}
