/**
 * What an error of the Azure SDK says about a guarded write. Decided by status and code, never by
 * class: a bundle may hold two copies of the SDK.
 *
 * @module
 */

/** Whether a condition of a write did not hold; not if it is the lease of the blob that forbids it. */
export function isFailedCondition(error: unknown): boolean {
  const code = codeOf(error);
  return statusOf(error) === 412
    ? !code.startsWith('Lease')
    : statusOf(error) === 409 && code === 'BlobAlreadyExists';
}

/** Whether there is no such blob. */
export function isBlobMissing(error: unknown): boolean {
  return statusOf(error) === 404 && codeOf(error) !== 'ContainerNotFound';
}

function statusOf(error: unknown): unknown {
  return fieldOf(error, 'statusCode');
}

/** Azure's code. The answer to a HEAD has no body, so the header counts. */
function codeOf(error: unknown): string {
  const headers = fieldOf(fieldOf(error, 'response'), 'headers');
  const header: unknown = isHeaders(headers) ? headers.get('x-ms-error-code') : undefined;
  const code = header ?? fieldOf(error, 'code');
  return typeof code === 'string' ? code : '';
}

function isHeaders(value: unknown): value is { get(name: string): unknown } {
  return typeof fieldOf(value, 'get') === 'function';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
