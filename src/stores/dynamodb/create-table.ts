import { CreateTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { systemClock, type Clock } from '../../core/clock.ts';
import { StoreRejectedError, StoreUnavailableError } from '../../core/errors.ts';
import { keyNamesOf, type KeyNames, type LeaseTableOptions } from './options.ts';
import { setUpCall } from './set-up-call.ts';
import { nameOf } from './sdk-errors.ts';
import { storeError } from './store-errors.ts';
import { describeTable, schemaMismatch, schemaOf } from './table-schema.ts';

/** Options of {@link createLeaseTable}. */
export interface CreateLeaseTableOptions extends LeaseTableOptions {
  /**
   * Whether DynamoDB refuses to delete the table. Default `true`: with the table go the fencing
   * tokens. A table that exists is left as it is.
   */
  readonly deletionProtection?: boolean;
  /** Paces the wait. Default the system's clocks. */
  readonly clock?: Clock;
}

const pollMs = 500;
const maxPolls = 600;

/**
 * Creates a table for leases, billed on demand and without TTL, and waits until it is active. A
 * table that exists already is fine if its keys are the ones asked for.
 *
 * Needs `dynamodb:CreateTable` and `dynamodb:DescribeTable`. Meant for set-up scripts and tests;
 * in production a template declares the table.
 *
 * @throws `TypeError` for an option that does not fit.
 * @throws `StoreRejectedError` if a table of that name has other keys, or is not allowed.
 * @throws `OutcomeUnknownError`, `StoreUnavailableError` without an answer, and after five minutes
 *   in which the table did not become active. Safe to repeat.
 * @throws the reason of `signal`, as soon as it aborts.
 */
export async function createLeaseTable(options: CreateLeaseTableOptions): Promise<void> {
  const names = keyNamesOf(options);
  const { clock = systemClock, signal } = options;
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const table = await describeTable(options);
    if (table && isReady(table, options.tableName, names)) {
      return;
    }
    // A table that is gone here was being deleted, or the description lags behind its creation.
    if (table !== undefined || !(await requestTable(options, names)) || poll > 0) {
      await clock.sleep(pollMs, signal);
    }
  }
  throw new StoreUnavailableError(
    `table ${options.tableName} was not active after ${(pollMs * maxPolls) / 1000} s`,
    { store: 'dynamodb' },
  );
}

/** Asks for the table. Resolves to `false` if one of that name is there, active or not. */
async function requestTable(options: CreateLeaseTableOptions, names: KeyNames): Promise<boolean> {
  const { client, tableName, signal, deletionProtection = true } = options;
  const command = new CreateTableCommand({
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    DeletionProtectionEnabled: deletionProtection,
    ...schemaOf(names),
  });
  try {
    await setUpCall(options, true, (abort) => client.send(command, abort));
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (nameOf(error) === 'ResourceInUseException') {
      return false;
    }
    throw storeError(error, { operation: 'CreateTable', tableName, writes: true });
  }
}

function isReady(table: TableDescription, tableName: string, names: KeyNames): boolean {
  const { TableStatus: status } = table;
  const mismatch = schemaMismatch(table, names);
  if (mismatch !== undefined && status !== 'DELETING') {
    throw new StoreRejectedError(
      `table ${tableName} exists and ${mismatch}; configure its keys or choose another name`,
      { store: 'dynamodb' },
    );
  }
  // A table that is being changed serves requests all the same.
  return status === 'ACTIVE' || status === 'UPDATING';
}
