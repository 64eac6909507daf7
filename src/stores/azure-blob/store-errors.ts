import {
  isTenureError,
  OutcomeUnknownError,
  StoreRejectedError,
  StoreUnavailableError,
  type TenureError,
} from '../../core/errors.ts';
import {
  codeOf,
  isDenied,
  isRefused,
  isUnauthenticated,
  refusalOf,
  statusOf,
} from './sdk-errors.ts';

/** Name of the store in errors. */
export const storeName = 'azure-blob';

/** One call of the SDK that failed. */
export interface FailedCall {
  /** Azure's name of the operation, such as `Lease Blob`. */
  readonly operation: string;
  readonly containerName: string;
  readonly lease?: string;
  /** Whether the call changes something, so that it matters if it was applied. */
  readonly writes: boolean;
}

/**
 * What an error of the SDK says about a call.
 *
 * The SDK repeats requests by itself and does not say how often. So without a refusal a write may
 * have been applied, even if the last answer was that the service is busy.
 */
export function storeError(cause: unknown, call: FailedCall): TenureError {
  if (isTenureError(cause)) {
    return cause;
  }
  const context = { store: storeName, lease: call.lease, cause };
  const refusal = remedyFor(cause, call);
  if (refusal !== undefined) {
    return new StoreRejectedError(refusal, context);
  }
  return call.writes
    ? new OutcomeUnknownError(
        `no usable answer to ${call.operation} (${codeOf(cause) ?? 'no code'}); it may have been applied`,
        context,
      )
    : new StoreUnavailableError(
        `no usable answer to ${call.operation} (${codeOf(cause) ?? 'no code'})`,
        context,
      );
}

/** What is missing and the remedy, for an error that the same call would meet again. */
function remedyFor(error: unknown, call: FailedCall): string | undefined {
  const { operation, containerName } = call;
  if (refusalOf(error) === 'no-container') {
    // One that is being deleted can be created again later.
    return statusOf(error) === 404
      ? `there is no container ${containerName} in the client's account; create it with createLeaseContainer, or correct its name or the account`
      : undefined;
  }
  if (isUnauthenticated(error)) {
    return `the credentials of the client are missing, expired or not valid (${codeOf(error) ?? 'no code'}); correct them, or the machine's clock`;
  }
  if (isDenied(error)) {
    const rights = operation === 'List Blobs' ? 'rwl' : 'rw';
    return `the client may not do ${operation} in container ${containerName} (${codeOf(error) ?? 'no code'}); it needs the role Storage Blob Data Contributor or a SAS with the rights ${rights}, and a way through the account's firewall; a new role takes minutes to count`;
  }
  return isRefused(error)
    ? `Azure refuses ${operation} in container ${containerName} (${codeOf(error) ?? 'no code'}, HTTP status ${statusOf(error)}); the cause says why`
    : undefined;
}
