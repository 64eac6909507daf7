import { describe, expect, it } from 'vitest';
import { recordLeaseStore, type LeaseStore } from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { leaseStoreSuite, ManualClock, recordStoreSuite, type RawLease } from 'tenure/testing';
import { MemoryRecordStore } from '../../../src/stores/memory/record-store.ts';

const call = { signal: new AbortController().signal };

/** There is no way past a store that keeps everything to itself: a second look. */
async function lookAgain(store: LeaseStore, lease: string): Promise<RawLease | undefined> {
  const look = await store.look(lease, call);
  if (look.state === 'absent') {
    return undefined;
  }
  const { holder, fencingToken, progress, jobState } = look.record;
  return { holder, fencingToken, progress, jobState, released: look.state === 'free' };
}

describe('MemoryRecordStore', () => {
  const records = new MemoryRecordStore();
  const readRaw = async (lease: string): Promise<RawLease | undefined> => {
    const stored = await records.read(lease, call);
    return stored && { ...stored.record, released: stored.released };
  };
  recordStoreSuite({ describe, it, expect }, { createStore: () => records, readRaw });
  leaseStoreSuite(
    { describe, it, expect },
    { createStore: () => recordLeaseStore(records), readRaw },
  );
});

describe('memoryLeaseStore', () => {
  const store = memoryLeaseStore();
  leaseStoreSuite(
    { describe, it, expect },
    { createStore: () => store, readRaw: (lease) => lookAgain(store, lease) },
  );
});

describe("memoryLeaseStore with expiry 'store'", () => {
  const clock = new ManualClock();
  const store = memoryLeaseStore({ expiry: 'store', clock });
  leaseStoreSuite(
    { describe, it, expect },
    {
      createStore: () => store,
      readRaw: (lease) => lookAgain(store, lease),
      passLease: (ms) => clock.advance(ms),
    },
  );
});

it('refuses to be made with another kind of expiry', () => {
  expect(() => memoryLeaseStore({ expiry: 'never' as 'store' })).toThrow(
    new TypeError("expiry must be 'observed' or 'store', got \"never\""),
  );
});
