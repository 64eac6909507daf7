import type { Clock } from '../../src/core/clock.ts';
import type { Host, SimEvent } from './event-heap.ts';
import type { Kernel } from './kernel.ts';
import type { ProcessTime } from './process-time.ts';

/** Timers are never early and a little late, so that a loop around one always gets on. */
const leastLatenessMs = 0.01;

/** {@link Clock} of one process in simulated time. */
export class SimClock implements Clock {
  readonly #kernel: Kernel;
  readonly #time: ProcessTime;
  readonly #host: Host;
  #pendingSleeps = 0;

  constructor(kernel: Kernel, time: ProcessTime, host: Host) {
    this.#kernel = kernel;
    this.#time = time;
    this.#host = host;
  }

  get pendingSleeps(): number {
    return this.#pendingSleeps;
  }

  monotonicMs(): number {
    return this.#time.monotonicMs();
  }

  wallMs(): number {
    return this.#time.wallMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const dueMs = this.monotonicMs() + ms;
      let timer: SimEvent;
      const arm = (): void => {
        timer = this.#kernel.after(
          this.#time.trueMsUntil(dueMs) + leastLatenessMs,
          fire,
          this.#host,
        );
      };
      const fire = (): void => {
        // The monotonic clock may have stood still in between, and a timer goes by that clock.
        if (this.monotonicMs() < dueMs) {
          arm();
          return;
        }
        this.#pendingSleeps -= 1;
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#pendingSleeps -= 1;
        timer.cancelled = true;
        reject(signal?.reason);
      };
      this.#pendingSleeps += 1;
      arm();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
