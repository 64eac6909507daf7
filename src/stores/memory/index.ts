/**
 * A store inside one process: the reference for other stores, and a fast double for tests.
 *
 * @module
 */
import { systemClock, type Clock } from '../../core/clock.ts';
import { describeValue } from '../../core/describe-value.ts';
import type { LeaseStore } from '../../core/lease-store.ts';
import { recordLeaseStore } from '../../core/record-lease.ts';
import { MemoryExpiringStore } from './expiring-store.ts';
import { MemoryRecordStore } from './record-store.ts';

/** Options of {@link memoryLeaseStore}. */
export interface MemoryLeaseStoreOptions {
  /** Who judges that a holder is silent. Default `observed`, as on DynamoDB. */
  readonly expiry?: 'observed' | 'store';
  /** The store's own clock, for `expiry: 'store'`. Default the system's. */
  readonly clock?: Clock;
}

/**
 * A lease store that lives and dies with this process.
 *
 * @throws `TypeError` if `expiry` is neither `observed` nor `store`.
 */
export function memoryLeaseStore(options: MemoryLeaseStoreOptions = {}): LeaseStore {
  const { expiry = 'observed', clock = systemClock } = options;
  switch (expiry) {
    case 'observed':
      return recordLeaseStore(new MemoryRecordStore());
    case 'store':
      return new MemoryExpiringStore(clock);
    default:
      throw new TypeError(`expiry must be 'observed' or 'store', got ${describeValue(expiry)}`);
  }
}
