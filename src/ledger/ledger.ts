import type { Leadership } from '../core/leadership.ts';

/** What `once` is to do at most once, and for whom. */
export interface OnceOptions {
  /**
   * What the effect is for, such as `['billing', customerId, period]`. Strings that are not empty,
   * at most 1 KiB of JSON. Says nothing about the attempt: a successor must come to the same key.
   */
  readonly key: readonly string[];
  /** The term that makes the effect. */
  readonly leadership: Pick<Leadership, 'fencingToken' | 'assertLeader'>;
  /** What is asked of the downstream, as JSON. Only its hash is kept. */
  readonly request: unknown;
  /**
   * How long the downstream promises to honour an idempotency key, in milliseconds of wall time: as
   * long as that, less one hour, an attempt whose outcome is unknown is repeated. 0 for never, else
   * more than one hour.
   */
  readonly keyHonouredForMs: number;
}

/** What the downstream decided. Both are final: the effect is never asked for again. */
export interface EffectOutcome {
  readonly status: 'done' | 'declined';
  /** JSON to keep, such as the id of the charge; at most 2 KiB. */
  readonly result?: unknown;
}

/**
 * Makes the effect, and resolves when the downstream has answered. Sends its request at once, before
 * any `await`. It is given no signal on purpose, and asks the leadership for none: once sent, only the
 * answer says what happened. A rejection of any kind means that nobody knows; an effect that can
 * prove that nothing was sent rejects with a `NotSentError`.
 *
 * A rejection is not seen if a newer attempt has settled the entry meanwhile. So an effect that makes
 * a fenced write should keep its `StaleTokenError`, to be thrown again after `once`.
 */
export type Effect = (context: {
  /** The same for each attempt under the key: a UUID. */
  readonly idempotencyKey: string;
}) => Promise<EffectOutcome>;

/**
 * What `once` found or brought about. `result` is what was stored with the entry, as JSON.
 * `unknown` is left for later attempts while the key is honoured, and then for a person; `error` is
 * the rejection of the effect, if this call made one.
 */
export type OnceOutcome =
  | { readonly status: 'done' | 'declined'; readonly result: unknown }
  | { readonly status: 'unknown'; readonly entry: LedgerEntry; readonly error?: unknown };

/** One effect, as it stands in the ledger. */
export interface LedgerEntry {
  readonly key: readonly string[];
  /** What the downstream was, or will be, told: by it a person finds the effect there. */
  readonly idempotencyKey: string;
  /** `pending`: an attempt is under way, or its process died. `unknown`: nobody knows. */
  readonly state: 'pending' | 'unknown' | 'done' | 'declined';
  /** Start of the first attempt that may have taken effect, in wall-clock milliseconds. */
  readonly firstAttemptMs: number;
  /** The highest fencing token of those who have written here. */
  readonly fencingToken: number;
  /** SHA-256 of the request, in hexadecimal. */
  readonly requestHash: string;
  /** JSON that the effect left; `undefined` unless settled. */
  readonly result: unknown;
  /** Which state of the entry this is. */
  readonly version: string;
}

/** What a person found out about an entry. */
export interface Finding {
  readonly status: 'done' | 'declined';
  /** JSON to keep; at most 2 KiB. */
  readonly result?: unknown;
}

/** `found` is what stands there instead; `undefined` if each attempt was taken back. */
export type ReconcileResult =
  | { readonly reconciled: true; readonly entry: LedgerEntry }
  | { readonly reconciled: false; readonly found: LedgerEntry | undefined };

/** Effects on a downstream that cannot check fencing tokens, each kept on record. */
export interface Ledger {
  /**
   * Makes an effect once, or returns what it came to. An attempt whose outcome is not known is
   * repeated under the same idempotency key, as long as the downstream honours it.
   *
   * Right before the effect is called, and in the same stretch of code, `leadership.assertLeader()`
   * is called and the age of the first attempt is checked; if either fails, nothing is sent and the
   * entry returns to what it was.
   *
   * Concurrent calls under one key share the first one's effect. An attempt that is answered late
   * settles its entry only while no newer attempt has begun.
   *
   * @throws what `leadership.assertLeader()` throws, and `StaleTokenError` if a later term has
   *   written to the entry.
   * @throws `LedgerRequestChangedError` if the entry is for another request.
   * @throws `NotSentError` as the effect did, or because the window closed before the effect.
   * @throws `StoreUnavailableError`, `OutcomeUnknownError`, `StoreRejectedError` of the store. If the
   *   effect was made before, its outcome is recorded by the next call under this key in this
   *   process; other processes find the entry `pending`.
   * @throws `LedgerEntryInvalidError` if what is stored is no entry of this key.
   * @throws `TypeError` or `RangeError` for options that do not fit. If the outcome of the effect does
   *   not fit, also that, after the entry was made `done` or `declined` without a result, or
   *   `unknown` if not even the status is clear.
   */
  once(options: OnceOptions, effect: Effect): Promise<OnceOutcome>;
  /**
   * The entries that are `pending` or `unknown`, in no order. Reads the whole ledger, page by page:
   * for people and for a sweep now and then, not for each tick.
   *
   * @throws `StoreUnavailableError`, `StoreRejectedError`, or the reason of `signal`.
   * @throws `LedgerEntryInvalidError` at the end, after all others, if one is not valid; several in an
   *   `AggregateError`.
   */
  unfinished(options?: { readonly signal?: AbortSignal }): AsyncIterable<LedgerEntry>;
  /**
   * Settles an unfinished entry for good, with what a person found out at the downstream. Applies
   * only to the very state of the entry that was looked at; the same finding again is no conflict.
   *
   * A `pending` entry may have its attempt still under way, whose outcome is then ignored: let the
   * run end first.
   *
   * @throws `TypeError` or `RangeError` if the finding does not fit; otherwise as `unfinished`, and
   *   `OutcomeUnknownError` if it may have been applied.
   */
  reconcile(entry: LedgerEntry, finding: Finding): Promise<ReconcileResult>;
}
