import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createElection, type LeaderView } from 'tenure';
import { azureBlobLeaseStore } from 'tenure/azure-blob';
import { dynamoDbLeaseStore } from 'tenure/dynamodb';
import { idempotencyKeyOf } from 'tenure/ledger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { chargeKey } from '../../../functions/billing/charge-key.ts';
import { parseCustomers } from '../../../functions/billing/customers.ts';
import { azuriteAccount } from '../../../functions/local/azurite-server.ts';
import type { HeldReply, RunningGateway } from '../../../functions/local/payment-gateway.ts';
import { startPaymentGateway } from '../../../functions/local/payment-gateway.ts';
import { listenOnLoopback } from '../../../functions/local/listen.ts';
import { openDynamoDbDemo } from '../../../functions/local/dynamodb-demo-store.ts';
import { containerOf, newContainerName, startAzurite } from '../../support/azurite.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Where functions keep lease, ledger and charges in a test, and how they are let in. */
export interface Deployment {
  /** Settings of functions of either cloud. */
  readonly settings: Readonly<Record<string, string>>;
  readonly gateway: RunningGateway;
  /** Ids of all customers, in the order in which they are charged. */
  readonly customerIds: readonly string[];
  /** Holds the gateway's reply to the charge of one customer for the period. */
  holdReplyTo(customerId: string, period: string): HeldReply;
  /** Who leads, as anybody may ask. */
  leader(): Promise<LeaderView | undefined>;
  close(): Promise<void>;
}

/** Address at which nobody listens: a connection is refused, as by a gateway that is down. */
export async function refusingEndpoint(): Promise<string> {
  const server = createServer();
  const endpoint = await listenOnLoopback(server);
  await new Promise((resolve) => server.close(resolve));
  return endpoint;
}

/** One kind of {@link Deployment}. */
export interface DeploymentKind {
  /** For the names of tests. */
  readonly kind: string;
  start(): Promise<Deployment>;
}

const leaseName = 'billing';

/** When the function runs for the first time: October is over. */
export const firstTick = '2026-11-01T00:05:00Z';
/** The next tick. */
export const secondTick = '2026-11-01T00:10:00Z';
/** What is billed at both. */
export const period = '2026-10';

/** Far longer than a dead leader is waited for; a test that takes longer has failed. */
export const replacedWithinMs = 60_000;

/** On dynalite. With a shorter lease, its requests would have too little time on a busy machine. */
export const onDynamoDb: DeploymentKind = {
  kind: 'dynamodb',
  start: async () => {
    const leaseMs = 6_000;
    const demo = await openDynamoDbDemo(undefined);
    const { endpoint, leases, charges } = demo.accessBy(demo.target);
    const client = new DynamoDBClient({
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    return deployment({
      leaseMs,
      store: `dynamodb://${leases}/${charges}?region=eu-central-1&endpoint=${encodeURIComponent(endpoint)}`,
      credentials: { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
      election: createElection({
        store: dynamoDbLeaseStore({ client, tableName: leases }),
        lease: leaseName,
      }),
      close: async () => {
        client.destroy();
        await demo.close();
      },
    });
  },
};

/** On Azurite, with the shortest lease that Azure grants. */
export const onAzureBlob: DeploymentKind = {
  kind: 'azure-blob',
  start: async () => {
    const leaseMs = 15_000;
    const azurite = await startAzurite();
    const name = newContainerName();
    const containerClient = containerOf(azurite, name);
    await containerClient.create();
    const account = `${azurite.endpoint}/${azuriteAccount.name}`;
    return deployment({
      leaseMs,
      store: `azure-blob://${azuriteAccount.name}/${name}?endpoint=${encodeURIComponent(account)}`,
      credentials: { AZURE_STORAGE_KEY: azuriteAccount.key },
      election: createElection({
        store: azureBlobLeaseStore({ containerClient }),
        lease: leaseName,
      }),
      close: () => azurite.close(),
    });
  },
};

interface Parts extends Pick<Deployment, 'close'> {
  /** How long a leader may be silent, in milliseconds. */
  readonly leaseMs: number;
  readonly store: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly election: { leader(): Promise<LeaderView | undefined> };
}

async function deployment({
  store,
  credentials,
  election,
  leaseMs,
  close,
}: Parts): Promise<Deployment> {
  const gateway = await startPaymentGateway();
  const csv = await readFile(`${root}/functions/billing/customers.csv`, 'utf8');
  return {
    gateway,
    customerIds: parseCustomers(csv).map(({ id }) => id),
    settings: {
      STORE: store,
      ...credentials,
      GATEWAY_URL: gateway.endpoint,
      BILLING_START_FROM: period,
      BILLING_SCHEDULE: '0 */5 * * * *',
      LEASE_DURATION_MS: String(leaseMs),
      ENVIRONMENT: 'test',
    },
    holdReplyTo: (customerId, of) =>
      gateway.holdReplyTo(idempotencyKeyOf(chargeKey(customerId, of))),
    leader: () => election.leader(),
    close: async () => {
      await gateway.close();
      await close();
    },
  };
}

/** Customers and how often each was charged for the period, from the gateway's own records. */
export function chargesOf({ gateway, customerIds }: Deployment): Readonly<Record<string, number>> {
  const { charges } = gateway.records();
  const count = (id: string): number =>
    charges.filter(({ customerId, period: of }) => customerId === id && of === period).length;
  return Object.fromEntries(customerIds.map((id) => [id, count(id)]));
}

/** What {@link chargesOf} must show at the end: everybody once. */
export function everybodyOnce({ customerIds }: Deployment): Readonly<Record<string, number>> {
  return Object.fromEntries(customerIds.map((id) => [id, 1]));
}

/** The outcome events among some lines of a log. */
export function outcomesIn(lines: readonly { readonly text: string }[]): readonly OutcomeLine[] {
  return lines
    .map(({ text }) => text)
    .filter((text) => text.includes('"tenure.job.outcome"'))
    .map((text) => JSON.parse(text.slice(text.indexOf('{'))) as OutcomeLine);
}

/** What these tests read of an outcome event. */
export interface OutcomeLine {
  readonly status: string;
  readonly reason: string;
  readonly identity: string;
  readonly fencingToken?: number;
  readonly periods: readonly { readonly period: string; readonly end: string }[];
  readonly completedThrough?: string;
}
