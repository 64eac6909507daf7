/**
 * What an error of the Azure SDK says. Decided by status and a few codes, never by a message or a
 * class: codes vary with the state of the blob, and a bundle may hold two copies of the SDK.
 *
 * @module
 */

/**
 * An answer that says that a request was not applied, and why:
 *
 * - `absent`: there is no such blob.
 * - `no-container`: there is no such container, or it is being deleted.
 * - `exists`: there is such a blob.
 * - `changed`: the blob is not the version that the request names.
 * - `not-held`: the lease is not held by the lease id of the request; another may hold it.
 */
export type Refusal = 'absent' | 'no-container' | 'exists' | 'changed' | 'not-held';

/** What an answer refuses; `undefined` if it is no such answer. */
export function refusalOf(error: unknown): Refusal | undefined {
  const code = codeOf(error);
  if (code === undefined) {
    // An answer without a code is not the service's.
    return undefined;
  }
  switch (statusOf(error)) {
    case 404:
      // Others, such as SoftDeletedBlobNotFound, are about the blob.
      return code === 'ContainerNotFound' ? 'no-container' : 'absent';
    case 409:
      if (code === 'ContainerBeingDeleted') {
        return 'no-container';
      }
      if (code === 'BlobAlreadyExists') {
        return 'exists';
      }
      return code.startsWith('Lease') ? 'not-held' : undefined;
    case 412:
      return code.startsWith('Lease') ? 'not-held' : 'changed';
    default:
      return undefined;
  }
}

/** Status of the service's answer; `undefined` if there was none. */
export function statusOf(error: unknown): number | undefined {
  const status = fieldOf(error, 'statusCode');
  return typeof status === 'number' ? status : undefined;
}

/** Azure's code for an error. The answer to a HEAD has no body, so the header counts. */
export function codeOf(error: unknown): string | undefined {
  const headers = fieldOf(fieldOf(error, 'response'), 'headers');
  const header: unknown = isHeaders(headers) && headers.get('x-ms-error-code');
  const code = typeof header === 'string' ? header : fieldOf(error, 'code');
  return typeof code === 'string' && code !== '' ? code : undefined;
}

/** Whether the client cannot prove who it is. */
export function isUnauthenticated(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return (
    statusOf(error) === 401 ||
    (statusOf(error) === 403 && (codeOf(error) ?? '').startsWith('Authentication')) ||
    name === 'CredentialUnavailableError' ||
    name === 'AuthenticationRequiredError'
  );
}

/** Whether a permission is lacking, or the account's firewall is in the way. */
export function isDenied(error: unknown): boolean {
  return statusOf(error) === 403 && !isUnauthenticated(error);
}

/** Whether the answer blames the request or the blob, so that the same request would fail again. */
export function isRefused(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  if (status === 409) {
    return permanentConflicts.has(codeOf(error) ?? '');
  }
  // 408 and 429 say "later", not "no"; and an absence without a code is not the service's to tell.
  const isVague =
    status === 408 || status === 429 || (status === 404 && codeOf(error) === undefined);
  return status >= 400 && status < 500 && !isVague;
}

/** Of the conflicts, most of which pass. */
const permanentConflicts: ReadonlySet<string> = new Set([
  'BlobArchived',
  'BlobImmutableDueToPolicy',
  'InvalidBlobType',
]);

function isHeaders(value: unknown): value is { get(name: string): unknown } {
  return (
    typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function'
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
