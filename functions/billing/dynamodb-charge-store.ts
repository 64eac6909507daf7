import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { sendFenced } from 'tenure/dynamodb';
import { ChargesRefusedError, type ChargeStore } from './charge-store.ts';

/** What DynamoDB answers to every write where the table or the permission is not right. */
const refusals: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'ResourceNotFoundException',
  'UnrecognizedClientException',
  'ValidationException',
]);

/** Options of {@link dynamoDbChargeStore}. */
export interface DynamoDbChargeStoreOptions {
  readonly documentClient: DynamoDBDocumentClient;
  /** A table with the partition key `customerId` and the sort key `period`, both strings. */
  readonly tableName: string;
}

/**
 * A {@link ChargeStore} of one DynamoDB item per customer and period, each fenced on its own.
 *
 * A row that no newer leader has touched can still be created by a stale one. Here that is harmless:
 * the row then says what the gateway answered under the key that a newer leader will use too.
 */
export function dynamoDbChargeStore(options: DynamoDbChargeStoreOptions): ChargeStore {
  const { documentClient, tableName } = options;
  return {
    record: async (row, fencingToken) => {
      try {
        await sendFenced(documentClient, { TableName: tableName, Item: { ...row } }, fencingToken);
      } catch (error) {
        throw error instanceof Error && refusals.has(error.name)
          ? new ChargesRefusedError(`the table ${tableName}`, error)
          : error;
      }
    },
  };
}
