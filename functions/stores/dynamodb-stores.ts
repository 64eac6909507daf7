import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDbLeaseStore, dynamoDbLedgerStore } from 'tenure/dynamodb';
import { dynamoDbChargeStore } from '../billing/dynamodb-charge-store.ts';
import type { StorePlace } from '../config/store-url.ts';
import type { BillingStores } from './billing-stores.ts';

/**
 * Lease, ledger and charges in two DynamoDB tables. Credentials come from the environment, where
 * Lambda puts those of its role.
 */
export function openDynamoDbStores(
  place: Extract<StorePlace, { kind: 'dynamodb' }>,
): BillingStores {
  const { region, endpoint, leaseTable, chargesTable } = place;
  const config = {
    region,
    credentials: fromEnv(),
    // The second is for a connection that was cut while the function was frozen.
    maxAttempts: 2,
    ...(endpoint !== undefined && { endpoint }),
  };
  const client = new DynamoDBClient({ ...config, requestHandler: within(2_000) });
  const charges = new DynamoDBClient({ ...config, requestHandler: within(3_000) });
  return {
    leases: dynamoDbLeaseStore({ client, tableName: leaseTable }),
    ledger: dynamoDbLedgerStore({ client, tableName: leaseTable }),
    charges: dynamoDbChargeStore({
      documentClient: DynamoDBDocumentClient.from(charges),
      tableName: chargesTable,
    }),
  };
}

/** The SDK itself waits for an answer for five minutes, which outlasts every lease. */
function within(ms: number): NonNullable<DynamoDBClientConfig['requestHandler']> {
  return { connectionTimeout: 1_000, requestTimeout: ms, throwOnRequestTimeout: true };
}
