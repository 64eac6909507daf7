import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as DynamoDB's API returns it. */
export type StoredItem = Readonly<Record<string, AttributeValue>>;

/**
 * Names of the attributes of a lease record beside its key.
 *
 * The first five are fixed by the Java DynamoDB lock client, which reads and writes the same items.
 */
export const attributes = {
  holder: 'ownerName',
  leaseDuration: 'leaseDuration',
  version: 'recordVersionNumber',
  released: 'isReleased',
  progress: 'data',
  fencingToken: 'fencingToken',
  history: 'pastTerms',
  jobState: 'jobState',
} as const;

/** Which item of which table holds a lease. */
export interface LeaseTable {
  readonly tableName: string;
  /** Name of the partition key, whose value is the lease's name. */
  readonly partitionKey: string;
  /** Sort key and the one value that all leases of this store have there. */
  readonly sortKey: { readonly name: string; readonly value: string } | undefined;
}

/** Primary key of a lease's item. */
export function keyOf(table: LeaseTable, lease: string): Record<string, AttributeValue> {
  return {
    [table.partitionKey]: { S: lease },
    ...(table.sortKey && { [table.sortKey.name]: { S: table.sortKey.value } }),
  };
}
