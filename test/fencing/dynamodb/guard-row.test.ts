import { UpdateCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { isTenureError } from '../../../src/core/errors.ts';
import { raise, sendFencedTransaction } from '../../../src/fencing/dynamodb/send.ts';
import { dynamoDbServers, titleOf, type DynamoDbServerKind } from '../../support/dynamodb.ts';
import { unableToRead, withoutReturnedRows } from './altered-clients.ts';
import { useFenceTable, type FenceTable } from './fence-table.ts';

const stale = { name: 'StaleTokenError', code: 'STALE_TOKEN', store: 'dynamodb', fencingToken: 33 };

/** A guard row that no other test knows. */
function guardIn(table: FenceTable) {
  return { tableName: table.name, key: { key: crypto.randomUUID() } };
}

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason !== undefined)(`raise on ${titleOf(kind)}`, () => {
    const useTable = useFenceTable(kind);

    it('creates the guard row, may be repeated, and only ever raises the mark', async () => {
      const table = useTable();
      const guard = guardIn(table);
      for (const token of [33, 33, 34]) {
        await raise({ documentClient: table.documentClient, ...guard }, token);
        expect(await table.read(guard.key.key)).toEqual({
          key: { S: guard.key.key },
          fencingToken: { N: String(token) },
        });
      }
      const late = raise({ documentClient: table.documentClient, ...guard }, 33);
      await expect(late).rejects.toMatchObject({ ...stale, highestToken: 34 });
      expect((await table.read(guard.key.key))?.['fencingToken']).toEqual({ N: '34' });
    });

    it('keeps what else the guard row holds, and uses the attribute that it is told', async () => {
      const table = useTable();
      const guard = { ...guardIn(table), tokenAttribute: 'seen' };
      const row = { key: { S: guard.key.key }, fencingToken: { N: '99' }, note: { S: 'kept' } };
      await table.store(row);
      await raise({ documentClient: table.documentClient, ...guard }, 33);
      expect(await table.read(guard.key.key)).toEqual({ ...row, seen: { N: '33' } });
    });

    it('passes on every other error of the client', async () => {
      const table = useTable();
      const guard = { ...guardIn(table), tableName: 'nothing-here' };
      const attempt = raise({ documentClient: table.documentClient, ...guard }, 33);
      await expect(attempt).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    });
  });

  describe.skipIf(transactionsSkipReason(kind) !== undefined)(titleOfTransactions(kind), () => {
    const useTable = useFenceTable(kind);

    it('writes everything and raises the mark while no higher token was seen', async () => {
      const table = useTable();
      const guard = guardIn(table);
      const [kept, erased] = [crypto.randomUUID(), crypto.randomUUID()];
      await table.store({ key: { S: erased } });
      const output = await sendFencedTransaction(
        table.documentClient,
        {
          ReturnConsumedCapacity: 'TOTAL',
          TransactItems: [
            { Put: { TableName: table.name, Item: { key: kept } } },
            { Delete: { TableName: table.name, Key: { key: erased } } },
          ],
        },
        guard,
        33,
      );
      expect(output.$metadata.httpStatusCode).toBe(200);
      expect(await table.read(kept)).toEqual({ key: { S: kept } });
      expect(await table.read(erased)).toBe(undefined);
      expect((await table.read(guard.key.key))?.['fencingToken']).toEqual({ N: '33' });
    });

    it.each([
      [
        'explained by the reason',
        (client: DynamoDBDocumentClient) => unableToRead(client).documentClient,
      ],
      ['explained by a read where the reason has no item', withoutReturnedRows],
    ])('writes nothing once a new leader has raised the mark, %s', async (_, seenBy) => {
      const table = useTable();
      const guard = guardIn(table);
      const [created, erased] = [crypto.randomUUID(), crypto.randomUUID()];
      await table.store({ key: { S: erased } });
      await raise({ documentClient: table.documentClient, ...guard }, 34);
      const late = sendFencedTransaction(
        seenBy(table.documentClient),
        {
          TransactItems: [
            { Put: { TableName: table.name, Item: { key: created } } },
            { Delete: { TableName: table.name, Key: { key: erased } } },
          ],
        },
        guard,
        33,
      );
      await expect(late).rejects.toMatchObject({
        ...stale,
        highestToken: 34,
        cause: { name: 'TransactionCanceledException' },
      });
      expect(await table.read(created)).toBe(undefined);
      expect(await table.read(erased)).toEqual({ key: { S: erased } });
    });

    it('passes on the cancellation by a condition of the own', async () => {
      const table = useTable();
      const guard = guardIn(table);
      const key = crypto.randomUUID();
      const { documentClient, reads } = unableToRead(table.documentClient);
      const attempt = sendFencedTransaction(
        documentClient,
        {
          TransactItems: [
            { Put: { TableName: table.name, Item: { key } } },
            {
              ConditionCheck: {
                TableName: table.name,
                Key: { key: 'nobody' },
                ConditionExpression: 'attribute_exists(amount)',
              },
            },
          ],
        },
        guard,
        33,
      );
      await expect(attempt).rejects.toMatchObject({
        name: 'TransactionCanceledException',
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'ConditionalCheckFailed' },
          { Code: 'None' },
        ],
      });
      expect(reads).toEqual([]);
      expect(await table.read(key)).toBe(undefined);
      expect(await table.read(guard.key.key)).toBe(undefined);
    });

    it('passes on the cancellation by a guard row whose mark is no number', async () => {
      const table = useTable();
      const guard = guardIn(table);
      await table.store({ key: { S: guard.key.key }, fencingToken: { S: '34' } });
      const attempt = sendFencedTransaction(
        table.documentClient,
        { TransactItems: [{ Put: { TableName: table.name, Item: { key: 'a' } } }] },
        guard,
        33,
      );
      await expect(attempt).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    });

    it('lets no transaction follow one with a higher token', async () => {
      const table = useTable();
      const guard = guardIn(table);
      const key = crypto.randomUUID();
      const outcomes = { accepted: 0, stale: 0 };
      const attempt = async (token: number): Promise<void> => {
        try {
          await append(table, { guard, key }, token);
          outcomes.accepted += 1;
        } catch (error) {
          if (!isTenureError(error)) {
            throw error;
          }
          outcomes.stale += 1;
        }
      };
      await Promise.all(
        Array.from({ length: 120 }, (_, turn) => attempt(31 + Math.floor(turn / 20) + (turn % 2))),
      );
      const row = await table.read(key);
      const writers = row?.['writers']?.L?.map(({ N: token }) => Number(token)) ?? [];
      expect(writers).toEqual(writers.toSorted((a, b) => a - b));
      expect(writers).toHaveLength(outcomes.accepted);
      expect(new Set(writers).size).toBeGreaterThan(1);
      expect(outcomes.stale).toBeGreaterThan(0);
    });
  });
}

function transactionsSkipReason(kind: DynamoDbServerKind): string | undefined {
  return kind.hasTransactions === false ? 'it has no transactions' : kind.skipReason;
}

function titleOfTransactions(kind: DynamoDbServerKind): string {
  const skipReason = transactionsSkipReason(kind);
  return `sendFencedTransaction on ${titleOf({ ...kind, skipReason })}`;
}

function append(
  table: FenceTable,
  { guard, key }: { readonly guard: ReturnType<typeof guardIn>; readonly key: string },
  token: number,
): Promise<unknown> {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: { key },
    UpdateExpression: 'SET writers = list_append(if_not_exists(writers, :none), :own)',
    ExpressionAttributeValues: { ':none': [], ':own': [token] },
  });
  const Update = { ...update.input, UpdateExpression: update.input.UpdateExpression ?? '' };
  return sendFencedTransaction(table.documentClient, { TransactItems: [{ Update }] }, guard, token);
}
