/**
 * One scheduler process of the local run: stands for leader, and bills while it leads. This is what
 * a long-lived process of a real system does, with reports to its parent in place of a log.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createElection,
  type Election,
  type ElectionEvent,
  type Leadership,
  type Outcome,
} from 'tenure';
import { createLedger, type Ledger } from 'tenure/ledger';
import { parseBillingProgress, type BillingProgress } from '../billing/billing-progress.ts';
import { isComplete, type BillingSummary } from '../billing/billing-tally.ts';
import { billingWork, type BillingLeadership } from '../billing/billing-work.ts';
import { parseCustomers } from '../billing/customers.ts';
import { httpPaymentGateway } from '../billing/payment-gateway.ts';
import type { SchedulerOptions, SchedulerStores } from './demo-store.ts';
import { leaseName } from './emulator.ts';
import type { SchedulerReport } from './events.ts';
import type { Omission } from './options.ts';
import { settingsVariable, type SchedulerSettings } from './scheduler-settings.ts';
import { storeKinds } from './store-kinds.ts';
import { withoutLedger } from './without-ledger.ts';

type Bill = (leadership: BillingLeadership) => Promise<BillingSummary>;

/** Longest time for which a leader that has nothing to do keeps the lease, in milliseconds. */
const idleAtMostMs = 24 * 60 * 60 * 1_000;

/** What becomes of the fence, by what is left out. */
const fences: Readonly<Record<Omission | 'nothing', SchedulerOptions['fence']>> = {
  nothing: 'checked',
  fence: 'unchecked',
  lease: 'absent',
};

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}
// A scheduler whose runner has died must not go on billing.
const runnerIsGone = (): void => stop.abort(new Error('the runner is gone'));
process.once('disconnect', runnerIsGone);
if (!process.connected) {
  // It died while this process was still loading; nobody heard of it then.
  runnerIsGone();
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own runner
const settings = JSON.parse(process.env[settingsVariable] ?? '') as SchedulerSettings;
try {
  await run();
} catch (error) {
  if (error !== stop.signal.reason) {
    throw error;
  }
} finally {
  // The channel to the runner would keep this process alive.
  if (process.connected) {
    process.disconnect();
  }
}

async function run(): Promise<void> {
  const { customersFile, gatewayEndpoint, gatewayTimeoutMs, leaseMs, period } = settings;
  const fence = fences[settings.without ?? 'nothing'];
  const stores = await storeKinds[settings.store].connect(settings.access, { leaseMs, fence });
  const bill = billingWork({
    customers: parseCustomers(await readFile(customersFile, 'utf8')),
    period,
    ledger: settings.without === 'lease' ? withoutLedger : openLedger(stores),
    gateway: httpPaymentGateway({ endpoint: gatewayEndpoint, timeoutMs: gatewayTimeoutMs }),
    charges: stores.charges,
  });
  if (settings.without === 'lease') {
    await billWithoutLeading(bill);
  } else {
    await standAgainAndAgain(openElection(stores), bill);
  }
}

function openElection({ leases }: SchedulerStores): Election<BillingProgress> {
  const { identity, leaseMs, firstToken } = settings;
  return createElection<BillingProgress>({
    store: leases,
    lease: leaseName,
    identity,
    timing: { leaseDurationMs: leaseMs },
    firstToken,
    parseProgress: parseBillingProgress,
    observer: reportEvent,
  });
}

/** A ledger that gives up well within a lease: what it could not record, a successor settles. */
function openLedger({ ledger: store }: SchedulerStores): Ledger {
  const { leaseMs } = settings;
  return createLedger({ store, requestTimeoutMs: leaseMs / 6, retryForMs: leaseMs / 2 });
}

/** Campaigns until the process is stopped; a work that failed is no reason to stand no more. */
async function standAgainAndAgain(election: Election<BillingProgress>, bill: Bill): Promise<never> {
  for (;;) {
    try {
      await campaign(election, bill);
    } catch (error) {
      stop.signal.throwIfAborted();
      leads = false;
      report({ type: 'gave-up', because: nameOf(error) });
    }
    await sleep(settings.leaseMs / 3, undefined, { signal: stop.signal }).catch(() => {
      stop.signal.throwIfAborted();
    });
  }
}

async function campaign(election: Election<BillingProgress>, bill: Bill): Promise<void> {
  const work = (leadership: Leadership<BillingProgress>): Promise<void> => lead(leadership, bill);
  for await (const outcome of election.campaign(work, { signal: stop.signal })) {
    reportOutcome(outcome);
    leads = false;
    reportFollowed();
  }
}

async function lead(leadership: Leadership<BillingProgress>, bill: Bill): Promise<void> {
  const { settledThrough } = leadership.progress ?? {};
  report({
    type: 'began',
    fencingToken: leadership.fencingToken,
    ...(settledThrough !== undefined && { settledThrough }),
  });
  const summary = await bill(leadership);
  reportSummary(summary);
  if (isComplete(summary)) {
    // Nothing is due before the next period. Whoever kept the lease would lead then, too.
    await leadership.during(({ signal }) => aborted(signal), { atMostMs: idleAtMostMs });
  }
}

/** What this process would do if nothing kept the others from doing it too. */
async function billWithoutLeading(bill: Bill): Promise<void> {
  report({ type: 'began' });
  const nobodyLeads = {
    fencingToken: 0,
    progress: undefined,
    assertLeader: () => {},
    checkpoint: () => Promise.resolve(),
  };
  reportSummary(await bill(nobodyLeads));
  await aborted(stop.signal);
}

function reportSummary(summary: BillingSummary): void {
  const { charged, skipped, failed, unknown } = summary;
  const [first] = [...failed, ...unknown];
  report(
    isComplete(summary)
      ? { type: 'finished', charged, skipped }
      : {
          type: 'gave-up',
          because:
            `${failed.length} customers failed, and of ${unknown.length} it is unknown whether they were charged: ` +
            nameOf(first?.error ?? 'too long ago to be asked for again'),
        },
  );
}

let leads = false;
let followed: SchedulerReport | undefined;

/** Tells what the election observes; whom it follows only after what became of its own term. */
function reportEvent(event: ElectionEvent): void {
  switch (event.type) {
    case 'acquired':
      leads = true;
      return;
    case 'lost':
      if (event.reason === 'expired' || event.reason === 'taken-over') {
        const { fencingToken, reason } = event;
        report({ type: 'stopped-leading', fencingToken, reason });
      }
      return;
    case 'leader-changed':
      if (event.leader && event.leader.holder !== event.identity) {
        const { holder, fencingToken } = event.leader;
        followed = { type: 'followed', holder, fencingToken };
        reportFollowed();
      }
      return;
    default:
  }
}

function reportFollowed(): void {
  if (followed !== undefined && !leads) {
    report(followed);
    followed = undefined;
  }
}

function reportOutcome(outcome: Outcome<void>): void {
  if (outcome.status === 'lost') {
    const { fencingToken, reason, workError } = outcome;
    report({
      type: 'lost',
      fencingToken,
      reason,
      ...(workError !== undefined && { workError: nameOf(workError) }),
    });
  }
}

function report(message: SchedulerReport): void {
  if (process.connected) {
    process.send?.(message);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
