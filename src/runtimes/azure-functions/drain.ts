import type { Clock } from '../../core/clock.ts';

/**
 * How long the process is kept after the last invocation has settled, in milliseconds: what it logged
 * and its result are on their way to the host, and the process exits when the hook returns.
 */
const lingerMs = 100;

/** An invocation that is under way. */
export interface Running {
  readonly clock: Clock;
  /** How long it may take to wind down, in milliseconds. */
  readonly reserveMs: number;
}

/** Knows which invocations of this process are under way, and lets them end when the app must. */
export class Drain {
  #isDraining = false;
  readonly #running = new Map<AbortController, Running>();

  /** Whether the app is being stopped. It stays so: the process is about to end. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Takes note of an invocation. Whoever begins one calls what this returns when it has settled. */
  begin(running: Running): () => void {
    const settled = new AbortController();
    this.#running.set(settled, running);
    return () => {
      this.#running.delete(settled);
      settled.abort();
    };
  }

  /** Tells all that the app is being stopped; resolves when they have settled, or had time to. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const ends = [...this.#running].map(async ([settled, { clock, reserveMs }]) => {
      try {
        await clock.sleep(reserveMs, settled.signal);
      } catch {
        await clock.sleep(lingerMs);
      }
    });
    await Promise.all(ends);
  }
}
