import { azureBlobLeaseStore, azureBlobLedgerStore } from 'tenure/azure-blob';
import { azureBlobChargeStore } from '../billing/azure-blob-charge-store.ts';
import type { ChargeStore } from '../billing/charge-store.ts';
import { blobServiceAt } from './azure-account.ts';
import { openAzureDemo } from './azure-demo-store.ts';
import type { SchedulerOptions, StoreAccess, StoreKind } from './demo-store.ts';
import { unfencedBlobStore } from './unfenced-charge-stores.ts';

/** Lease, ledger and charges in Azure Blob Storage. */
export const azureBlobKind: StoreKind = {
  words: {
    name: 'Azure Blob Storage',
    embedded: 'Azurite, in a process of its own',
    charges: 'one blob per customer and period, which rejects a lower token than it has seen',
  },
  open: openAzureDemo,
  connect: async (access, options) => {
    const service = await blobServiceAt(access.endpoint, { retryOptions: { maxTries: 1 } });
    const containerClient = service.getContainerClient(access.leases);
    return {
      leases: azureBlobLeaseStore({ containerClient }),
      ledger: azureBlobLedgerStore({ containerClient }),
      charges: await chargeStoreOf(access, options),
    };
  },
};

async function chargeStoreOf(
  { endpoint, charges }: StoreAccess,
  { leaseMs, fence }: SchedulerOptions,
): Promise<ChargeStore> {
  const retryOptions = { maxTries: 3, retryDelayInMs: 100 };
  const service = await blobServiceAt(endpoint, { retryOptions });
  const containerClient = service.getContainerClient(charges);
  // A row that cannot be written for as long as the lease lasts is a failure.
  const options = { containerClient, timeoutMs: leaseMs };
  return fence === 'checked'
    ? azureBlobChargeStore(options)
    : unfencedBlobStore({ ...options, marked: fence === 'unchecked' });
}
