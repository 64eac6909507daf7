/**
 * Leases as blobs of one container of Azure Blob Storage, one blob without content each.
 *
 * Azure judges expiry by its own clock: a holder has the blob's lease, of 15 to 60 seconds, under a
 * lease id of its own. The record is in the blob's metadata:
 *
 * | metadata     | meaning                                                                   |
 * | ------------ | ------------------------------------------------------------------------- |
 * | `tenure`     | `1`: layout of the record; what has no such entry is no lease record        |
 * | `state`      | `new` until the first term, `held`, or `free` once released                 |
 * | `token`      | digits: fencing token of the term; none while new                           |
 * | `holder`     | holder, or the last one; UTF-8 as base64url                                 |
 * | `durationms` | digits: milliseconds                                                       |
 * | `mark`       | lease id of the attempt that wrote the term; it holds no lease after it     |
 * | `progress`   | JSON; UTF-8 as base64url; none if there is no progress                      |
 * | `jobstate`   | what jobs keep: JSON; UTF-8 as base64url; none if there is none             |
 * | `history`    | the last ten terms: token, `r`eleased or `t`aken over, holder as base64url, |
 * |              | and to base 36 when it started                                              |
 *
 * The token is raised by a write that carries the lease id and the entity tag that the bid rests
 * on, so it is written once, by whoever holds the lease. Until that write the record still names
 * the holder before. A renewal changes neither the record nor its entity tag.
 *
 * Needs read and write permission on blobs: the role Storage Blob Data Contributor on the container,
 * or a SAS with the rights `rw`. Whoever may write may break any lease. Blobs are never deleted;
 * keep lifecycle rules away from the container.
 *
 * @module
 */
import { requireObject } from '../../core/requirements.ts';
import type { ContainerClient } from '@azure/storage-blob';
import type { AcquireResult, Bid, LeaseStore, Look, StoreCall } from '../../core/lease-store.ts';
import { abandon, acquire } from './acquire.ts';
import { LeaseBlob } from './lease-blob.ts';
import { lookAt, type LeasePlace } from './lease-place.ts';
import { azureBlobLimits } from './limits.ts';
import {
  requireContainerClient,
  requireTokenPolicy,
  type AzureBlobLeaseStoreOptions,
} from './options.ts';
import { OwnAttempts } from './own-attempts.ts';
import { storeName } from './store-errors.ts';

/**
 * Keeps leases in a container of Azure Blob Storage, one blob each.
 *
 * @throws `TypeError` naming the option that does not fit.
 */
export function azureBlobLeaseStore(options: AzureBlobLeaseStoreOptions): LeaseStore {
  requireObject('options', options);
  requireContainerClient(options.containerClient);
  requireTokenPolicy(options.onTokenLost);
  return new AzureBlobLeaseStore(options);
}

class AzureBlobLeaseStore implements LeaseStore {
  readonly name = storeName;
  readonly limits = azureBlobLimits;
  readonly #container: ContainerClient;
  readonly #onTokenLost: 'fail' | 'restart';
  readonly #own = new OwnAttempts();

  constructor({ containerClient, onTokenLost = 'fail' }: AzureBlobLeaseStoreOptions) {
    this.#container = containerClient;
    this.#onTokenLost = onTokenLost;
  }

  look(lease: string, call: StoreCall): Promise<Look> {
    return lookAt(this.#place(lease), call);
  }

  acquire(lease: string, bid: Bid, call: StoreCall): Promise<AcquireResult> {
    return acquire(this.#place(lease), bid, call);
  }

  abandon(lease: string, bid: Bid, call: StoreCall): Promise<void> {
    return abandon(this.#place(lease), bid, call);
  }

  #place(lease: string): LeasePlace {
    const blob = new LeaseBlob(this.#container, lease, this.#onTokenLost);
    return { blob, own: this.#own };
  }
}
