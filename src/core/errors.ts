/**
 * Everything this library throws on purpose, except `TypeError` and `RangeError` for misuse.
 *
 * Codes are part of the API and change only in a major version; messages are for people and may
 * change at any time. No message holds credentials or the contents of a record.
 *
 * @module
 */

const codes = [
  'BUDGET_SPENT',
  'LEASE_LOST',
  'LEASE_RECORD_INVALID',
  'LEDGER_ENTRY_INVALID',
  'LEDGER_REQUEST_CHANGED',
  'OUTCOME_UNKNOWN',
  'STALE_TOKEN',
  'STORE_REJECTED',
  'STORE_UNAVAILABLE',
] as const;

/** Stable discriminant of a {@link TenureError}. */
export type TenureErrorCode = (typeof codes)[number];

/** Where an error happened. */
export interface ErrorContext {
  /** Name of the lease; absent where a guarded resource rejected a write. */
  readonly lease?: string | undefined;
  /** Name of the store, such as `dynamodb`. */
  readonly store: string;
  /** The error that this one explains. */
  readonly cause?: unknown;
}

/** Base of all errors of this library that are not misuse. */
export abstract class TenureError extends Error {
  /** Name of the class. Written out in each, since a minifier renames classes. */
  abstract override readonly name: string;
  abstract readonly code: TenureErrorCode;
  /** Whether the same call may succeed later without anyone changing anything. */
  abstract readonly retryable: boolean;
  readonly lease: string | undefined;
  readonly store: string;

  constructor(message: string, context: ErrorContext) {
    const place = context.lease === undefined ? context.store : `${context.store}:${context.lease}`;
    super(`${message} [${place}]`, 'cause' in context ? { cause: context.cause } : undefined);
    this.lease = context.lease;
    this.store = context.store;
  }
}

/**
 * Why a leadership is over: `taken-over` (the record is proved to be no longer this term's),
 * `expired` (not renewed before the deadline), `aborted` (by the caller's signal, which is the
 * `cause`), `settled` (the work has returned).
 */
export type LossReason = 'taken-over' | 'expired' | 'aborted' | 'settled';

/** This process no longer leads. */
export class LeaseLostError extends TenureError {
  override readonly name = 'LeaseLostError';
  readonly code = 'LEASE_LOST';
  readonly retryable = false;
  readonly reason: LossReason;
  /** Token of the term that is over. */
  readonly fencingToken: number;

  constructor(
    reason: LossReason,
    message: string,
    context: ErrorContext & { readonly fencingToken: number },
  ) {
    super(message, context);
    this.reason = reason;
    this.fencingToken = context.fencingToken;
  }
}

/** The time that the caller allotted is used up. What was done is saved if the store answers. */
export class BudgetSpentError extends TenureError {
  override readonly name = 'BudgetSpentError';
  readonly code = 'BUDGET_SPENT';
  readonly retryable = true;
}

/** The store could not be reached or shed load. Nothing was written. */
export class StoreUnavailableError extends TenureError {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'STORE_UNAVAILABLE';
  readonly retryable = true;
}

/** A write was sent and no usable answer came: it may or may not have been applied. */
export class OutcomeUnknownError extends TenureError {
  override readonly name = 'OutcomeUnknownError';
  readonly code = 'OUTCOME_UNKNOWN';
  readonly retryable = true;
}

/** The store refused: no such table, no permission, invalid request. */
export class StoreRejectedError extends TenureError {
  override readonly name = 'StoreRejectedError';
  readonly code = 'STORE_REJECTED';
  readonly retryable = false;
}

/**
 * What is stored under this name is no lease record. Never overwritten.
 *
 * `reason` is `malformed`; `token-lost` if only the fencing token is missing; `token-exhausted` if
 * no larger token can be represented.
 */
export class LeaseRecordInvalidError extends TenureError {
  override readonly name = 'LeaseRecordInvalidError';
  readonly code = 'LEASE_RECORD_INVALID';
  readonly retryable = false;
  readonly reason: 'malformed' | 'token-lost' | 'token-exhausted';

  constructor(
    reason: 'malformed' | 'token-lost' | 'token-exhausted',
    message: string,
    context: ErrorContext,
  ) {
    super(message, context);
    this.reason = reason;
  }
}

/** What is stored under this key is no ledger entry, or that of another key. Never overwritten. */
export class LedgerEntryInvalidError extends TenureError {
  override readonly name = 'LedgerEntryInvalidError';
  readonly code = 'LEDGER_ENTRY_INVALID';
  readonly retryable = false;
}

/**
 * The ledger has an entry under this key for another request. Repeating it with changes could have
 * a second effect, or have none and look done; a request that differs needs a key of its own.
 */
export class LedgerRequestChangedError extends TenureError {
  override readonly name = 'LedgerRequestChangedError';
  readonly code = 'LEDGER_REQUEST_CHANGED';
  readonly retryable = false;
}

/** A guarded resource has seen a higher token: the writer is a leader no longer. */
export class StaleTokenError extends TenureError {
  override readonly name = 'StaleTokenError';
  readonly code = 'STALE_TOKEN';
  readonly retryable = false;
  /** The token that was rejected. */
  readonly fencingToken: number;
  /** The highest token that the resource has seen. */
  readonly highestToken: number;

  constructor(
    message: string,
    context: ErrorContext & { readonly fencingToken: number; readonly highestToken: number },
  ) {
    super(message, context);
    this.fencingToken = context.fencingToken;
    this.highestToken = context.highestToken;
  }
}

/** Any error of this library; `switch (error.code)` narrows it. */
export type AnyTenureError =
  | BudgetSpentError
  | LeaseLostError
  | LeaseRecordInvalidError
  | LedgerEntryInvalidError
  | LedgerRequestChangedError
  | OutcomeUnknownError
  | StaleTokenError
  | StoreRejectedError
  | StoreUnavailableError;

/**
 * Whether `value` is an error of this library. Compares the code and not the constructor, so it
 * also holds when two copies of the library are loaded.
 */
export function isTenureError(value: unknown): value is AnyTenureError {
  return codes.some((code) => hasCode(value, code));
}

/** Whether `error` is the error of this library with this code; also one of another copy of it. */
export function hasCode<Code extends TenureErrorCode>(
  error: unknown,
  code: Code,
): error is Extract<AnyTenureError, { readonly code: Code }> {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Whether an error says of itself that the same call may succeed later: its `retryable` is `true`.
 * Of this library's errors those of an outage, of an unknown outcome and of a spent budget say so;
 * what says nothing, such as an error of a client that a store passes on, is not repeated.
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}

/**
 * Whether `error` says that this process must stop leading: a {@link LeaseLostError},
 * {@link BudgetSpentError} or {@link StaleTokenError}, also as a `cause` or in an `AggregateError`.
 *
 * For catch blocks that handle the failure of one item and must let this through.
 */
export function isLeadershipOver(error: unknown): boolean {
  return causes(error).some(
    (link) =>
      hasCode(link, 'LEASE_LOST') || hasCode(link, 'BUDGET_SPENT') || hasCode(link, 'STALE_TOKEN'),
  );
}

/**
 * An error and what is behind it, outermost first: its cause and, of an `AggregateError` such as
 * `Promise.any` rejects with, its members. Names each once, so it ends at a cycle.
 */
export function causes(error: unknown): readonly unknown[] {
  const found = new Set<unknown>();
  const visit = (link: unknown): void => {
    if (link !== undefined && !found.has(link)) {
      found.add(link);
      visit(link instanceof Error ? link.cause : undefined);
      membersOf(link).forEach(visit);
    }
  };
  visit(error);
  return [...found];
}

/** The errors that an `AggregateError` groups; of any other value, none. */
export function membersOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors : [];
}
