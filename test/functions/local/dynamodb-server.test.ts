import {
  type AttributeValue,
  ConditionalCheckFailedException,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import {
  clientFor,
  createTable,
  type DynamoDbServer,
  dynamoDbServers,
  titleOf,
} from '../../support/dynamodb.ts';

const item = { key: { S: 'a' } };

/** The item that comes with a failed condition. */
async function itemOfFailure(
  server: DynamoDbServer,
): Promise<Record<string, AttributeValue> | undefined> {
  const client = clientFor(server);
  onTestFinished(() => client.destroy());
  const put = new PutItemCommand({
    TableName: await createTable(client),
    Item: item,
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': 'key' },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  await client.send(put);
  const failure = await client.send(put).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConditionalCheckFailedException);
  return (failure as ConditionalCheckFailedException).Item;
}

describe('dynalite in this process', () => {
  it('serves with and without the item side by side, whichever is started first', async () => {
    for (const returnItemOnFailedCondition of [true, false, true]) {
      const server = await startDynalite({ returnItemOnFailedCondition });
      onTestFinished(() => server.close());
      expect(await itemOfFailure(server)).toEqual(returnItemOnFailedCondition ? item : undefined);
    }
  });
});

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(titleOf(kind), () => {
    it.skipIf(kind.returnsItemOnFailedCondition === undefined)(
      'returns the item of a failed condition only where its description says so',
      async () => {
        const server = await kind.start();
        onTestFinished(() => server.close());
        expect(await itemOfFailure(server)).toEqual(
          kind.returnsItemOnFailedCondition ? item : undefined,
        );
      },
    );
  });
}
