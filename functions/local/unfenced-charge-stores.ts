/**
 * Charge stores that write whatever they are told, for the runs that must fail.
 *
 * @module
 */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import {
  chargeBlobName,
  type AzureBlobChargeStoreOptions,
} from '../billing/azure-blob-charge-store.ts';
import type { ChargeStore } from '../billing/charge-store.ts';
import type { DynamoDbChargeStoreOptions } from '../billing/dynamodb-charge-store.ts';

/** What an unfenced charge store needs beside what the fenced one does. */
interface Unfenced {
  /** Whether rows carry the token, which nobody checks. */
  readonly marked: boolean;
}

/** Keeps charges as DynamoDB items. */
export function unfencedItemStore(options: DynamoDbChargeStoreOptions & Unfenced): ChargeStore {
  const { documentClient, tableName, marked } = options;
  return {
    record: async (row, fencingToken) => {
      const item = marked ? { ...row, fencingToken } : { ...row };
      await documentClient.send(new PutCommand({ TableName: tableName, Item: item }));
    },
  };
}

/** Keeps charges as Azure blobs. */
export function unfencedBlobStore(options: AzureBlobChargeStoreOptions & Unfenced): ChargeStore {
  const { containerClient, timeoutMs = 10_000, marked } = options;
  return {
    record: async (row, fencingToken) => {
      const content = new TextEncoder().encode(JSON.stringify(row));
      await containerClient
        .getBlockBlobClient(chargeBlobName(row))
        .upload(content, content.length, {
          abortSignal: AbortSignal.timeout(timeoutMs),
          ...(marked && { metadata: { fencingtoken: String(fencingToken) } }),
        });
    },
  };
}
