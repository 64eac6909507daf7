/**
 * A leader of its own process that makes one effect and stops at one step of it, until it is
 * killed. It is told what to do by its first argument, as JSON.
 */
import { writeSync } from 'node:fs';
import { azureBlobLedgerStore } from '../../src/azure-blob.ts';
import { dynamoDbLedgerStore } from '../../src/dynamodb.ts';
import { createLedger, type Effect } from '../../src/ledger/index.ts';
import { containerOf } from '../support/azurite.ts';
import { clientFor } from '../support/dynamodb.ts';
import { charging, term } from './bench.ts';
import { losesLeadership, stoppingAt, type CrashStep } from './crash-steps.ts';

/** What the parent asks for. */
export interface CrashOrder {
  readonly store: 'dynamodb' | 'azure-blob';
  readonly endpoint: string;
  /** Of the table or the container. */
  readonly place: string;
  readonly gateway: string;
  readonly key: readonly string[];
  readonly step: CrashStep;
}

const order = JSON.parse(process.argv[2] ?? '') as CrashOrder;
const { endpoint, gateway, key, place, step } = order;

const store =
  order.store === 'dynamodb'
    ? dynamoDbLedgerStore({ client: clientFor({ endpoint }), tableName: place })
    : azureBlobLedgerStore({ containerClient: containerOf({ endpoint }, place) });

/** Says that the step is reached, and stays there. */
const stop = (): Promise<never> => {
  writeSync(1, 'reached\n');
  setInterval(() => {}, 60_000);
  return new Promise(() => {});
};

const charge: Effect = async ({ idempotencyKey }) => {
  const response = await fetch(`${gateway}/charges`, {
    method: 'POST',
    headers: { 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ customerId: key[1], period: key[2], amountMinor: 1, currency: 'EUR' }),
  });
  return { status: 'done', result: await response.json() };
};

const leader = term(33);
let checks = 0;
const leadership = {
  fencingToken: 33,
  assertLeader: () => {
    checks += 1;
    if (checks === 2 && losesLeadership(step)) {
      leader.lose();
    }
    leader.assertLeader();
  },
};
const parts = stoppingAt(step, stop, { store, effect: charge });
await createLedger({ store: parts.store }).once(charging(leadership, { key }), parts.effect);
throw new Error(`the step was never reached: ${step}`);
