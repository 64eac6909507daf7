import type { Omission } from './options.ts';

/** What the runner tells a scheduler process, as JSON in its first argument. */
export interface SchedulerSettings {
  /** A letter; the scheduler's identity in the election. */
  readonly identity: string;
  readonly customersFile: string;
  /** `YYYY-MM`. */
  readonly period: string;
  readonly gatewayEndpoint: string;
  /** Must exceed the longest freeze. */
  readonly gatewayTimeoutMs: number;
  readonly storeEndpoint: string;
  readonly leaseTable: string;
  readonly chargesTable: string;
  readonly leaseMs: number;
  /** Token of the first term. */
  readonly firstToken: number;
  readonly without?: Omission;
}
