/**
 * Leases in DynamoDB: `import { dynamoDbLeaseStore } from 'tenure/dynamodb'`.
 *
 * @module
 */
export { checkLeaseTable, type TableProblem } from './stores/dynamodb/check-table.ts';
export { createLeaseTable, type CreateLeaseTableOptions } from './stores/dynamodb/create-table.ts';
export { dynamoDbLeaseStore } from './stores/dynamodb/lease-store.ts';
export type {
  DynamoDbClient,
  DynamoDbLeaseStoreOptions,
  LeaseTableOptions,
} from './stores/dynamodb/options.ts';
export { fenced } from './fencing/dynamodb/fenced.ts';
export { fencedTransaction, type GuardRow } from './fencing/dynamodb/guard-row.ts';
export type { FenceOptions } from './fencing/dynamodb/mark.ts';
export { raise, sendFenced, sendFencedTransaction } from './fencing/dynamodb/send.ts';
export {
  dynamoDbLedgerStore,
  type DynamoDbLedgerStoreOptions,
} from './ledger/dynamodb/ledger-store.ts';
