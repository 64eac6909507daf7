import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createElection, type Leadership } from 'tenure';
import { dynamoDbLeaseStore, dynamoDbLedgerStore } from 'tenure/dynamodb';
import { createLedger } from 'tenure/ledger';
import { ManualClock } from 'tenure/testing';
import {
  parseBillingProgress,
  type BillingProgress,
} from '../../../functions/billing/billing-progress.ts';
import { billingWork } from '../../../functions/billing/billing-work.ts';
import { dynamoDbChargeStore } from '../../../functions/billing/dynamodb-charge-store.ts';
import type { PaymentGateway } from '../../../functions/billing/payment-gateway.ts';
import { clientFor } from '../../support/dynamodb.ts';
import type { Tables } from './observed-calls.ts';

const period = '2026-10';
const price = { amountMinor: 100, currency: 'EUR' };
const customers = ['a', 'b', 'c'].map((id) => ({ id, name: id, plan: 'basic', ...price }));

/**
 * Bills a period in the ways that ask most of the tables: a term that another candidate watches, with
 * a renewal due at every step, and a charge whose outcome stays unknown; a term that repeats it; and a
 * write under a token that has become stale.
 */
export async function billInTerms(endpoint: string, { leases, charges }: Tables): Promise<void> {
  const client = clientFor({ endpoint });
  const clock = new ManualClock();
  const candidate = () =>
    createElection<BillingProgress>({
      store: dynamoDbLeaseStore({ client, tableName: leases }),
      lease: 'billing',
      parseProgress: parseBillingProgress,
      clock,
    });
  const documentClient = DynamoDBDocumentClient.from(client);
  const work = billingWork({
    customers,
    period,
    ledger: createLedger({ store: dynamoDbLedgerStore({ client, tableName: leases }), clock }),
    gateway: silentOnce('b'),
    charges: dynamoDbChargeStore({ documentClient, tableName: charges }),
  });
  const first = await candidate().lead(async (leadership) => {
    await candidate().lead(work, { wait: 'none' });
    await candidate().leader();
    return work(renewingEachTime(leadership, clock));
  });
  const second = await candidate().lead(work);
  if (first.status !== 'led' || second.status !== 'led') {
    throw new Error(`both runs lead in turn, but they ${first.status} and ${second.status}`);
  }
  const row = { customerId: 'a', period, ...price, chargeId: 'late' };
  const late = dynamoDbChargeStore({ documentClient, tableName: charges });
  await Promise.allSettled([late.record(row, first.fencingToken - 1)]);
  client.destroy();
}

/** A leadership whose every checkpoint finds a renewal due. */
function renewingEachTime(
  leadership: Leadership<BillingProgress>,
  clock: ManualClock,
): Parameters<ReturnType<typeof billingWork>>[0] {
  return {
    fencingToken: leadership.fencingToken,
    progress: leadership.progress,
    assertLeader: () => leadership.assertLeader(),
    checkpoint: async (progress) => {
      await clock.advance(5_000);
      await leadership.checkpoint(progress);
    },
  };
}

/** A gateway that gives no answer for one customer, the first time. */
function silentOnce(customerId: string): PaymentGateway {
  let silent = true;
  return {
    charge: async (request) => {
      if (silent && request.customerId === customerId) {
        silent = false;
        throw new Error('no answer');
      }
      return { status: 'charged', chargeId: `ch-${request.customerId}` };
    },
  };
}
