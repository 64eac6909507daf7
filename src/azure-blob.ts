/**
 * Leases in Azure Blob Storage: `import { azureBlobLeaseStore } from 'tenure/azure-blob'`.
 *
 * @module
 */
export { leaseBlobName } from './stores/azure-blob/blob-name.ts';
export { checkLeaseContainer, type ContainerProblem } from './stores/azure-blob/check-container.ts';
export {
  createLeaseContainer,
  type CreateLeaseContainerOptions,
  type LeaseContainerOptions,
} from './stores/azure-blob/create-container.ts';
export { azureBlobLeaseStore } from './stores/azure-blob/lease-store.ts';
export { uploadLeased, type LeasedContent } from './stores/azure-blob/leased-blob.ts';
export type { AzureBlobLeaseStoreOptions } from './stores/azure-blob/options.ts';
export {
  fencedBlob,
  type BlobGuard,
  type BlobWriteOptions,
  type SeenBlob,
} from './fencing/azure-blob/fenced.ts';
export type { BlobFenceOptions } from './fencing/azure-blob/mark.ts';
export {
  raiseBlob,
  sendFencedBlob,
  type FencedBlobOptions,
  type GuardedBlob,
} from './fencing/azure-blob/send.ts';
export {
  azureBlobLedgerStore,
  type AzureBlobLedgerStoreOptions,
} from './ledger/azure-blob/ledger-store.ts';
