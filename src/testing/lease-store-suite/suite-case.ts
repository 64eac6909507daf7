import type { LeaseStore, StoreLimits } from '../../core/lease-store.ts';
import type { SuiteBench } from './suite-bench.ts';

/**
 * The functions of a test runner that a suite needs. Those of Vitest and Jest fit as they are; with
 * `node:test`, `expect` is `(actual) => ({ toEqual: (expected) => assert.deepEqual(actual, expected) })`.
 */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => Promise<void>) => void;
  readonly expect: (actual: unknown) => { toEqual(expected: unknown): void };
}

/** What is stored for a lease, as {@link LeaseStoreSuiteOptions.readRaw} found it. */
export interface RawLease {
  /** The holder or, if the lease is free, the last one. */
  readonly holder: string;
  readonly fencingToken: number | undefined;
  /** Whether the holder has given it up; silence alone does not. */
  readonly released: boolean;
  /** JSON text. */
  readonly progress: string | undefined;
  /** JSON text. */
  readonly jobState: string | undefined;
}

/** What the suite must know of the store under test. */
export interface LeaseStoreSuiteOptions {
  /** Makes a store. Called once per test; all of them may share one table, container or map. */
  readonly createStore: () => LeaseStore | Promise<LeaseStore>;
  /**
   * Reads what is stored by another way than the store's own code, such as a plain SDK call;
   * `undefined` if nothing is.
   */
  readonly readRaw: (lease: string) => Promise<RawLease | undefined>;
  /**
   * Lets this many milliseconds pass on the clock by which the store judges expiry: waits, or moves
   * that clock. Required of stores that declare `expiry: 'store'`, and only of them.
   */
  readonly passLease?: (ms: number) => Promise<void> | void;
  /** Duration of the leases. Default 15 000 or, if the store allows no such, its shortest. */
  readonly leaseDurationMs?: number;
}

/** One test of a suite. */
export interface SuiteCase {
  readonly name: string;
  /** Given where only stores with this kind of expiry can pass or fail. */
  readonly expiry?: StoreLimits['expiry'];
  readonly run: (bench: SuiteBench) => Promise<void>;
}
