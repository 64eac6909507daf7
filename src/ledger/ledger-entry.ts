import type { LedgerEntry } from './ledger.ts';
import { idempotencyKeyOf } from './ledger-key.ts';
import type { StoredEntry } from './ledger-store.ts';
import { firstTriedMs } from './transitions.ts';

/** A stored record as callers see it; `undefined` if each attempt was taken back. */
export function entryOf({ record, version }: StoredEntry): LedgerEntry | undefined {
  const { fencingToken, key, requestHash, result, state } = record;
  const firstAttemptMs = firstTriedMs(record);
  if (state === 'untried' || firstAttemptMs === undefined) {
    return undefined;
  }
  const idempotencyKey = idempotencyKeyOf(key);
  return { key, idempotencyKey, state, firstAttemptMs, fencingToken, requestHash, result, version };
}
