import { randomUUID } from 'node:crypto';
import { idempotencyKeyOf, type LedgerRecord, type LedgerWrite } from '../../src/ledger/index.ts';

/** A key that no other test has. */
export function newKey(): string[] {
  return ['billing', `c-${randomUUID()}`, '2026-10'];
}

/** A record whose only attempt is under way. */
export function pendingRecord(
  key: readonly string[],
  changes: Partial<LedgerRecord> = {},
): LedgerRecord {
  const attempt = { attemptId: randomUUID(), fencingToken: 33, startedMs: 1_767_225_600_000 };
  return {
    key,
    state: 'pending',
    requestHash: 'a'.repeat(64),
    fencingToken: 33,
    attempts: [{ ...attempt, replaced: 'untried', open: true }],
    triedSinceMs: undefined,
    result: undefined,
    ...changes,
  };
}

/** The same record, settled. */
export function doneRecord(key: readonly string[], result: unknown): LedgerRecord {
  const triedSinceMs = 1_767_225_600_000;
  return pendingRecord(key, { state: 'done', attempts: [], triedSinceMs, result });
}

/** A new write. */
export function writeOf(record: LedgerRecord, replaces?: string): LedgerWrite {
  return { writeId: randomUUID(), record, replaces };
}

/** Under what a record is stored. */
export function idOf(record: LedgerRecord): string {
  return idempotencyKeyOf(record.key);
}
