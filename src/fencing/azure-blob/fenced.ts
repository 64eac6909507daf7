import type { BlobRequestConditions } from '@azure/storage-blob';
import { LeaseRecordInvalidError, StaleTokenError } from '../../core/errors.ts';
import { requireToken } from '../../core/requirements.ts';
import { markIn, resolveTokenKey, type BlobFenceOptions } from './mark.ts';

/** What of a blob the fence looks at: `await blobClient.getProperties()` fits. */
export interface SeenBlob {
  readonly etag?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** What a write brings itself. */
export interface BlobWriteOptions {
  /** Metadata to write beside the mark. A write replaces all metadata of a blob. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Conditions that must hold too. */
  readonly conditions?: BlobRequestConditions | undefined;
}

/** What to pass to the write of a guarded blob, as its options or, for `setMetadata`, parts of it. */
export interface BlobGuard {
  readonly metadata: Record<string, string>;
  readonly conditions: BlobRequestConditions;
}

/**
 * Conditions and metadata for a write that must fail if the blob has seen a higher fencing token,
 * and after which the blob remembers this one. Checked here on the version that was read, and by
 * Azure that it is still that version, in the same operation as the write.
 *
 * Sends nothing. One blob is one resource.
 *
 * @param seen - The blob as it was read right before; `undefined` if there is none.
 * @param fencingToken - `leadership.fencingToken`.
 * @throws `StaleTokenError` if `seen` has a higher token.
 * @throws `LeaseRecordInvalidError` if what `seen` has in its place is no token.
 * @throws `TypeError` if `options` write the mark themselves or name another version in `ifMatch`, or
 *   `seen` has no entity tag.
 * @throws `TypeError` or `RangeError` if `fencingToken` is no positive safe integer.
 */
export function fencedBlob(
  seen: SeenBlob | undefined,
  fencingToken: number,
  options: BlobWriteOptions & BlobFenceOptions = {},
): BlobGuard {
  const own = options.conditions?.ifMatch;
  if (own !== undefined && own !== '*' && seen?.etag !== undefined && own !== seen.etag) {
    throw new TypeError(
      `conditions.ifMatch must be the etag of the blob that was read, got another: its mark was not looked at`,
    );
  }
  return guardOf(seen, fencingToken, options);
}

/**
 * As {@link fencedBlob}, for a caller's `ifMatch` that is older than `seen`: if it is another version,
 * the blob has changed since, and Azure refuses the write.
 */
export function guardOf(
  seen: SeenBlob | undefined,
  fencingToken: number,
  options: BlobWriteOptions & BlobFenceOptions,
): BlobGuard {
  requireToken('fencingToken', fencingToken);
  const tokenKey = resolveTokenKey(options);
  const { metadata = {}, conditions = {} } = options;
  if (Object.keys(metadata).some((name) => name.toLowerCase() === tokenKey)) {
    throw new TypeError(
      `metadata must not have ${tokenKey}, which keeps the fencing token: leave it out, or choose another tokenKey`,
    );
  }
  requireNotStale(seen, fencingToken, tokenKey);
  return {
    metadata: { ...metadata, [tokenKey]: String(fencingToken) },
    // The version that was looked at outranks what the caller brings: '*' would switch the fence off.
    conditions: {
      ...conditions,
      ...versionOf(seen),
      ...(conditions.ifMatch === undefined || conditions.ifMatch === '*'
        ? {}
        : { ifMatch: conditions.ifMatch }),
    },
  };
}

function requireNotStale(seen: SeenBlob | undefined, fencingToken: number, tokenKey: string): void {
  const highestToken = markIn(seen?.metadata ?? {}, tokenKey);
  if (highestToken === undefined) {
    throw new LeaseRecordInvalidError('malformed', `metadata ${tokenKey} is no fencing token`, {
      store: 'azure-blob',
    });
  }
  if (highestToken > fencingToken) {
    throw new StaleTokenError(
      `fencing token ${fencingToken} is stale: the blob has seen ${highestToken}`,
      { store: 'azure-blob', fencingToken, highestToken },
    );
  }
}

/** The condition that the blob is what was seen. */
function versionOf(seen: SeenBlob | undefined): BlobRequestConditions {
  if (seen === undefined) {
    return { ifNoneMatch: '*' };
  }
  if (seen.etag === undefined) {
    throw new TypeError(
      'a blob that was read has an etag, got none: pass undefined if there is none',
    );
  }
  return { ifMatch: seen.etag };
}
