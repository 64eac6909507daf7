/**
 * For tests: of code that leads, and of stores: `import { ManualClock } from 'tenure/testing'`.
 *
 * @module
 */
export {
  seededFaults,
  type FaultDecision,
  type FaultScript,
  type SeededFaultOptions,
  type StoreFault,
  type StoreOperation,
  type StoreRequest,
} from './faults.ts';
export type { FaultOptions, FaultyCall } from './faulty-network.ts';
export { faultyLeaseStore, faultyRecordStore, type Faulty } from './faulty-stores.ts';
export { ManualClock, type ManualClockOptions } from './manual-clock.ts';
export {
  testLeadership,
  type TestLeadership,
  type TestLeadershipOptions,
} from './test-leadership.ts';
export { leaseStoreSuite } from './lease-store-suite/lease-store-suite.ts';
export type { LeaseStoreSuiteOptions, RawLease, TestApi } from './lease-store-suite/suite-case.ts';
export { recordStoreSuite, type RecordStoreSuiteOptions } from './record-store-suite.ts';
