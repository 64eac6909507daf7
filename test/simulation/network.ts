import { OutcomeUnknownError, StoreUnavailableError } from '../../src/core/errors.ts';
import type { StoreCall } from '../../src/core/lease-store.ts';
import type { Operation, Request } from './history.ts';
import type { Kernel } from './kernel.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimProcess } from './sim-process.ts';

/** How badly a network behaves: probabilities, per request or per leg. */
export interface NetworkTraits {
  readonly loseRequest: number;
  readonly loseReply: number;
  /** The request arrives again, within `latestMs`. */
  readonly duplicate: number;
  /** The request or its reply takes up to `latestMs`. */
  readonly late: number;
  /** The connection is refused at once: nothing was sent. */
  readonly refuse: number;
  /** The connection breaks: the client learns soon that it knows nothing. */
  readonly reset: number;
  readonly quickestMs: number;
  readonly slowestMs: number;
  readonly latestMs: number;
}

export type Direction = 'requests' | 'replies' | 'both';

/** Handles one copy of a request, at the moment at which it arrives. */
export type Arrival<T> = (request: Request, delivery: number) => Promise<T>;

/** Everything between processes and stores. */
export class Network {
  readonly #kernel: Kernel;
  readonly #random: SeededRandom;
  readonly #traits: NetworkTraits;
  readonly #cuts = new Map<string, { readonly direction: Direction; readonly untilMs: number }>();
  #requests = 0;

  constructor(kernel: Kernel, random: SeededRandom, traits: NetworkTraits) {
    this.#kernel = kernel;
    this.#random = random;
    this.#traits = traits;
  }

  /** Cuts a node off for some time, in one direction or in both. */
  cut(identity: string, direction: Direction, ms: number): void {
    this.#cuts.set(identity, { direction, untilMs: this.#kernel.nowMs + ms });
  }

  /** Sends a request as `process` and settles as a client does. */
  send<T>(
    process: SimProcess,
    operation: Operation,
    { signal }: StoreCall,
    arrive: Arrival<T>,
  ): Promise<T> {
    if (!process.send(operation)) {
      return new Promise(() => {});
    }
    const request = this.#request(process, operation);
    process.history.add({ type: 'sent', atMs: this.#kernel.nowMs, request });
    return new Promise((resolve, reject) => {
      let open = true;
      process.pendingCalls += 1;
      const settle = (how: () => void): void => {
        if (open) {
          open = false;
          process.pendingCalls -= 1;
          signal.removeEventListener('abort', onAbort);
          how();
        }
      };
      const onAbort = (): void => settle(() => reject(signal.reason));
      signal.addEventListener('abort', onAbort, { once: true });
      const fail = (error: Error): void => {
        this.#kernel.after(this.#legMs(), () => settle(() => reject(error)), process);
      };
      const answer = (value: T): void => {
        const reply = (): void =>
          settle(() => {
            this.#onAnswer(process, request);
            resolve(value);
          });
        if (this.#isLost(process, 'replies')) {
          process.history.count('lost reply');
        } else {
          this.#kernel.after(this.#legMs(), reply, process);
        }
      };
      this.#deliver(process, request, { arrive, answer, fail });
    });
  }

  #request(process: SimProcess, operation: Operation): Request {
    this.#requests += 1;
    return {
      id: this.#requests,
      process: process.name,
      identity: process.identity,
      operation,
      sentAtMs: this.#kernel.nowMs,
      knownForMs: operation.basis === undefined ? 0 : process.hasKnownMs(operation.basis),
    };
  }

  #deliver<T>(
    process: SimProcess,
    request: Request,
    to: {
      readonly arrive: Arrival<T>;
      readonly answer: (value: T) => void;
      readonly fail: (error: Error) => void;
    },
  ): void {
    const { history } = process;
    const context = { store: 'memory', lease: 'lease' };
    if (this.#random.chance(this.#traits.refuse)) {
      history.count('refused connection');
      to.fail(new StoreUnavailableError('connection refused', context));
      return;
    }
    if (this.#random.chance(this.#traits.reset)) {
      history.count('broken connection');
      to.fail(new OutcomeUnknownError('connection reset', context));
    }
    let deliveries = 0;
    const arriveAfter = (ms: number): void => {
      this.#kernel.after(ms, () => {
        deliveries += 1;
        void to.arrive(request, deliveries).then(to.answer);
      });
    };
    if (this.#isLost(process, 'requests')) {
      history.count('lost request');
    } else {
      arriveAfter(this.#legMs());
    }
    if (this.#random.chance(this.#traits.duplicate)) {
      history.count('duplicated request');
      arriveAfter(this.#random.between(0, this.#traits.latestMs));
    }
  }

  #onAnswer(process: SimProcess, request: Request): void {
    process.history.add({ type: 'answered', atMs: this.#kernel.nowMs, request });
  }

  #isLost({ identity }: SimProcess, leg: 'requests' | 'replies'): boolean {
    const { loseRequest, loseReply } = this.#traits;
    const cut = this.#cuts.get(identity);
    const isCut =
      cut !== undefined &&
      cut.untilMs > this.#kernel.nowMs &&
      (cut.direction === leg || cut.direction === 'both');
    return isCut || this.#random.chance(leg === 'requests' ? loseRequest : loseReply);
  }

  #legMs(): number {
    const { late, quickestMs, slowestMs, latestMs } = this.#traits;
    return this.#random.chance(late)
      ? this.#random.between(slowestMs, latestMs)
      : this.#random.between(quickestMs, slowestMs);
  }
}
