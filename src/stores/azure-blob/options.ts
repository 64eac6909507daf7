import type { ContainerClient } from '@azure/storage-blob';
import { describeValue } from '../../core/describe-value.ts';

/** Options of `azureBlobLeaseStore`. */
export interface AzureBlobLeaseStoreOptions {
  /**
   * Client of the container that keeps the leases. It is used as it is: its retries and credentials
   * are the caller's.
   */
  readonly containerClient: ContainerClient;
  /**
   * What to do with a lease record whose fencing token is gone. `fail` (default) rejects with
   * `LeaseRecordInvalidError`; `restart` starts anew above the wall clock.
   */
  readonly onTokenLost?: 'fail' | 'restart';
}

/** @throws `TypeError` unless this is the client of a container. */
export function requireContainerClient(client: unknown): void {
  const isContainer =
    typeof client === 'object' &&
    client !== null &&
    'getBlockBlobClient' in client &&
    typeof client.getBlockBlobClient === 'function';
  if (!isContainer) {
    throw new TypeError(
      `containerClient must be a ContainerClient of @azure/storage-blob version 12, got ${describeValue(client)}`,
    );
  }
}

/** @throws `TypeError` unless this is a way to treat a lost token. */
export function requireTokenPolicy(value: unknown): void {
  if (value !== undefined && value !== 'fail' && value !== 'restart') {
    throw new TypeError(`onTokenLost must be 'fail' or 'restart', got ${describeValue(value)}`);
  }
}
