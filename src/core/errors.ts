/**
 * Everything this library throws on purpose, except `TypeError` and `RangeError` for misuse.
 *
 * Codes are part of the API and change only in a major version; messages are for people and may
 * change at any time. No message holds credentials or the contents of a record.
 *
 * @module
 */

/** Stable discriminant of a {@link TenureError}. */
export type TenureErrorCode =
  | 'BUDGET_SPENT'
  | 'LEASE_LOST'
  | 'LEASE_RECORD_INVALID'
  | 'OUTCOME_UNKNOWN'
  | 'STALE_TOKEN'
  | 'STORE_REJECTED'
  | 'STORE_UNAVAILABLE';

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
  abstract readonly code: TenureErrorCode;
  /** Whether the same call may succeed later without anyone changing anything. */
  abstract readonly retryable: boolean;
  readonly lease: string | undefined;
  readonly store: string;

  constructor(message: string, context: ErrorContext) {
    const place = context.lease === undefined ? context.store : `${context.store}:${context.lease}`;
    super(`${message} [${place}]`, 'cause' in context ? { cause: context.cause } : undefined);
    this.name = new.target.name;
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

/** The time that the caller allotted is used up; what was done so far is saved. */
export class BudgetSpentError extends TenureError {
  readonly code = 'BUDGET_SPENT';
  readonly retryable = true;
}

/** The store could not be reached or shed load. Nothing was written. */
export class StoreUnavailableError extends TenureError {
  readonly code = 'STORE_UNAVAILABLE';
  readonly retryable = true;
}

/** A write was sent and no usable answer came: it may or may not have been applied. */
export class OutcomeUnknownError extends TenureError {
  readonly code = 'OUTCOME_UNKNOWN';
  readonly retryable = true;
}

/** The store refused: no such table, no permission, invalid request. */
export class StoreRejectedError extends TenureError {
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

/** A guarded resource has seen a higher token: the writer is a leader no longer. */
export class StaleTokenError extends TenureError {
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
  | OutcomeUnknownError
  | StaleTokenError
  | StoreRejectedError
  | StoreUnavailableError;

const codes: ReadonlySet<unknown> = new Set<TenureErrorCode>([
  'BUDGET_SPENT',
  'LEASE_LOST',
  'LEASE_RECORD_INVALID',
  'OUTCOME_UNKNOWN',
  'STALE_TOKEN',
  'STORE_REJECTED',
  'STORE_UNAVAILABLE',
]);

/**
 * Whether `value` is an error of this library. Compares the code and not the constructor, so it
 * also holds when two copies of the library are loaded.
 */
export function isTenureError(value: unknown): value is AnyTenureError {
  return value instanceof Error && 'code' in value && codes.has(value.code);
}

/**
 * Whether `error` says that this process must stop leading: a {@link LeaseLostError},
 * {@link BudgetSpentError} or {@link StaleTokenError}, also as a `cause`.
 *
 * For catch blocks that handle the failure of one item and must let this through.
 */
export function isLeadershipOver(error: unknown): boolean {
  return causes(error).some(
    (link) =>
      isTenureError(link) &&
      (link.code === 'LEASE_LOST' || link.code === 'BUDGET_SPENT' || link.code === 'STALE_TOKEN'),
  );
}

/** An error and its causes, outermost first. Ends at a cycle. */
export function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && !chain.includes(link);) {
    chain.push(link);
    link = link instanceof Error ? link.cause : undefined;
  }
  return chain;
}
