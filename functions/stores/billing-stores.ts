import type { LeaseStore } from 'tenure';
import type { LedgerStore } from 'tenure/ledger';
import type { ChargeStore } from '../billing/charge-store.ts';

/** Where a billing run keeps everything: one store is the arbiter of lease and ledger together. */
export interface BillingStores {
  readonly leases: LeaseStore;
  readonly ledger: LedgerStore;
  readonly charges: ChargeStore;
}
