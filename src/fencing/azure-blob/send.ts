import type { BlobClient } from '@azure/storage-blob';
import { hasCode, StaleTokenError } from '../../core/errors.ts';
import { refusalOf } from '../../stores/azure-blob/sdk-errors.ts';
import {
  fencedBlob,
  guardOf,
  type BlobGuard,
  type BlobWriteOptions,
  type SeenBlob,
} from './fenced.ts';
import { resolveTokenKey, type BlobFenceOptions } from './mark.ts';

/** How often one write is sent while others of the same or an older term keep being faster. */
const maxWrites = 8;

/** Options of {@link sendFencedBlob}. */
export interface FencedBlobOptions extends BlobWriteOptions, BlobFenceOptions {
  /** Ends the reads of the mark; the write takes its own. */
  readonly signal?: AbortSignal | undefined;
}

/** What is called of an Azure client of a blob. */
export type GuardedBlob = Pick<BlobClient, 'getProperties'>;

/**
 * Writes a blob unless it has seen a higher fencing token: reads the mark, and lets `write` send
 * what must fail if the blob has changed since.
 *
 * Where another write was faster that did not carry a higher token, it reads and writes again. So
 * a content that is made from the blob's earlier content needs the caller's own `ifMatch`, which
 * takes the place of the guard's. The client repeats a request whose reply was lost, and so does
 * this: then the caller's own condition, such as `ifNoneMatch: '*'`, fails on the caller's own
 * write.
 *
 * @param blobClient - The blob that is guarded.
 * @param write - Sends the write, passing on both `conditions` and `metadata` of its argument, such
 *   as `(guard) => blobClient.upload(body, body.length, guard)`. May be called more than once.
 * @param fencingToken - `leadership.fencingToken`.
 * @returns what `write` returned.
 * @throws `StaleTokenError` if the blob has seen a higher token.
 * @throws `LeaseRecordInvalidError`, `TypeError`, `RangeError` as {@link fencedBlob} does.
 * @throws any other error of the client untouched, a failed condition of the caller's own included.
 */
export async function sendFencedBlob<T>(
  blobClient: GuardedBlob,
  write: (guard: BlobGuard) => Promise<T>,
  fencingToken: number,
  options: FencedBlobOptions = {},
): Promise<T> {
  // Refused before anything is sent.
  fencedBlob(undefined, fencingToken, options);
  return send(blobClient, (seen) => write(guardOf(seen, fencingToken, options)), options.signal);
}

/**
 * Raises the mark of a blob and leaves the rest of it as it is: a new leader's first write there,
 * so that the fence closes at takeover and not at the first collision. May be repeated.
 *
 * @param fencingToken - `leadership.fencingToken`.
 * @throws `StaleTokenError` if the blob has seen a higher token.
 * @throws any other error of the client untouched, also if there is no such blob.
 */
export async function raiseBlob(
  blobClient: GuardedBlob & Pick<BlobClient, 'setMetadata'>,
  fencingToken: number,
  options: BlobFenceOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { signal } = options;
  const tokenKey = resolveTokenKey(options);
  const abort = signal ? { abortSignal: signal } : {};
  fencedBlob(undefined, fencingToken, options);
  await send(
    blobClient,
    async (seen) => {
      const own = Object.entries(seen?.metadata ?? {}).filter(
        ([name]) => name.toLowerCase() !== tokenKey,
      );
      const guard = fencedBlob(seen, fencingToken, { tokenKey, metadata: Object.fromEntries(own) });
      await blobClient.setMetadata(guard.metadata, { ...abort, conditions: guard.conditions });
    },
    signal,
  );
}

async function send<T>(
  blobClient: GuardedBlob,
  write: (seen: SeenBlob | undefined) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let failure: unknown;
  let seen = await read(blobClient, signal);
  for (let writes = 1; ; writes += 1) {
    try {
      return await write(seen);
    } catch (error) {
      if (hasCode(error, 'STALE_TOKEN') && failure !== undefined) {
        throw withCause(error, failure);
      }
      if (!isFailedCondition(error) || writes === maxWrites) {
        throw error;
      }
      failure = error;
    }
    const before = seen;
    seen = await read(blobClient, signal);
    if (before?.etag === seen?.etag) {
      // Nothing has changed, so what failed was a condition of the caller's own.
      throw failure;
    }
  }
}

/** Whether a condition of a write did not hold; not if it is the lease of the blob that forbids it. */
function isFailedCondition(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal === 'changed' || refusal === 'exists';
}

async function read(
  blobClient: GuardedBlob,
  signal: AbortSignal | undefined,
): Promise<SeenBlob | undefined> {
  try {
    return await blobClient.getProperties(signal ? { abortSignal: signal } : {});
  } catch (error) {
    if (refusalOf(error) === 'absent') {
      return undefined;
    }
    throw error;
  }
}

/** The same rejection, with the client's error that led to it. */
function withCause(error: StaleTokenError, cause: unknown): StaleTokenError {
  const { store, fencingToken, highestToken } = error;
  return new StaleTokenError(
    `fencing token ${fencingToken} is stale: the blob has seen ${highestToken}`,
    { store, fencingToken, highestToken, cause },
  );
}
