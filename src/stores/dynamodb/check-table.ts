import { DescribeTimeToLiveCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { causes } from '../../core/errors.ts';
import { setUpCall } from './set-up-call.ts';
import { keyNamesOf, type LeaseTableOptions } from './options.ts';
import { isDenied, isTableMissing } from './sdk-errors.ts';
import { storeError } from './store-errors.ts';
import { describeTable, schemaMismatch } from './table-schema.ts';

/** Something about a table that breaks a guarantee, or may. */
export interface TableProblem {
  /** What is wrong. */
  readonly problem: string;
  /** What to do about it. */
  readonly remedy: string;
}

/**
 * Looks for what would break leases in a table: that it is missing or not active, has other keys,
 * deletes items by TTL, or is a global table with eventual consistency.
 *
 * Needs `dynamodb:DescribeTable` and `dynamodb:DescribeTimeToLive`; a missing permission to look
 * is reported as a problem. Changes nothing.
 *
 * @returns an empty list if all is well.
 * @throws `TypeError` for an option that does not fit; `StoreUnavailableError` without an answer.
 * @throws `StoreRejectedError` if the client itself is not usable, as without credentials.
 * @throws the reason of `signal`, as soon as it aborts.
 */
export async function checkLeaseTable(
  options: LeaseTableOptions,
): Promise<readonly TableProblem[]> {
  const names = keyNamesOf(options);
  const { tableName } = options;
  const looks = await Promise.all([
    reportDenied('DescribeTable', options, async () => {
      const table = await describeTable(options);
      const mismatch = table && schemaMismatch(table, names);
      return [
        ...existence(tableName, table),
        ...(mismatch
          ? [
              {
                problem: `table ${tableName} ${mismatch}`,
                remedy:
                  'set partitionKey and sortKey to the keys of the table, or use a table whose keys are these strings',
              },
            ]
          : []),
        ...consistency(tableName, table),
      ];
    }),
    reportDenied('DescribeTimeToLive', options, () => timeToLive(options)),
  ]);
  return looks.flat();
}

function existence(tableName: string, table: TableDescription | undefined): TableProblem[] {
  if (table === undefined) {
    return [
      {
        problem: `there is no table ${tableName} in the client's account and Region`,
        remedy: "create it with createLeaseTable, or correct tableName or the client's region",
      },
    ];
  }
  const { TableStatus: status } = table;
  return status === 'ACTIVE' || status === 'UPDATING'
    ? []
    : [
        {
          problem: `table ${tableName} is not active (${status ?? 'status unknown'})`,
          remedy: 'wait until it is active, or use another table',
        },
      ];
}

function consistency(tableName: string, table: TableDescription | undefined): TableProblem[] {
  const { Replicas: replicas = [], MultiRegionConsistency: mode } = table ?? {};
  return replicas.length === 0 || mode === 'STRONG'
    ? []
    : [
        {
          problem: `table ${tableName} is a global table with eventual consistency: each Region can elect a leader of its own`,
          remedy:
            'use a table in one Region, or a global table with multi-Region strong consistency',
        },
      ];
}

async function timeToLive(options: LeaseTableOptions): Promise<TableProblem[]> {
  const { client, tableName, signal } = options;
  const command = new DescribeTimeToLiveCommand({ TableName: tableName });
  let status: string | undefined;
  try {
    const answer = await setUpCall(options, false, (abort) => client.send(command, abort));
    status = answer.TimeToLiveDescription?.TimeToLiveStatus;
  } catch (error) {
    signal?.throwIfAborted();
    if (isTableMissing(error)) {
      // The other look reports it.
      return [];
    }
    throw storeError(error, { operation: 'DescribeTimeToLive', tableName, writes: false });
  }
  return status === 'ENABLED' || status === 'ENABLING'
    ? [
        {
          problem: `TTL is switched on for table ${tableName}: deleted lease records take the fencing tokens with them`,
          remedy: 'switch TTL off, or keep leases in a table of their own',
        },
      ]
    : [];
}

/** What `look` finds, or that it is not permitted. */
async function reportDenied(
  operation: string,
  { tableName }: LeaseTableOptions,
  look: () => Promise<TableProblem[]>,
): Promise<TableProblem[]> {
  try {
    return await look();
  } catch (error) {
    if (!causes(error).some(isDenied)) {
      throw error;
    }
    return [
      {
        problem: `the client may not call dynamodb:${operation} on table ${tableName}, so this part is not checked`,
        remedy: `allow dynamodb:${operation} in the policy of its role, or run the check with another role`,
      },
    ];
  }
}
