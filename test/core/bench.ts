import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import {
  createElection,
  recordLeaseStore,
  type Election,
  type ElectionEvent,
  type ElectionOptions,
  type LeadOptions,
  type LeaseStore,
  type Outcome,
  type Work,
} from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { ManualClock } from 'tenure/testing';
import { createJobElection } from '../../src/core/create-election.ts';
import type { JobElection } from '../../src/core/job-election.ts';
import { RawRecords, ScriptedStore } from './scripted-store.ts';

/** Progress of the work in these tests. */
export interface Done {
  readonly done: number;
}

export const expiries = ['observed', 'store'] as const;

/** One store and one clock that several elections share. */
export class Bench {
  readonly clock = new ManualClock();
  readonly records = new RawRecords();
  readonly store: ScriptedStore;
  readonly events: ElectionEvent[] = [];

  constructor(expiry: (typeof expiries)[number] = 'observed') {
    const { clock } = this;
    const store: LeaseStore =
      expiry === 'observed' ? recordLeaseStore(this.records) : memoryLeaseStore({ expiry, clock });
    this.store = new ScriptedStore(store, clock);
  }

  /** An election without jitter, with default timing, whose first token is 33. */
  election<Progress = Done>(
    identity: string,
    options: Partial<ElectionOptions<Progress>> = {},
  ): Election<Progress> {
    return createElection<Progress>({ ...this.#options(identity), ...options });
  }

  /** As {@link election}, for a job. */
  jobElection(identity: string): JobElection {
    return createJobElection(this.#options(identity));
  }

  #options(identity: string): ElectionOptions<never> {
    return {
      store: this.store,
      lease: 'orders',
      identity,
      firstToken: 33,
      clock: this.clock,
      random: () => 0,
      observer: (event) => this.events.push(event),
    };
  }

  /**
   * Leads as `a`, moving the clock. What the work throws fails the test, so that an expectation in
   * it does, also after a loss.
   */
  async lead<T>(work: Work<Done, T>, options: LeadOptions = {}): Promise<Outcome<T>> {
    const outcome = await this.settled(this.election('a').lead(work, options));
    if (outcome.status === 'lost' && 'workError' in outcome) {
      throw outcome.workError;
    }
    return outcome;
  }

  eventsOf<Type extends ElectionEvent['type']>(
    type: Type,
  ): readonly Extract<ElectionEvent, { type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<ElectionEvent, { type: Type }> => event.type === type,
    );
  }

  /** Moves the clock until `promise` settles, and settles like it. */
  async settled<T>(promise: Promise<T>, limitMs = 600_000): Promise<T> {
    const state = { pending: true };
    const watched = promise.finally(() => {
      state.pending = false;
    });
    // Handled below; a rejection before that is no mistake.
    watched.catch(() => {});
    const endMs = this.clock.monotonicMs() + limitMs;
    await this.clock.advance(0);
    while (state.pending && this.clock.monotonicMs() < endMs) {
      await this.clock.advance(10);
    }
    if (state.pending) {
      throw new Error(`not settled within ${limitMs} ms`);
    }
    return watched;
  }

  /** Proves that nothing is left: no timer, no request, no listener on `signal`. */
  expectQuiet(signal?: AbortSignal): void {
    const left = {
      sleeps: this.clock.pendingSleeps,
      requests: this.store.underWay,
      listeners: signal ? getEventListeners(signal, 'abort').length : 0,
    };
    assert.deepEqual(left, { sleeps: 0, requests: 0, listeners: 0 });
  }
}

/** Resolves when `signal` aborts, to its reason. */
export function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(signal.reason);
    }
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}

/** What a promise rejects with; fails if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('resolved instead of rejecting');
}

/** What a function throws; fails if it returns. */
export function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('returned instead of throwing');
}

/** The iterator of `iterable`, for tests that ask step by step. */
export function iteratorOf<T>(iterable: AsyncIterable<T>): AsyncIterator<T> {
  return iterable[Symbol.asyncIterator]();
}

/** A promise and the means to settle it. */
export function deferred<T = void>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A budget that ends `totalMs` from now on the bench's clock. */
export function budgetOf(
  clock: ManualClock,
  totalMs: number,
  reserveMs: number,
): { remainingMs(): number; reserveMs: number } {
  const endMs = clock.monotonicMs() + totalMs;
  return { remainingMs: () => endMs - clock.monotonicMs(), reserveMs };
}
