import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ChargeStore } from '../billing/charge-store.ts';
import type { DynamoDbChargeStoreOptions } from '../billing/dynamodb-charge-store.ts';

/**
 * A {@link ChargeStore} that writes whatever it is told, for the runs that must fail.
 *
 * @param marked - Whether rows carry the token, which nobody checks.
 */
export function unfencedChargeStore(
  options: DynamoDbChargeStoreOptions & { readonly marked: boolean },
): ChargeStore {
  const { documentClient, tableName, marked } = options;
  return {
    record: async (row, fencingToken) => {
      const item = marked ? { ...row, fencingToken } : { ...row };
      await documentClient.send(new PutCommand({ TableName: tableName, Item: item }));
    },
  };
}
