/**
 * Effects on a downstream that cannot check fencing tokens, each at most once:
 * `import { createLedger } from 'tenure/ledger'`. The stores are in `tenure/dynamodb` and
 * `tenure/azure-blob`.
 *
 * @module
 */
export { createLedger, type LedgerOptions } from './create-ledger.ts';
export type {
  Effect,
  EffectOutcome,
  Finding,
  Ledger,
  LedgerEntry,
  OnceOptions,
  OnceOutcome,
  ReconcileResult,
} from './ledger.ts';
export { idempotencyKeyOf } from './ledger-key.ts';
export type {
  Attempt,
  LedgerPage,
  LedgerRecord,
  LedgerStore,
  LedgerWrite,
  LedgerWriteResult,
  StoredEntry,
} from './ledger-store.ts';
export { memoryLedgerStore } from './memory.ts';
export { NotSentError } from './not-sent-error.ts';
