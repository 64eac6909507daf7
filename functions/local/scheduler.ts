/**
 * One scheduler process of the local run: stands for leader, and bills while it leads. This is what
 * a long-lived process of a real system does, with reports to its parent in place of a log.
 *
 * @module
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createElection,
  type Election,
  type ElectionEvent,
  type Leadership,
  type Outcome,
} from 'tenure';
import { dynamoDbLeaseStore } from 'tenure/dynamodb';
import { parseBillingProgress, type BillingProgress } from '../billing/billing-progress.ts';
import {
  billingWork,
  type BillingLeadership,
  type BillingSummary,
} from '../billing/billing-work.ts';
import type { ChargeStore } from '../billing/charge-store.ts';
import { parseCustomers } from '../billing/customers.ts';
import { dynamoDbChargeStore } from '../billing/dynamodb-charge-store.ts';
import { httpPaymentGateway } from '../billing/payment-gateway.ts';
import { emulatorAccess, leaseName } from './emulator.ts';
import type { SchedulerReport } from './events.ts';
import type { SchedulerSettings } from './scheduler-settings.ts';
import { unfencedChargeStore } from './unfenced-charge-store.ts';

type Bill = (leadership: BillingLeadership) => Promise<BillingSummary>;

/** Longest time for which a leader that has nothing to do keeps the lease, in milliseconds. */
const idleAtMostMs = 24 * 60 * 60 * 1_000;

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}
// A scheduler whose runner has died must not go on billing.
process.once('disconnect', () => stop.abort(new Error('the runner is gone')));

// eslint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own runner
const settings = JSON.parse(process.argv[2] ?? '') as SchedulerSettings;
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
  const bill = billingWork({
    customers: parseCustomers(await readFile(settings.customersFile, 'utf8')),
    period: settings.period,
    gateway: httpPaymentGateway({
      endpoint: settings.gatewayEndpoint,
      timeoutMs: settings.gatewayTimeoutMs,
    }),
    charges: openChargeStore(),
  });
  if (settings.without === 'lease') {
    await billWithoutLeading(bill);
  } else {
    await standAgainAndAgain(openElection(), bill);
  }
}

function openElection(): Election<BillingProgress> {
  const { identity, leaseMs, firstToken, leaseTable, storeEndpoint } = settings;
  const client = new DynamoDBClient({ ...emulatorAccess, endpoint: storeEndpoint, maxAttempts: 1 });
  return createElection<BillingProgress>({
    store: dynamoDbLeaseStore({ client, tableName: leaseTable }),
    lease: leaseName,
    identity,
    timing: { leaseDurationMs: leaseMs },
    firstToken,
    parseProgress: parseBillingProgress,
    observer: reportEvent,
  });
}

function openChargeStore(): ChargeStore {
  const { leaseMs, storeEndpoint, chargesTable, without } = settings;
  // Three attempts last for about one lease: a row that cannot be written for so long is a failure,
  // and no request is left that could arrive after a successor's.
  const client = new DynamoDBClient({
    ...emulatorAccess,
    endpoint: storeEndpoint,
    maxAttempts: 3,
    requestHandler: { requestTimeout: Math.round(leaseMs / 3), throwOnRequestTimeout: true },
  });
  const documentClient = DynamoDBDocumentClient.from(client);
  const options = { documentClient, tableName: chargesTable };
  return without === undefined
    ? dynamoDbChargeStore(options)
    : unfencedChargeStore({ ...options, marked: without === 'fence' });
}

/** Campaigns until the process is stopped; a work that failed is no reason to stand no more. */
async function standAgainAndAgain(election: Election<BillingProgress>, bill: Bill): Promise<never> {
  for (;;) {
    try {
      // eslint-disable-next-line no-await-in-loop -- one campaign after the other
      await campaign(election, bill);
    } catch (error) {
      stop.signal.throwIfAborted();
      leads = false;
      report({ type: 'gave-up', because: nameOf(error) });
    }
    // eslint-disable-next-line no-await-in-loop
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
  if (summary.failed.length === 0) {
    // Nothing is due before the next period. Whoever kept the lease would lead then, too.
    await leadership.during(({ signal }) => aborted(signal), { atMostMs: idleAtMostMs });
  }
}

/** What this process would do if nothing kept the others from doing it too. */
async function billWithoutLeading(bill: Bill): Promise<void> {
  report({ type: 'began' });
  reportSummary(
    await bill({ fencingToken: 0, progress: undefined, checkpoint: () => Promise.resolve() }),
  );
  await aborted(stop.signal);
}

function reportSummary({ charged, skipped, failed }: BillingSummary): void {
  const [first] = failed;
  report(
    first === undefined
      ? { type: 'finished', charged, skipped }
      : { type: 'gave-up', because: `${failed.length} customers failed: ${nameOf(first.error)}` },
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
