import type { HeldLease, LeaseStore } from '../core/lease-store.ts';
import type { RecordStore, RecordWrite } from '../core/record-store.ts';
import type { StoreOperation } from './faults.ts';
import { FaultyNetwork, type FaultOptions, type FaultyCall } from './faulty-network.ts';

/** A store that is reached over a bad network, and what happened to each request so far. */
export type Faulty<Store> = Store & { readonly calls: readonly FaultyCall[] };

/**
 * Puts a bad network in front of a store.
 *
 * What a `HeldLease` sends follows from what it knows by then, so a delayed or second request is
 * made up when it arrives. To repeat requests as they were sent, put {@link faultyRecordStore} in
 * front of the store's records.
 */
export function faultyLeaseStore(store: LeaseStore, options: FaultOptions): Faulty<LeaseStore> {
  const network = new FaultyNetwork(options, store.name);
  return {
    name: store.name,
    limits: store.limits,
    calls: network.calls,
    look: (lease, call) =>
      network.carry({ operation: 'look', lease }, call, (sent) => store.look(lease, sent)),
    acquire: async (lease, bid, call) => {
      const result = await network.carry({ operation: 'acquire', lease }, call, (sent) =>
        store.acquire(lease, bid, sent),
      );
      return result.acquired
        ? { acquired: true, held: faultyHeldLease(network, lease, result.held) }
        : result;
    },
    abandon: (lease, bid, call) =>
      network.carry({ operation: 'abandon', lease }, call, (sent) =>
        store.abandon(lease, bid, sent),
      ),
  };
}

function faultyHeldLease(network: FaultyNetwork, lease: string, held: HeldLease): HeldLease {
  return {
    get marks() {
      return held.marks;
    },
    renew: (checkpoint, call) =>
      network.carry({ operation: 'renew', lease }, call, (sent) => held.renew(checkpoint, sent)),
    release: (final, call) =>
      network.carry({ operation: 'release', lease }, call, (sent) => held.release(final, sent)),
  };
}

/**
 * Puts a bad network between the lease algorithm and its records: pass what this returns to
 * `recordLeaseStore`. Requests that arrive late or twice are those that were sent.
 */
export function faultyRecordStore(
  records: RecordStore,
  options: FaultOptions,
): Faulty<RecordStore> {
  const network = new FaultyNetwork(options, records.name);
  return {
    name: records.name,
    limits: records.limits,
    calls: network.calls,
    read: (lease, call) =>
      network.carry({ operation: 'look', lease }, call, (sent) => records.read(lease, sent)),
    write: (lease, write, call) =>
      network.carry({ operation: operationOf(write), lease }, call, (sent) =>
        records.write(lease, write, sent),
      ),
  };
}

function operationOf({ within, released }: RecordWrite): StoreOperation {
  if (!within) {
    return 'acquire';
  }
  return released ? 'release' : 'renew';
}
