import type { EventOf, RunEvent } from './events.ts';

/** What to wait for. */
export interface Awaited<Type extends RunEvent['type']> {
  readonly type: Type;
  /** Default: any event of the type. */
  readonly where?: (event: EventOf<Type>) => boolean;
  /** Only events after this {@link Journal.position} count. Default: all, also past ones. */
  readonly after?: number;
  /** How many such events. Default 1. */
  readonly times?: number;
}

/** An expected event did not happen in time. */
export class MissingEventError extends Error {
  override readonly name = 'MissingEventError';
}

/** Everything that has happened in a run, in order, for those who print it and those who wait. */
export class Journal {
  readonly #events: RunEvent[] = [];
  readonly #listeners = new Set<(event: RunEvent) => void>();

  /** How many events there are. */
  get position(): number {
    return this.#events.length;
  }

  record(event: RunEvent): void {
    this.#events.push(event);
    for (const listener of this.#listeners) {
      listener(event);
    }
  }

  /** Calls `listener` for each event from now on, until the returned function is called. */
  subscribe(listener: (event: RunEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The last event of a type so far. */
  latest<Type extends RunEvent['type']>(type: Type): EventOf<Type> | undefined {
    return this.#events.findLast((event): event is EventOf<Type> => event.type === type);
  }

  /**
   * Resolves with the last of the awaited events, at once if they have happened already.
   *
   * @throws {@link MissingEventError} after `timeoutMs`, and the reason of `signal`.
   */
  waitFor<Type extends RunEvent['type']>(
    awaited: Awaited<Type>,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<EventOf<Type>> {
    const { type, where = () => true, after = 0, times = 1 } = awaited;
    const isOfType = (event: RunEvent): event is EventOf<Type> => event.type === type;
    return new Promise((resolve, reject) => {
      let missing = times;
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        unsubscribe();
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const look = (event: RunEvent): void => {
        if (isOfType(event) && where(event)) {
          missing -= 1;
          if (missing === 0) {
            end(() => resolve(event));
          }
        }
      };
      const onAbort = (): void => end(() => reject(signal.reason));
      const timer = setTimeout(() => {
        const text = `"${type}" did not happen within ${timeoutMs} ms`;
        end(() => reject(new MissingEventError(text)));
      }, timeoutMs);
      const unsubscribe = this.subscribe(look);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) {
        onAbort();
      }
      for (const event of this.#events.slice(after)) {
        look(event);
      }
    });
  }
}
