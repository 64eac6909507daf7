import { EventHeap, type Host, type SimEvent } from './event-heap.ts';
import type { SeededRandom } from './seeded-random.ts';

/** True time, which no process can read, and everything that is going to happen in it. */
export class Kernel {
  readonly #events = new EventHeap();
  readonly #random: SeededRandom;
  #nowMs = 0;
  #sequence = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Lets something happen after `ms` of true time: at `host`, if given, as soon as it can run. */
  after(ms: number, run: () => void, host?: Host): SimEvent {
    return this.#add(this.#nowMs + Math.max(0, ms), 0, run, host);
  }

  /** What `host` does first when it is no longer blocked: the rest of a synchronous stretch. */
  onResume(host: Host, run: () => void): void {
    this.#add(host.blockedUntilMs, -1, run, host);
  }

  /** Lets everything happen until `endMs`, and `observe` after each event. */
  async run(endMs: number, observe: () => void): Promise<void> {
    for (let event = this.#events.pop(); event; event = this.#events.pop()) {
      if (event.atMs > endMs) {
        return;
      }
      if (this.#isDue(event)) {
        this.#nowMs = Math.max(this.#nowMs, event.atMs);
        event.run();
        // All that follows from one event, through any number of promises, happens in its moment.
        await macrotask();
        observe();
      }
    }
  }

  #isDue(event: SimEvent): boolean {
    const { host } = event;
    if (event.cancelled || host?.alive === false) {
      return false;
    }
    if (host && host.blockedUntilMs > event.atMs) {
      // What has piled up is worked off in any order: a runtime may see replies before timers.
      event.atMs = host.blockedUntilMs;
      event.order = event.order < 0 ? event.order : this.#random.next();
      this.#events.push(event);
      return false;
    }
    return true;
  }

  #add(atMs: number, order: number, run: () => void, host: Host | undefined): SimEvent {
    this.#sequence += 1;
    const event = { atMs, order, sequence: this.#sequence, host, cancelled: false, run };
    this.#events.push(event);
    return event;
  }
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
