import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { OutcomeUnknownError, StoreUnavailableError, type TenureError } from '../../core/errors.ts';
import type { Look, StoreCall } from '../../core/lease-store.ts';
import { requireTime } from '../../core/require-time.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { leaseBlobName } from './blob-name.ts';
import { decodeRecord, encodeRecord, type StoredLease } from './record-metadata.ts';
import { refusalOf, type Refusal } from './sdk-errors.ts';
import { storeError, storeName } from './store-errors.ts';

/** What one read of a blob showed. */
export interface SeenBlob {
  readonly etag: string;
  /** Whether somebody holds the blob's lease now; a lease that is being broken is still held. */
  readonly leased: boolean;
  readonly stored: StoredLease;
}

/** The answer to a request: what it brought; or why it was not applied, also as an error. */
export type Answer<T> =
  | { readonly value: T }
  | { readonly refusal: Refusal; readonly error: TenureError };

/** The requests about one lease, one method each. Every one may be delivered more than once. */
export class LeaseBlob {
  readonly lease: string;
  readonly #blob: BlockBlobClient;
  readonly #containerName: string;
  readonly #onTokenLost: 'fail' | 'restart';

  constructor(container: ContainerClient, lease: string, onTokenLost: 'fail' | 'restart') {
    this.lease = lease;
    this.#blob = container.getBlockBlobClient(leaseBlobName(lease));
    this.#containerName = container.containerName;
    this.#onTokenLost = onTokenLost;
  }

  /**
   * Reads the blob; `undefined` if there is none.
   *
   * @throws `LeaseRecordInvalidError` if it is no lease record.
   */
  async read(call: StoreCall): Promise<SeenBlob | undefined> {
    const answer = await this.#read(call, {});
    if ('value' in answer) {
      return answer.value;
    }
    if (answer.refusal === 'absent') {
      return undefined;
    }
    throw answer.error;
  }

  /** Reads the blob if `leaseId` holds its lease now; `undefined` if it does not. */
  async readHeldBy(leaseId: string, call: StoreCall): Promise<SeenBlob | undefined> {
    const answer = await this.#read(call, { leaseId });
    return 'value' in answer ? answer.value : undefined;
  }

  /** Creates the blob. Resolves to its entity tag; `undefined` if there is one already. */
  async create(stored: StoredLease, call: StoreCall): Promise<string | undefined> {
    const metadata = { ...encodeRecord(stored) };
    const answer = await this.#send('Put Blob', call, (abortSignal) =>
      this.#blob.upload('', 0, { abortSignal, metadata, conditions: { ifNoneMatch: '*' } }),
    );
    if ('value' in answer) {
      return answer.value.etag;
    }
    if (answer.refusal === 'absent' || answer.refusal === 'no-container') {
      throw answer.error;
    }
    // Over a leased blob, the service says that the lease id is missing.
    return undefined;
  }

  /** Acquires the blob's lease under `leaseId`, unless the blob is not `etag` any more. */
  async acquire(
    leaseId: string,
    durationMs: number,
    etag: string,
    call: StoreCall,
  ): Promise<'acquired' | Exclude<Refusal, 'no-container'>> {
    const answer = await this.#send('Lease Blob', call, (abortSignal) =>
      this.#blob
        .getBlobLeaseClient(leaseId)
        .acquireLease(durationMs / 1_000, { abortSignal, conditions: { ifMatch: etag } }),
    );
    if ('value' in answer) {
      return 'acquired';
    }
    if (answer.refusal === 'no-container') {
      throw answer.error;
    }
    return answer.refusal;
  }

  /** Renews the lease of `leaseId`. Resolves to the blob's entity tag, or why it could not. */
  async renew(leaseId: string, call: StoreCall): Promise<Answer<string | undefined>> {
    const answer = await this.#send('Lease Blob', call, (abortSignal) =>
      this.#blob.getBlobLeaseClient(leaseId).renewLease({ abortSignal }),
    );
    if ('refusal' in answer) {
      return answer;
    }
    // Azurite renews an expired lease for any lease id, and then names the one that holds it.
    const { leaseId: renewed, etag } = answer.value;
    if (renewed === leaseId) {
      return { value: etag };
    }
    if (renewed === undefined) {
      throw new OutcomeUnknownError(
        'the answer names no lease id: is this Azure?',
        this.#context(),
      );
    }
    const error = new StoreUnavailableError('another lease id was renewed', this.#context());
    return { refusal: 'not-held', error };
  }

  /**
   * Writes the record if `leaseId` holds the lease and the blob is still `etag`. Resolves to the new
   * entity tag, or why it was not written.
   */
  async write(
    stored: StoredLease,
    leaseId: string,
    etag: string,
    call: StoreCall,
  ): Promise<Answer<string | undefined>> {
    const metadata = { ...encodeRecord(stored) };
    const conditions = { leaseId, ifMatch: etag };
    const answer = await this.#send('Set Blob Metadata', call, (abortSignal) =>
      this.#blob.setMetadata(metadata, { abortSignal, conditions }),
    );
    return 'refusal' in answer ? answer : { value: answer.value.etag };
  }

  /** Releases the lease of `leaseId`. Resolves to whether that id held it. */
  async release(leaseId: string, call: StoreCall): Promise<boolean> {
    const answer = await this.#send('Lease Blob', call, (abortSignal) =>
      this.#blob.getBlobLeaseClient(leaseId).releaseLease({ abortSignal }),
    );
    return 'value' in answer;
  }

  async #read(call: StoreCall, conditions: { leaseId?: string }): Promise<Answer<SeenBlob>> {
    const answer = await this.#send('Get Blob Properties', call, (abortSignal) =>
      this.#blob.getProperties({ abortSignal, conditions }),
    );
    if ('refusal' in answer) {
      return answer;
    }
    const { etag = '', leaseState, metadata = {} } = answer.value;
    const stored = decodeRecord(metadata, this.#context(), this.#onTokenLost);
    const leased = leaseState === 'leased' || leaseState === 'breaking';
    return { value: { etag, leased, stored } };
  }

  async #send<T>(
    operation: string,
    { signal }: StoreCall,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<Answer<T>> {
    requireTime(operation, signal, this.#context());
    try {
      return { value: await untilAborted(request(signal), signal) };
    } catch (cause) {
      const error = storeError(cause, {
        operation,
        containerName: this.#containerName,
        lease: this.lease,
        writes: operation !== 'Get Blob Properties',
      });
      const refusal = refusalOf(cause);
      if (refusal === undefined) {
        throw error;
      }
      return { refusal, error };
    }
  }

  #context(): { readonly store: string; readonly lease: string } {
    return { store: storeName, lease: this.lease };
  }
}

/** What a read says to the election. */
export function lookOf(seen: SeenBlob | undefined): Look {
  if (!seen) {
    return { state: 'absent' };
  }
  const { etag, leased, stored } = seen;
  const { mark, record } = stored;
  const state = leased ? 'held' : stored.state === 'held' ? 'expired' : 'free';
  return { state, version: etag, mark, record };
}
