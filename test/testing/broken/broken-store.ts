import {
  recordLeaseStore,
  type HeldLease,
  type LeaseRecord,
  type LeaseStore,
  type RecordWrite,
  type StoredRecord,
} from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { ManualClock, type LeaseStoreSuiteOptions } from 'tenure/testing';
import { BreakableRecords, type Mistake } from './breakable-records.ts';

/** A store with one mistake, and tests that must notice it. */
export interface BrokenStore {
  readonly mistake: string;
  readonly options: LeaseStoreSuiteOptions;
  readonly noticedBy: readonly string[];
}

const call = { signal: new AbortController().signal };

/** The suite's options for a record store with a mistake. */
export function optionsFor(
  mistake: Mistake,
  change: (store: LeaseStore, records: BreakableRecords) => Partial<LeaseStore> = () => ({}),
): LeaseStoreSuiteOptions {
  const records = new BreakableRecords(mistake);
  const store = recordLeaseStore(records);
  return {
    createStore: () => ({ ...store, ...change(store, records) }),
    readRaw: async (lease) => {
      const stored = records.raw(lease);
      return stored && { ...stored.record, released: stored.released };
    },
  };
}

/** The suite's options for a store that judges expiry by `clock`, while the suite waits on another. */
export function expiringOptionsFor(
  clockOf: (suiteClock: ManualClock) => ManualClock,
  change: (held: HeldLease) => Partial<HeldLease> = () => ({}),
): LeaseStoreSuiteOptions {
  const suiteClock = new ManualClock();
  const store = memoryLeaseStore({ expiry: 'store', clock: clockOf(suiteClock) });
  return {
    createStore: () => ({
      name: store.name,
      limits: store.limits,
      look: (lease, own) => store.look(lease, own),
      abandon: (lease, bid, own) => store.abandon(lease, bid, own),
      acquire: async (lease, bid, own) => {
        const result = await store.acquire(lease, bid, own);
        return result.acquired
          ? { acquired: true, held: { ...result.held, ...change(result.held) } }
          : result;
      },
    }),
    readRaw: async (lease) => {
      const look = await store.look(lease, call);
      return look.state === 'absent'
        ? undefined
        : { ...look.record, released: look.state === 'free' };
    },
    passLease: (ms) => suiteClock.advance(ms),
  };
}

export const isBid = (write: RecordWrite): boolean => !write.within;
export const isRenewal = (write: RecordWrite): boolean => !isBid(write) && !write.released;
export const isRelease = (write: RecordWrite): boolean => write.released;

/** Stores something else in place of a part of the record. */
export function storing(
  change: (
    record: LeaseRecord,
    write: RecordWrite,
    found: StoredRecord | undefined,
  ) => Partial<LeaseRecord>,
): Mistake {
  return {
    apply: (right, write, found) => ({
      ...right,
      record: { ...right.record, ...change(right.record, write, found) },
    }),
  };
}
