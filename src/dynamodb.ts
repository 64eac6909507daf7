/**
 * Leases in DynamoDB: `import { dynamoDbLeaseStore } from 'tenure/dynamodb'`.
 *
 * @module
 */
export { checkLeaseTable, type TableProblem } from './stores/dynamodb/check-table.ts';
export { createLeaseTable, type CreateLeaseTableOptions } from './stores/dynamodb/create-table.ts';
export { dynamoDbLeaseStore } from './stores/dynamodb/lease-store.ts';
export type { DynamoDbLeaseStoreOptions } from './stores/dynamodb/options.ts';
export type { DynamoDbClient } from './stores/dynamodb/send.ts';
export type { LeaseTableOptions } from './stores/dynamodb/table-schema.ts';
export { fenced } from './fencing/dynamodb/fenced.ts';
export { fencedTransaction, type GuardRow } from './fencing/dynamodb/guard-row.ts';
export type { FenceOptions } from './fencing/dynamodb/mark.ts';
export { raise, sendFenced, sendFencedTransaction } from './fencing/dynamodb/send.ts';
