import type { ContainerClient } from '@azure/storage-blob';
import { fencedBlob, sendFencedBlob, type BlobGuard } from 'tenure/azure-blob';
import { ChargesRefusedError, type ChargeRow, type ChargeStore } from './charge-store.ts';

/** Options of {@link azureBlobChargeStore}. */
export interface AzureBlobChargeStoreOptions {
  readonly containerClient: ContainerClient;
  /** Put before the names of the blobs, such as `charges/` in a container of several. Default none. */
  readonly prefix?: string;
  /**
   * How long one write may take, in milliseconds: the SDK itself waits for an answer without end.
   * Default 10 000.
   */
  readonly timeoutMs?: number;
}

/**
 * A {@link ChargeStore} of one blob per customer and period, each fenced on its own. The blob has the
 * row as JSON and the token as metadata.
 *
 * A blob that no newer leader has touched can still be created by a stale one. Here that is
 * harmless: it then says what the gateway answered under the key that a newer leader will use too.
 */
export function azureBlobChargeStore({
  containerClient,
  prefix = '',
  timeoutMs = 10_000,
}: AzureBlobChargeStoreOptions): ChargeStore {
  return {
    record: async (row, fencingToken) => {
      const blob = containerClient.getBlockBlobClient(prefix + chargeBlobName(row));
      const signal = AbortSignal.timeout(timeoutMs);
      const content = new TextEncoder().encode(JSON.stringify(row));
      const write = async (guard: BlobGuard): Promise<void> => {
        const blobHTTPHeaders = { blobContentType: 'application/json' };
        const options = { ...guard, blobHTTPHeaders, abortSignal: signal };
        await blob.upload(content, content.length, options);
      };
      try {
        // Nearly every row is new: one request creates it, where a look at its mark would cost two.
        await write(fencedBlob(undefined, fencingToken));
      } catch (error) {
        if (!isTaken(error)) {
          throw isRefusal(error)
            ? new ChargesRefusedError(`the container ${containerClient.containerName}`, error)
            : error;
        }
        await sendFencedBlob(blob, write, fencingToken, { signal });
      }
    },
  };
}

/** The name of the blob of a charge, such as `2026-10/c-001.json`. */
export function chargeBlobName({
  customerId,
  period,
}: Pick<ChargeRow, 'customerId' | 'period'>): string {
  // The ending keeps an id such as ".." from being taken for a step in a path.
  return `${period}/${encodeURIComponent(customerId)}.json`;
}

/** Whether every write would be answered so: the container or the permission is not right. */
function isRefusal(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    (error.statusCode === 403 || error.statusCode === 404 || error.statusCode === 401)
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BlobAlreadyExists';
}
