/**
 * A kind of store, as runner and schedulers of the local run see it. Each kind has one
 * implementation, and nothing else in the run knows which kind it is.
 *
 * @module
 */
import type { LeaseStore } from 'tenure';
import type { LedgerEntry, LedgerStore } from 'tenure/ledger';
import type { ChargeStore } from '../billing/charge-store.ts';
import type { ForwardedHead } from './http-forward.ts';
import type { Exchange, ProxiedRequest } from './http-proxy.ts';

/** A lease record, as the store shows it. */
export interface LeaseRow {
  readonly holder: string;
  readonly fencingToken: number;
  readonly released: boolean;
}

/** A recorded charge. */
export interface StoredCharge {
  readonly customerId: string;
  /** `YYYY-MM`. */
  readonly period: string;
}

/** How a scheduler finds the store of its run; JSON. May hold a credential: not for the eyes of others. */
export interface StoreAccess {
  readonly endpoint: string;
  /** Name of the table or container of the lease and the ledger. */
  readonly leases: string;
  /** Name of the table or container of the charges. */
  readonly charges: string;
}

/** What a request wants to write, as far as it matters to the story. */
export type StoreWrite =
  /** A term's write of the lease's record, or its renewal. */
  | { readonly of: 'lease' }
  | {
      readonly of: 'charge';
      readonly customerId: string;
      /** Absent where a run without leases writes without one. */
      readonly fencingToken: number | undefined;
    }
  | { readonly of: 'anything else' };

/** Reads what passes between a scheduler and the store. */
export interface Traffic {
  /** What a request wants to write; `undefined` if it is a read. */
  writeIn(request: ProxiedRequest): StoreWrite | undefined;
  /** What came of a write. `refused`: one of its conditions did not hold. */
  verdictOn(exchange: Pick<Exchange, 'status' | 'responseBody'>): 'applied' | 'refused' | 'neither';
}

/**
 * The store of one run, looked at directly and not through any scheduler. Every call ends in time, with
 * an error that names the store and what could not be done there.
 */
export interface DemoStore {
  /** The server, to which the ways of the schedulers lead. */
  readonly target: string;
  /** Changes a request on its way to the server, where a proxy's address does not say all of it. */
  readonly rewrite?: (head: ForwardedHead) => ForwardedHead;
  readonly traffic: Traffic;
  /** How a scheduler finds the store behind the proxy at `endpoint`. */
  accessBy(endpoint: string): StoreAccess;
  /** Reads the lease's record; `undefined` if there is none yet. */
  readLease(): Promise<LeaseRow | undefined>;
  /** Reads every recorded charge. */
  readCharges(): Promise<readonly StoredCharge[]>;
  /** Reads which entries the ledger has pending or unknown. */
  readUnfinished(): Promise<readonly LedgerEntry[]>;
  /** Removes what this run has created, and stops what was started for it. */
  close(): Promise<void>;
}

/** How a scheduler uses the store. */
export interface SchedulerOptions {
  readonly leaseMs: number;
  /**
   * What becomes of the token of a charge: `checked` by the store, `unchecked` but written down, or
   * `absent`.
   */
  readonly fence: 'checked' | 'unchecked' | 'absent';
}

/** The three stores of a scheduler; all in one place. */
export interface SchedulerStores {
  readonly leases: LeaseStore;
  readonly ledger: LedgerStore;
  readonly charges: ChargeStore;
}

/** One kind of store. */
export interface StoreKind {
  /** What a newcomer reads: its name, what is started if nothing is given, how charges are kept. */
  readonly words: { readonly name: string; readonly embedded: string; readonly charges: string };
  /**
   * Creates the places of one run, under names of their own.
   *
   * @param endpoint - A server that is already running. Default: one is started.
   * @param stop - Ends what is under way, now and later; not `close`.
   */
  open(endpoint: string | undefined, stop?: AbortSignal): Promise<DemoStore>;
  connect(access: StoreAccess, options: SchedulerOptions): Promise<SchedulerStores>;
}
