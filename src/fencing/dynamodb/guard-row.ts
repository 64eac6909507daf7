import type { TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { requireToken } from '../../core/requirements.ts';
import { markCondition, resolveTokenAttribute, type FenceOptions } from './mark.ts';

/** The row whose mark stands for a whole resource. It is created by its first write. */
export interface GuardRow extends FenceOptions {
  readonly tableName: string;
  /** Its primary key, as native JavaScript values. */
  readonly key: Readonly<NonNullable<UpdateCommandInput['Key']>>;
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const maxTransactItems = 100;

/**
 * Adds a guard row to a transaction: it happens only if the guard row has seen no higher fencing
 * token, and the guard row remembers this one. Deletes are as safe here as any other write.
 *
 * Sends nothing and leaves `input` as it is. The guard row comes last, so the caller's items keep
 * their places among the `CancellationReasons`. Transactions over one guard row that run at the same
 * time can conflict; DynamoDB then cancels one with the reason `TransactionConflict`.
 *
 * @param input - Input of a `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` with 1 to 99 items.
 * @param fencingToken - `leadership.fencingToken`.
 * @throws `RangeError` if there is no room for one more item.
 * @throws `TypeError` if `input` has no items, or one of them is the guard row.
 * @throws `TypeError` or `RangeError` if `fencingToken` is no positive safe integer.
 */
export function fencedTransaction(
  input: TransactWriteCommandInput,
  guard: GuardRow,
  fencingToken: number,
): TransactWriteCommandInput {
  const items = input.TransactItems;
  if (!Array.isArray(items) || items.length === 0) {
    throw new TypeError(
      'TransactItems must be a list of at least one item: to raise the mark alone, use raise',
    );
  }
  if (items.length >= maxTransactItems) {
    throw new RangeError(
      `a transaction holds ${maxTransactItems} items and the guard row is one of them, got ${items.length}: split it`,
    );
  }
  const place = items.findIndex((item) => writes(item, guard));
  if (place >= 0) {
    throw new TypeError(
      `TransactItems[${place}] is the guard row, and a transaction names each row once: keep the guard in a row of its own`,
    );
  }
  return { ...input, TransactItems: [...items, { Update: guardUpdate(guard, fencingToken) }] };
}

/** The conditional write of a guard row, for a transaction or alone. */
export function guardUpdate(
  guard: GuardRow,
  fencingToken: number,
): UpdateCommandInput & { UpdateExpression: string } {
  requireToken('fencingToken', fencingToken);
  return {
    TableName: guard.tableName,
    Key: { ...guard.key },
    UpdateExpression: 'SET #fencingToken = :fencingToken',
    ConditionExpression: markCondition('#fencingToken', ':fencingToken'),
    ExpressionAttributeNames: { '#fencingToken': resolveTokenAttribute(guard) },
    ExpressionAttributeValues: { ':fencingToken': fencingToken },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** Whether `item` is visibly about the guard row; DynamoDB itself refuses what is not seen here. */
function writes({ Put: put, ...keyed }: TransactItem, guard: GuardRow): boolean {
  const other = keyed.ConditionCheck ?? keyed.Delete ?? keyed.Update;
  const row = put === undefined ? other?.Key : put.Item;
  return (
    (put ?? other)?.TableName === guard.tableName &&
    row !== undefined &&
    Object.entries(guard.key).every(([name, value]) => row[name] === value)
  );
}
