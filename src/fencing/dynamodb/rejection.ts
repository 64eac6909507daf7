import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  type DynamoDBDocumentClient,
  type PutCommandInput,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { StaleTokenError } from '../../core/errors.ts';
import { isPut } from './fenced.ts';
import { storedMark, translatedMark } from './mark.ts';

type Key = NonNullable<UpdateCommandInput['Key']>;

/** A fenced write whose condition failed. */
export interface RejectedWrite {
  readonly documentClient: DynamoDBDocumentClient;
  readonly write: PutCommandInput | UpdateCommandInput;
  readonly tokenAttribute: string;
  readonly fencingToken: number;
  /** The row as the server returned it with the error; `undefined` if it did not. */
  readonly item: unknown;
}

/**
 * Says why a fenced write was rejected.
 *
 * DynamoDB returns the row with the error, and no row means that there is none. Some emulators never
 * return it, so without one the mark is read. If that fails, the original error stands.
 *
 * @returns a `StaleTokenError` if the row has seen a higher token, else `error`.
 */
export async function explainRejection(error: unknown, rejected: RejectedWrite): Promise<unknown> {
  const { fencingToken, item, tokenAttribute, write } = rejected;
  const highestToken =
    item === undefined
      ? await readMark(rejected).catch(() => undefined)
      : storedMark(item, tokenAttribute);
  return highestToken !== undefined && highestToken > fencingToken
    ? new StaleTokenError(
        `fencing token ${fencingToken} is stale: a row of ${write.TableName} has seen ${highestToken}`,
        { store: 'dynamodb', cause: error, fencingToken, highestToken },
      )
    : error;
}

async function readMark({
  documentClient,
  tokenAttribute,
  write,
}: RejectedWrite): Promise<number | undefined> {
  const { Item: item } = await documentClient.send(
    new GetCommand({
      TableName: write.TableName,
      Key: isPut(write) ? await keyOf(documentClient, write) : write.Key,
      ConsistentRead: true,
      ProjectionExpression: '#fencingToken',
      ExpressionAttributeNames: { '#fencingToken': tokenAttribute },
    }),
  );
  return translatedMark(item, tokenAttribute);
}

/** A Put does not say which attributes of its item are the key; only the table knows. */
async function keyOf(documentClient: DynamoDBDocumentClient, put: PutCommandInput): Promise<Key> {
  const { Table: table } = await documentClient.send(
    new DescribeTableCommand({ TableName: put.TableName }),
  );
  const names = table?.KeySchema?.map(({ AttributeName }) => AttributeName ?? '') ?? [];
  return Object.fromEntries(names.map((name): [string, Key[string]] => [name, put.Item?.[name]]));
}
