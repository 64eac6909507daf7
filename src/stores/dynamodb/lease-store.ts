/**
 * Leases as items of a DynamoDB table, which the Java DynamoDB lock client can read and contend for.
 *
 * | attribute             | type | meaning                                                 |
 * | --------------------- | ---- | ------------------------------------------------------- |
 * | partition key         | S    | name of the lease; the attribute's own name is an option |
 * | sort key              | S    | one value per store, if the table has a sort key        |
 * | `ownerName`           | S    | holder, or the last one                                 |
 * | `leaseDuration`       | S    | digits: milliseconds                                    |
 * | `recordVersionNumber` | S    | UUID, new on each write                                 |
 * | `isReleased`          | S    | `"1"`, or absent while held                             |
 * | `data`                | B    | progress as JSON, or absent                             |
 * | `fencingToken`        | N    | token of the term                                       |
 * | `jobState`            | S    | what jobs keep, as JSON, or absent                      |
 * | `pastTerms`           | S    | JSON of the last ten terms, with when they started      |
 *
 * Each write is one conditional `UpdateItem` that carries the version it replaces and the version
 * it writes, so it has the same effect however often it is delivered. Needs the permissions
 * `dynamodb:GetItem` and `dynamodb:UpdateItem`. Nothing is deleted; the table needs no TTL and must
 * have none. All candidates must use one Region: a global table with eventual consistency has one
 * leader per Region.
 *
 * @module
 */
import type { LeaseStore } from '../../core/lease-store.ts';
import { recordLeaseStore } from '../../core/record-lease.ts';
import type { DynamoDbLeaseStoreOptions } from './options.ts';
import { dynamoDbRecordStore } from './record-store.ts';

/**
 * Keeps leases in a DynamoDB table, one item each.
 *
 * @throws `TypeError` naming the option that does not fit.
 */
export function dynamoDbLeaseStore(options: DynamoDbLeaseStoreOptions): LeaseStore {
  return recordLeaseStore(dynamoDbRecordStore(options));
}
