import type { StoreAccess } from './demo-store.ts';
import type { Omission, StoreName } from './options.ts';

/** Name of the environment variable that carries the settings: arguments are for all to see. */
export const settingsVariable = 'BILLING_SCHEDULER_SETTINGS';

/** What the runner tells a scheduler process, as JSON. */
export interface SchedulerSettings {
  /** A letter; the scheduler's identity in the election. */
  readonly identity: string;
  readonly customersFile: string;
  /** `YYYY-MM`. */
  readonly period: string;
  readonly gatewayEndpoint: string;
  /** Must exceed the longest freeze. */
  readonly gatewayTimeoutMs: number;
  readonly store: StoreName;
  readonly access: StoreAccess;
  readonly leaseMs: number;
  /** Token of the first term. */
  readonly firstToken: number;
  readonly without?: Omission;
}
