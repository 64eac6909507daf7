import type { Leadership } from '../../src/core/leadership.ts';
import type { Timing } from '../../src/core/timing.ts';
import type { Host } from './event-heap.ts';
import type { History, Operation } from './history.ts';
import type { Kernel } from './kernel.ts';
import { ProcessTime, type ClockTraits } from './process-time.ts';
import type { SeededRandom } from './seeded-random.ts';
import { SimClock } from './sim-clock.ts';

/** What one process is made of. */
export interface ProcessParts {
  readonly kernel: Kernel;
  readonly history: History;
  readonly random: SeededRandom;
  readonly timing: Timing;
  readonly clocks: ClockTraits;
  /** Name of the node; a restarted process takes it over. */
  readonly identity: string;
  /** How often this identity was started before. */
  readonly restarts: number;
}

/** One run of a candidate, from its start until it crashes. */
export class SimProcess implements Host {
  readonly identity: string;
  readonly name: string;
  readonly random: SeededRandom;
  readonly timing: Timing;
  readonly time: ProcessTime;
  /** The clock of the election. */
  readonly clock: SimClock;
  /** The timers of the work and of whatever starts the election. */
  readonly ownClock: SimClock;
  readonly history: History;
  readonly #kernel: Kernel;
  readonly #leaderships: Leadership[] = [];
  readonly #answered = new Map<number, number>();
  readonly #firstSeen = new Map<string, number>();
  #alive = true;
  #blockedUntilMs = 0;
  #sendsUntilStrike = Infinity;
  #strike = (): void => {};
  /** Whether the work of a term is going on. */
  isWorking = false;
  /** Store calls without an answer. */
  pendingCalls = 0;

  constructor({ kernel, history, random, timing, clocks, identity, restarts }: ProcessParts) {
    this.identity = identity;
    this.name = restarts === 0 ? identity : `${identity}${restarts + 1}`;
    this.random = random;
    this.timing = timing;
    this.history = history;
    this.#kernel = kernel;
    this.time = new ProcessTime(kernel, clocks);
    this.clock = new SimClock(kernel, this.time, this);
    this.ownClock = new SimClock(kernel, this.time, this);
  }

  get alive(): boolean {
    return this.#alive;
  }

  get blockedUntilMs(): number {
    return this.#blockedUntilMs;
  }

  /** Ends the process. What it has sent is under way, and nothing else of it ever happens. */
  crash(): void {
    if (this.#alive) {
      this.#alive = false;
      this.history.fault(this.name, 'crash');
    }
  }

  /** Lets something happen to the process at one of its next requests that write. */
  strikeAtSend(sends: number, strike: () => void): void {
    this.#sendsUntilStrike = sends;
    this.#strike = strike;
  }

  /** Counts a request; `false` if the process is dead and sends nothing. */
  send({ kind }: Operation): boolean {
    if (!this.#alive) {
      return false;
    }
    this.#sendsUntilStrike -= kind === 'look' ? 0 : 1;
    if (this.#sendsUntilStrike <= 0) {
      this.#sendsUntilStrike = Infinity;
      this.#strike();
    }
    // A crash comes just before or just after the request is sent.
    return this.alive || this.random.chance(0.5);
  }

  /** Stops everything in this process for some true time. */
  freeze(ms: number, { stopsMonotonic }: { readonly stopsMonotonic: boolean }): void {
    this.history.fault(
      this.name,
      `${stopsMonotonic ? 'suspended' : 'frozen'} for ${Math.round(ms)} ms`,
    );
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#kernel.nowMs + ms);
    if (stopsMonotonic) {
      this.time.stopMonotonic(ms);
    }
  }

  /** Blocks the event loop: nothing else in this process runs before this resolves. */
  block(ms: number): Promise<void> {
    this.history.fault(this.name, `blocked for ${Math.round(ms)} ms`);
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, this.#kernel.nowMs + ms);
    return new Promise((resolve) => {
      this.#kernel.onResume(this, resolve);
    });
  }

  /** A leadership whose belief is sampled from now on, also after its term. */
  watch(leadership: Leadership): void {
    this.#leaderships.push(leadership);
    if (this.#leaderships.length > 3) {
      this.#leaderships.shift();
    }
  }

  /** Asks every leadership whether it still believes. Asking ends a term whose time is over. */
  probe(): void {
    if (!this.#alive || this.#blockedUntilMs > this.#kernel.nowMs) {
      return;
    }
    for (const leadership of this.#leaderships) {
      if (leadership.remainingMs() > 0) {
        this.believes(leadership.fencingToken);
      } else {
        this.history.isOver(this.name, leadership.fencingToken);
      }
    }
  }

  /** Notes that a leadership of this process claims to lead at this moment. */
  believes(fencingToken: number): void {
    const answeredAtMs = this.#answered.get(fencingToken) ?? Number.NEGATIVE_INFINITY;
    const ageMs = (this.#kernel.nowMs - answeredAtMs) * this.time.rate;
    this.history.believes(this, fencingToken, ageMs);
  }

  /** Notes when the last write of a term that got its answer was sent. */
  wasAnswered(fencingToken: number, sentAtMs: number): void {
    const before = this.#answered.get(fencingToken) ?? Number.NEGATIVE_INFINITY;
    this.#answered.set(fencingToken, Math.max(before, sentAtMs));
  }

  /** Notes that an answer showed this version of the record. */
  hasSeen(version: string): void {
    if (!this.#firstSeen.has(version)) {
      this.#firstSeen.set(version, this.clock.monotonicMs());
    }
  }

  /** For how long this process has known a version, on its own monotonic clock. */
  hasKnownMs(version: string): number {
    return this.clock.monotonicMs() - (this.#firstSeen.get(version) ?? Infinity);
  }
}
