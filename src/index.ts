/**
 * Leader election by leases, with fencing tokens.
 *
 * @module
 */
export type { Budget } from './core/budget.ts';
export type { Clock } from './core/clock.ts';
export { createElection } from './core/create-election.ts';
export type {
  Election,
  ElectionOptions,
  LeadOptions,
  SignalOptions,
  Wait,
} from './core/election.ts';
export {
  BudgetSpentError,
  isLeadershipOver,
  isTenureError,
  LeaseLostError,
  LeaseRecordInvalidError,
  LedgerEntryInvalidError,
  LedgerRequestChangedError,
  OutcomeUnknownError,
  StaleTokenError,
  StoreRejectedError,
  StoreUnavailableError,
  TenureError,
  type AnyTenureError,
  type ErrorContext,
  type LossReason,
  type TenureErrorCode,
} from './core/errors.ts';
export type { Leadership, Work } from './core/leadership.ts';
export type {
  AcquireResult,
  Bid,
  HeldLease,
  LeaseRecord,
  LeaseStore,
  CheckpointWrite,
  Look,
  PastTerm,
  ReleaseResult,
  RenewCall,
  RenewResult,
  StoreCall,
  StoreLimits,
  TextWrite,
} from './core/lease-store.ts';
export type { ElectionEvent, ElectionObserver } from './core/observer.ts';
export type { LeaderView, Outcome } from './core/outcome.ts';
export { recordLeaseStore } from './core/record-lease.ts';
export type {
  RecordStore,
  RecordWrite,
  RecordWriteResult,
  StoredRecord,
} from './core/record-store.ts';
export { explainTiming, type TimingExplanation, type TimingOptions } from './core/timing.ts';
