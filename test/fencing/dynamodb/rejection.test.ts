import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { sendFenced } from '../../../src/fencing/dynamodb/send.ts';
import { dynamoDbServers, titleOf, type TableSchema } from '../../support/dynamodb.ts';
import { unableToRead } from './altered-clients.ts';
import { useFenceTable } from './fence-table.ts';

const withSortKey: TableSchema = {
  AttributeDefinitions: [
    { AttributeName: 'customer', AttributeType: 'S' },
    { AttributeName: 'period', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'customer', KeyType: 'HASH' },
    { AttributeName: 'period', KeyType: 'RANGE' },
  ],
};

const charge = { customer: 'a', period: 202_611, amount: 5 };

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason !== undefined)(`a rejection on ${titleOf(kind)}`, () => {
    const useTable = useFenceTable(kind, withSortKey);

    it('finds the mark of a Put into a table with a sort key', async () => {
      const { documentClient, name } = useTable();
      const put = { TableName: name, Item: charge };
      await sendFenced(documentClient, put, 34);
      // A row beside it, so that a read of the wrong key is seen.
      await sendFenced(documentClient, { ...put, Item: { ...charge, period: 202_612 } }, 99);
      await expect(sendFenced(documentClient, put, 33)).rejects.toMatchObject({
        code: 'STALE_TOKEN',
        highestToken: 34,
      });
    });

    it('reads nothing while writes are accepted', async () => {
      const { documentClient: able, name } = useTable();
      const { documentClient, reads } = unableToRead(able);
      await sendFenced(documentClient, { TableName: name, Item: charge }, 35);
      expect(reads).toEqual([]);
    });

    it('is explained without a read where the server returns the row', async (context) => {
      context.skip(kind.returnsItemOnFailedCondition !== true, 'the server returns no row');
      const { documentClient: able, name } = useTable();
      const put = { TableName: name, Item: { ...charge, customer: 'b' } };
      await sendFenced(able, put, 34);
      const { documentClient, reads } = unableToRead(able);
      await expect(sendFenced(documentClient, put, 33)).rejects.toMatchObject({ highestToken: 34 });
      expect(reads).toEqual([]);
    });

    it('keeps the original error where the row neither comes back nor can be read', async (context) => {
      context.skip(kind.returnsItemOnFailedCondition !== false, 'the server returns the row');
      const { documentClient: able, name } = useTable();
      const key = { customer: 'c', period: charge.period };
      const put = { TableName: name, Item: { ...charge, ...key } };
      await sendFenced(able, put, 34);
      const { documentClient, reads } = unableToRead(able);
      await expect(sendFenced(documentClient, put, 33)).rejects.toMatchObject({
        name: 'ConditionalCheckFailedException',
      });
      expect(reads).toEqual(['DescribeTableCommand']);
      const { Item: row } = await able.send(new GetCommand({ TableName: name, Key: key }));
      expect(row).toMatchObject({ fencingToken: 34 });
    });
  });
}
