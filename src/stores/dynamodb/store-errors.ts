import {
  isTenureError,
  OutcomeUnknownError,
  StoreRejectedError,
  StoreUnavailableError,
  type TenureError,
} from '../../core/errors.ts';
import {
  isDenied,
  isFirstAttempt,
  isRefused,
  isTableMissing,
  isTurnedAway,
  isUnauthenticated,
  nameOf,
  statusOf,
} from './sdk-errors.ts';

/** One call of the SDK that failed. */
export interface FailedCall {
  /** DynamoDB's name of the operation, such as `UpdateItem`; also the name of its permission. */
  readonly operation: string;
  readonly tableName: string;
  readonly lease?: string;
  /** Whether the call changes something, so that it matters if it was applied. */
  readonly writes: boolean;
}

/**
 * What an error of the SDK says about a call.
 *
 * The SDK repeats requests by itself and reports only the last error. An answer that would mean
 * "not applied" means it only for a first attempt: an earlier one may have been applied and its
 * reply lost.
 */
export function storeError(cause: unknown, call: FailedCall): TenureError {
  if (isTenureError(cause)) {
    return cause;
  }
  const context = { store: 'dynamodb', lease: call.lease, cause };
  const refusal = refusalOf(cause, call);
  const definite = refusal !== undefined || isTurnedAway(cause);
  if (call.writes && !(definite && isFirstAttempt(cause))) {
    return new OutcomeUnknownError(
      `no usable answer to ${call.operation} (${nameOf(cause)}); it may have been applied`,
      context,
    );
  }
  return refusal === undefined
    ? new StoreUnavailableError(`no usable answer to ${call.operation} (${nameOf(cause)})`, context)
    : new StoreRejectedError(refusal, context);
}

/** What is missing and the remedy, for an error that the same call would meet again. */
function refusalOf(error: unknown, { operation, tableName }: FailedCall): string | undefined {
  if (isTableMissing(error)) {
    return `there is no active table ${tableName} in the client's account and Region; create it with createLeaseTable, or correct tableName or the client's region`;
  }
  if (isUnauthenticated(error)) {
    return `the credentials of the client are missing, expired or not valid (${nameOf(error)}); correct them, or the client's region or the machine's clock`;
  }
  if (isDenied(error)) {
    return `the client may not call dynamodb:${operation} on table ${tableName}; allow this action in the policy of its role`;
  }
  if (saysAbout(error, keyMismatch)) {
    return `the keys of table ${tableName} are not the configured ones; set partitionKey and sortKey to its key schema, with keys of type string`;
  }
  if (saysAbout(error, /region is missing/i)) {
    return 'the client has no region; make it with one';
  }
  return isRefused(error)
    ? `DynamoDB refuses ${operation} on table ${tableName} (${nameOf(error)}, HTTP status ${statusOf(error)}); the cause says why`
    : undefined;
}

/** How DynamoDB and DynamoDB Local put it that a key does not fit the table. */
const keyMismatch =
  /key element does not match|conditions on the keys|type mismatch for key|missing the key/i;

function saysAbout(error: unknown, words: RegExp): boolean {
  return error instanceof Error && words.test(error.message);
}
