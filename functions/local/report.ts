import type { LedgerEntry } from 'tenure/ledger';
import { periodOf } from '../billing/charge-key.ts';
import type { Customer } from '../billing/customers.ts';
import type { StoredCharge } from './demo-store.ts';
import type { Fault, Omission, RunOptions } from './options.ts';
import type { GatewayRecords } from './payment-gateway.ts';
import type { AuditResult } from './store-audit.ts';

/** The outcome of a run, from the records of gateway and store and from the proxy's view. */
export interface RunReport extends AuditResult {
  readonly store: string;
  readonly period: string;
  readonly schedulers: number;
  readonly fault: Fault;
  readonly without: Omission | null;
  readonly gateway: RunOptions['gateway'];
  readonly leaseDurationMs: number;
  /** How many customers there are. */
  readonly customers: number;
  /** Customers who were charged at least once. */
  readonly charged: number;
  /** Customers who were charged more than once. */
  readonly chargedTwice: number;
  /** Customers without a charge, or without a row that says so. */
  readonly missed: number;
  /** Entries of the period in the ledger that are pending or unknown. */
  readonly unknown: number;
  /** Charges that the gateway made, over all customers. */
  readonly charges: number;
  readonly gatewayRequests: number;
  readonly repeatedRequests: number;
  /** What did not go as told; empty if the story is complete. */
  readonly problems: readonly string[];
}

/** Records of one run. */
export interface RunRecords {
  readonly customers: readonly Customer[];
  readonly gateway: GatewayRecords;
  readonly rows: readonly StoredCharge[];
  /** What the ledger has unfinished. */
  readonly unfinished: readonly Pick<LedgerEntry, 'key'>[];
  readonly audit: AuditResult;
  readonly problems: readonly string[];
}

/** Counts what the records show. */
export function reportOf(options: RunOptions, records: RunRecords): RunReport {
  const { customers, gateway, rows, unfinished, audit, problems } = records;
  const chargesOf = new Map<string, number>();
  for (const { customerId, period } of gateway.charges) {
    if (period === options.period) {
      chargesOf.set(customerId, (chargesOf.get(customerId) ?? 0) + 1);
    }
  }
  const recorded = new Set(
    rows.filter(({ period }) => period === options.period).map(({ customerId }) => customerId),
  );
  const counts = customers.map(({ id }) => chargesOf.get(id) ?? 0);
  return {
    store: options.store,
    period: options.period,
    schedulers: options.schedulers,
    fault: options.fault,
    without: options.without ?? null,
    gateway: options.gateway,
    leaseDurationMs: options.leaseMs,
    customers: customers.length,
    charged: counts.filter((count) => count > 0).length,
    chargedTwice: counts.filter((count) => count > 1).length,
    missed: customers.filter(({ id }) => !chargesOf.has(id) || !recorded.has(id)).length,
    unknown: unfinished.filter(({ key }) => periodOf(key) === options.period).length,
    charges: gateway.charges.length,
    gatewayRequests: gateway.requests,
    repeatedRequests: gateway.repeatedRequests,
    ...audit,
    problems,
  };
}

/** Whether the run showed what it is there to show. */
export function isSuccess(report: RunReport): boolean {
  const { chargedTwice, missed, unknown, staleWritesAccepted, problems } = report;
  return chargedTwice + missed + unknown + staleWritesAccepted + problems.length === 0;
}

/** The closing table, and one sentence that says what it means. */
export function closingTable(report: RunReport): string {
  const { leaseDurationMs, failoverMs, terms, problems, lateCreations } = report;
  const failover = failoverMs === null ? 'none' : `${failoverMs} ms (lease ${leaseDurationMs} ms)`;
  const lines = [
    ['customers', report.customers],
    ['charged', report.charged],
    ['charged twice', report.chargedTwice],
    ['missed', report.missed],
    ['unknown to the ledger', report.unknown],
    ['requests to the gateway', report.gatewayRequests],
    ['  of these repeated', report.repeatedRequests],
    ['stale writes rejected', report.staleWritesRejected],
    ['stale writes accepted', report.staleWritesAccepted],
    ...(lateCreations > 0 ? [['late creations', `${lateCreations} (no failure, see above)`]] : []),
    ['failover', failover],
    ...terms.map(({ scheduler, fencingToken, endedBy }) => [
      `term ${fencingToken}`,
      `${scheduler}, ${endedBy}`,
    ]),
    ...problems.map((problem) => ['problem', problem]),
  ];
  const table = lines.map(([name, value]) => `  ${String(name).padEnd(26)}${value}`);
  return [...table, '', verdict(report)].join('\n');
}

function verdict(report: RunReport): string {
  if (isSuccess(report)) {
    return 'Every customer was charged exactly once.';
  }
  const { charges, charged, chargedTwice, missed, unknown, staleWritesAccepted } = report;
  const faults = [
    chargedTwice > 0 &&
      `${chargedTwice} customers were charged more than once (${charges} charges for ${charged} customers)`,
    missed > 0 && `${missed} customers were missed`,
    unknown > 0 && `${unknown} customers may have been charged or not`,
    staleWritesAccepted > 0 && `${staleWritesAccepted} stale writes were accepted`,
    report.problems.length > 0 && 'the story did not come to its end',
  ].filter((fault) => fault !== false);
  return `FAILED: ${faults.join('; ')}.`;
}
