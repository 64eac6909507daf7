/**
 * Calls of the runner to the store that end in time, also on a server that takes connections and
 * never answers.
 *
 * @module
 */
import type { Ledger, LedgerEntry } from 'tenure/ledger';
import { messageOf } from '../message-of.ts';

/** How long one call of the runner may take, in milliseconds. */
export const callWithinMs = 5_000;

/** How long it may take to remove what a run has created, in milliseconds. */
export const removeWithinMs = 3_000;

/** An address without its query, which may be a credential. */
export function shownEndpoint(endpoint: string): string {
  return endpoint.split('?')[0] ?? '';
}

/** The store gave no answer in time. */
export class StoreSilentError extends Error {
  override readonly name = 'StoreSilentError';
}

/**
 * Makes one call; `operation` says what it is to do, as in "create the tables".
 *
 * @throws {@link StoreSilentError} if it takes too long, the reason why the run was stopped, and
 *   what the call rejects with.
 */
export type BoundedCall = <Result>(
  operation: string,
  call: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

/** Options of {@link boundedCalls}. */
export interface BoundedCallsOptions {
  /** As it may be shown: without a credential. */
  readonly endpoint: string;
  /** Default {@link callWithinMs}. */
  readonly withinMs?: number;
  /** Ends each call early. */
  readonly stop?: AbortSignal | undefined;
}

/** Bounds every call to one store. */
export function boundedCalls(options: BoundedCallsOptions): BoundedCall {
  const { endpoint, withinMs = callWithinMs, stop } = options;
  return async (operation, call) => {
    const late = new AbortController();
    const text = `the store at ${endpoint} did not answer within ${withinMs} ms: cannot ${operation}`;
    const timer = setTimeout(() => late.abort(new StoreSilentError(text)), withinMs);
    const signal = stop === undefined ? late.signal : AbortSignal.any([stop, late.signal]);
    try {
      signal.throwIfAborted();
      return await untilAborted(call(signal), signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Waits for `work`, but no longer than until `signal` aborts. The work itself goes on.
 *
 * @throws the reason of `signal`, also if the work rejects because of it.
 */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Lists what the ledger has unfinished. The ledger bounds its own requests; a scan of many entries
 * takes as long as it takes.
 *
 * @throws the reason of `stop`; an error that names `endpoint`.
 */
export async function unfinishedIn(
  ledger: Pick<Ledger, 'unfinished'>,
  { endpoint, stop }: Pick<BoundedCallsOptions, 'endpoint' | 'stop'>,
): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  try {
    for await (const entry of ledger.unfinished({ ...(stop && { signal: stop }) })) {
      entries.push(entry);
    }
  } catch (cause) {
    stop?.throwIfAborted();
    const why = messageOf(cause);
    throw new Error(
      `the store at ${endpoint}: cannot list what the ledger has unfinished: ${why}`,
      {
        cause,
      },
    );
  }
  return entries;
}
