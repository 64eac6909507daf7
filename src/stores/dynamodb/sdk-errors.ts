/**
 * What an error of the AWS SDK says. Guards compare names and not classes, because a bundle may
 * hold two copies of the SDK.
 *
 * @module
 */
import type { StoredItem } from './attributes.ts';

/** The SDK's name for an error, such as `ResourceNotFoundException`; empty for other values. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Status of DynamoDB's answer; `undefined` if there was none. */
export function statusOf(error: unknown): number | undefined {
  return numberIn(metadataOf(error), 'httpStatusCode');
}

/** Whether the request was sent once at most. An error without a count arose before that. */
export function isFirstAttempt(error: unknown): boolean {
  return (numberIn(metadataOf(error), 'attempts') ?? 1) === 1;
}

/** Whether the condition of a write did not hold; `Item` is what is stored, where a server says. */
export function isFailedCondition(error: unknown): error is Error & { readonly Item?: StoredItem } {
  return nameOf(error) === 'ConditionalCheckFailedException';
}

/** Whether the table does not exist or is not active yet. */
export function isTableMissing(error: unknown): boolean {
  return nameOf(error) === 'ResourceNotFoundException';
}

/** Whether the client cannot prove who it is. */
export function isUnauthenticated(error: unknown): boolean {
  return authenticationErrors.has(nameOf(error));
}

/** Whether a permission is lacking; a proxy or firewall may say so without a known name. */
export function isDenied(error: unknown): boolean {
  const status = statusOf(error);
  return (
    nameOf(error) === 'AccessDeniedException' ||
    (!isUnauthenticated(error) && (status === 401 || status === 403))
  );
}

/** Whether the request was not even started on, and may succeed later. */
export function isTurnedAway(error: unknown): boolean {
  return turnedAwayErrors.has(nameOf(error)) || neverConnected(error);
}

/** Whether the answer blames the request, so that the same request would fail again. */
export function isRefused(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  // 408 and 429 say "later", not "no".
  const blamesRequest = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return blamesRequest && !turnedAwayErrors.has(nameOf(error));
}

const authenticationErrors: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredTokenException',
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'TokenProviderError',
  'UnrecognizedClientException',
]);

const turnedAwayErrors: ReadonlySet<string> = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
]);

/** Whether no connection came about, so that nothing can have been sent. */
function neverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every(neverConnected);
  }
  return (
    error instanceof Error &&
    'syscall' in error &&
    (error.syscall === 'connect' || error.syscall === 'getaddrinfo')
  );
}

function metadataOf(error: unknown): unknown {
  return error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
}

function numberIn(value: unknown, key: string): number | undefined {
  const found: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === 'number' ? found : undefined;
}
