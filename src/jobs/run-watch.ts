import type { ElectionEvent } from '../core/observer.ts';
import type { Flapping } from '../core/term-history.ts';

/** What an election told about one run. */
export class RunWatch {
  #fencingToken: number | undefined;
  #leastHeadroomMs: number | undefined;
  #renewals = 0;
  #flapping: Flapping | undefined;
  #isReleased = false;
  #releaseError: unknown;

  see(event: ElectionEvent): void {
    switch (event.type) {
      case 'acquired':
        this.#fencingToken = event.fencingToken;
        this.#headroom(event.remainingMs);
        return;
      case 'renewed':
        this.#renewals += 1;
        this.#headroom(event.headroomMs);
        return;
      case 'renewal-failed':
        this.#headroom(event.remainingMs);
        return;
      case 'lost':
        if (event.reason === 'expired') {
          this.#headroom(0);
        }
        return;
      case 'released':
        this.#isReleased = event.error === undefined;
        this.#releaseError = event.error;
        return;
      case 'flapping':
        this.#flapping = { terms: event.terms, withinMs: event.withinMs };
        return;
      default:
    }
  }

  get fencingToken(): number | undefined {
    return this.#fencingToken;
  }

  /** The least that was known to be left of the leadership, in milliseconds. */
  get leastHeadroomMs(): number | undefined {
    return this.#leastHeadroomMs;
  }

  get renewals(): number {
    return this.#renewals;
  }

  get flapping(): Flapping | undefined {
    return this.#flapping;
  }

  /** Whether the release is known to have written what the term left. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Why the release, and with it what the term left, may not be stored; `undefined` if it is. */
  get releaseError(): unknown {
    return this.#releaseError;
  }

  #headroom(ms: number): void {
    this.#leastHeadroomMs = Math.max(Math.round(Math.min(ms, this.#leastHeadroomMs ?? ms)), 0);
  }
}
