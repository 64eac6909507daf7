import type {
  BlobGetPropertiesResponse,
  BlockBlobUploadHeaders,
  BlockBlobUploadOptions,
  ContainerClient,
  HttpRequestBody,
} from '@azure/storage-blob';
import { LeaseLostError, LeaseRecordInvalidError, StaleTokenError } from '../../core/errors.ts';
import { requireObject, requireToken } from '../../core/requirements.ts';
import { leaseBlobName } from './blob-name.ts';
import { keys, wholeNumber } from './record-metadata.ts';
import { refusalOf } from './sdk-errors.ts';
import { storeName } from './store-errors.ts';

/** How often one write is sent while renewals keep changing the blob. */
const maxWrites = 8;

/** Content for the blob of a lease. */
export interface LeasedContent {
  readonly body: HttpRequestBody;
  /** In bytes. */
  readonly contentLength: number;
  /** Headers of the content, such as its type. */
  readonly blobHTTPHeaders?: BlockBlobUploadOptions['blobHTTPHeaders'];
  readonly signal?: AbortSignal;
}

/**
 * Writes the content of the very blob that keeps a lease, under that lease: the strongest guard
 * that Azure has, where one blob is all there is to guard. The service rejects the write unless the
 * term with this fencing token holds the lease at that moment. The record is left as it is.
 *
 * Read it as `containerClient.getBlobClient(leaseBlobName(lease))`.
 *
 * @param place - Where the lease is kept: the store's container and the name of the lease.
 * @param fencingToken - `leadership.fencingToken`.
 * @throws `TypeError` or `RangeError` if an argument does not fit.
 * @throws `StaleTokenError` if the record has a higher token.
 * @throws `LeaseLostError` if the term's lease has expired or was broken, though nobody has taken
 *   over yet.
 * @throws `LeaseRecordInvalidError` if the record names no such term.
 * @throws any other error of the client untouched.
 */
export async function uploadLeased(
  place: { readonly containerClient: ContainerClient; readonly lease: string },
  content: LeasedContent,
  fencingToken: number,
): Promise<BlockBlobUploadHeaders> {
  requireToken('fencingToken', fencingToken);
  const { body, contentLength, blobHTTPHeaders, signal } = requireObject('content', content);
  const blob = place.containerClient.getBlockBlobClient(leaseBlobName(place.lease));
  const bounds = {
    ...(signal ? { abortSignal: signal } : {}),
    ...(blobHTTPHeaders ? { blobHTTPHeaders } : {}),
  };
  for (let writes = 1; ; writes += 1) {
    const own = ownTerm(await blob.getProperties(bounds), place.lease, fencingToken);
    try {
      return await blob.upload(body, contentLength, { ...bounds, ...own });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'not-held') {
        // By a successor, which the record then shows, or by nobody.
        ownTerm(await blob.getProperties(bounds), place.lease, fencingToken);
        const context = { lease: place.lease, store: storeName, fencingToken, cause: error };
        throw new LeaseLostError('expired', 'the term does not hold the lease any more', context);
      }
      if (refusal !== 'changed' || writes === maxWrites) {
        throw error;
      }
    }
  }
}

/**
 * Metadata and conditions for a write by the term with this token.
 *
 * @throws unless the record is that of this term.
 */
function ownTerm(
  { etag, metadata = {} }: BlobGetPropertiesResponse,
  lease: string,
  fencingToken: number,
): Required<Pick<BlockBlobUploadOptions, 'metadata' | 'conditions'>> {
  const context = { lease, store: storeName };
  const highestToken = wholeNumber(metadata[keys.token]);
  if (highestToken > fencingToken) {
    throw new StaleTokenError(
      `fencing token ${fencingToken} is stale: the lease has seen ${highestToken}`,
      { ...context, fencingToken, highestToken },
    );
  }
  const leaseId = metadata[keys.mark];
  if (leaseId === undefined || etag === undefined || highestToken !== fencingToken) {
    throw new LeaseRecordInvalidError('malformed', 'the blob names no such term', context);
  }
  // The mark of a term is its lease id. It is used only where the token is the caller's, so that a
  // leader never writes under the lease of its successor.
  return { metadata, conditions: { leaseId, ifMatch: etag } };
}
