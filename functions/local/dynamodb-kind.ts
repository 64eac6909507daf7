import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDbLeaseStore, dynamoDbLedgerStore } from 'tenure/dynamodb';
import type { ChargeStore } from '../billing/charge-store.ts';
import { dynamoDbChargeStore } from '../billing/dynamodb-charge-store.ts';
import type { SchedulerOptions, StoreAccess, StoreKind } from './demo-store.ts';
import { openDynamoDbDemo } from './dynamodb-demo-store.ts';
import { emulatorAccess } from './emulator.ts';
import { unfencedItemStore } from './unfenced-charge-stores.ts';

/** Lease, ledger and charges in DynamoDB. */
export const dynamoDbKind: StoreKind = {
  words: {
    name: 'DynamoDB',
    embedded: 'dynalite, in this process',
    charges: 'one row per customer and period, which rejects a lower token than it has seen',
  },
  open: openDynamoDbDemo,
  connect: async (access, options) => {
    const { endpoint, leases: tableName } = access;
    const client = new DynamoDBClient({ ...emulatorAccess, endpoint, maxAttempts: 1 });
    return {
      leases: dynamoDbLeaseStore({ client, tableName }),
      ledger: dynamoDbLedgerStore({ client, tableName }),
      charges: chargeStoreOf(access, options),
    };
  },
};

function chargeStoreOf(
  { endpoint, charges: tableName }: StoreAccess,
  { leaseMs, fence }: SchedulerOptions,
): ChargeStore {
  // Three attempts last for about one lease: a row that cannot be written for so long is a failure,
  // and no request is left that could arrive after a successor's.
  const client = new DynamoDBClient({
    ...emulatorAccess,
    endpoint,
    maxAttempts: 3,
    requestHandler: { requestTimeout: Math.round(leaseMs / 3), throwOnRequestTimeout: true },
  });
  const options = { documentClient: DynamoDBDocumentClient.from(client), tableName };
  return fence === 'checked'
    ? dynamoDbChargeStore(options)
    : unfencedItemStore({ ...options, marked: fence === 'unchecked' });
}
