import {
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
  type PutCommandInput,
  type PutCommandOutput,
  type TransactWriteCommandInput,
  type TransactWriteCommandOutput,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { fieldOf, type Fields } from './fields.ts';
import { fenced, isPut } from './fenced.ts';
import { fencedTransaction, guardUpdate, type GuardRow } from './guard-row.ts';
import { resolveTokenAttribute, type FenceOptions } from './mark.ts';
import { explainRejection, type RejectedWrite } from './rejection.ts';

/**
 * Sends a Put or Update that fails if the row has seen a higher fencing token: {@link fenced}, sent,
 * and its rejection explained.
 *
 * The client repeats a request whose reply was lost. Unless a higher token came between, the
 * repetition passes the fence; but a condition of the caller's own such as
 * `attribute_not_exists(id)` then fails on what the first request wrote.
 *
 * @param input - Input of a `PutCommand` or `UpdateCommand`. An error carries the stored `Item` only
 *   if `ReturnValuesOnConditionCheckFailure` asks for it.
 * @param fencingToken - `leadership.fencingToken`.
 * @returns what the client returned.
 * @throws `StaleTokenError` if the row has seen a higher token; its `cause` is the client's error.
 * @throws any other error of the client untouched, a failed condition of the caller's own included.
 * @throws `TypeError`, `RangeError` as {@link fenced} does.
 */
export async function sendFenced(
  documentClient: DynamoDBDocumentClient,
  input: PutCommandInput,
  fencingToken: number,
  options?: FenceOptions,
): Promise<PutCommandOutput>;
export async function sendFenced(
  documentClient: DynamoDBDocumentClient,
  input: UpdateCommandInput,
  fencingToken: number,
  options?: FenceOptions,
): Promise<UpdateCommandOutput>;
export async function sendFenced(
  documentClient: DynamoDBDocumentClient,
  input: PutCommandInput | UpdateCommandInput,
  fencingToken: number,
  options: FenceOptions = {},
): Promise<PutCommandOutput | UpdateCommandOutput> {
  return sendMarked(documentClient, fenced(input, fencingToken, options), {
    fencingToken,
    tokenAttribute: resolveTokenAttribute(options),
    itemWanted: input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
  });
}

/**
 * Sends a transaction that fails if the guard row has seen a higher fencing token:
 * {@link fencedTransaction}, sent, and its rejection explained.
 *
 * @param input - Input of a `TransactWriteCommand` with 1 to 99 items.
 * @param fencingToken - `leadership.fencingToken`.
 * @returns what the client returned.
 * @throws `StaleTokenError` if the guard row has seen a higher token; its `cause` is the client's
 *   error.
 * @throws any other error of the client untouched. The last of its `CancellationReasons` is the
 *   guard row's.
 * @throws `TypeError`, `RangeError` as {@link fencedTransaction} does.
 */
export async function sendFencedTransaction(
  documentClient: DynamoDBDocumentClient,
  input: TransactWriteCommandInput,
  guard: GuardRow,
  fencingToken: number,
): Promise<TransactWriteCommandOutput> {
  const transaction = fencedTransaction(input, guard, fencingToken);
  try {
    return await documentClient.send(new TransactWriteCommand(transaction));
  } catch (error) {
    const reason = reasonAt(error, (transaction.TransactItems?.length ?? 0) - 1);
    if (fieldOf(reason, 'Code') !== 'ConditionalCheckFailed') {
      throw error;
    }
    throw await explainRejection(error, {
      documentClient,
      write: guardUpdate(guard, fencingToken),
      tokenAttribute: resolveTokenAttribute(guard),
      fencingToken,
      item: fieldOf(reason, 'Item'),
    });
  }
}

/**
 * Raises the mark of a guard row: a new leader's first write there, so that the fence closes at
 * takeover and not at the first collision. May be repeated; creates the row if there is none.
 *
 * @param fencingToken - `leadership.fencingToken`.
 * @throws `StaleTokenError` if the row has seen a higher token.
 * @throws any other error of the client untouched.
 * @throws `TypeError` or `RangeError` if `fencingToken` is no positive safe integer.
 */
export async function raise(
  { documentClient, ...guard }: GuardRow & { readonly documentClient: DynamoDBDocumentClient },
  fencingToken: number,
): Promise<void> {
  await sendMarked(documentClient, guardUpdate(guard, fencingToken), {
    fencingToken,
    tokenAttribute: resolveTokenAttribute(guard),
    itemWanted: false,
  });
}

/** Sends a write that already checks and raises the mark, and explains its rejection. */
async function sendMarked(
  documentClient: DynamoDBDocumentClient,
  write: PutCommandInput | UpdateCommandInput,
  {
    itemWanted,
    ...mark
  }: Pick<RejectedWrite, 'fencingToken' | 'tokenAttribute'> & {
    readonly itemWanted: boolean;
  },
): Promise<PutCommandOutput | UpdateCommandOutput> {
  const returningItem = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  try {
    return isPut(write)
      ? await documentClient.send(new PutCommand({ ...write, ...returningItem }))
      : await documentClient.send(new UpdateCommand({ ...write, ...returningItem }));
  } catch (error) {
    if (!isNamed(error, 'ConditionalCheckFailedException')) {
      throw error;
    }
    const { Item: item } = error;
    if (!itemWanted) {
      // Fetched for the mark's sake; a caller who logs errors did not ask for the row's contents.
      Reflect.deleteProperty(error, 'Item');
    }
    throw await explainRejection(error, { documentClient, write, item, ...mark });
  }
}

/** Compares the name and not the constructor: the application may have its own copy of the SDK. */
function isNamed(error: unknown, name: string): error is Error & Fields {
  return error instanceof Error && error.name === name;
}

function reasonAt(error: unknown, place: number): unknown {
  const reasons = isNamed(error, 'TransactionCanceledException')
    ? error['CancellationReasons']
    : undefined;
  return Array.isArray(reasons) ? reasons[place] : undefined;
}
