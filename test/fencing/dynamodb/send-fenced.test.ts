import {
  DynamoDBDocumentClient,
  UpdateCommand,
  type PutCommandInput,
  type PutCommandOutput,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { sendFenced } from '../../../src/fencing/dynamodb/send.ts';
import { clientFor, dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { useFenceTable, type FenceTable } from './fence-table.ts';

/** A charge as its writer sends it. */
function charge(table: FenceTable, key: string, more: Partial<PutCommandInput> = {}) {
  return { TableName: table.name, Item: { key, amount: 5 }, ...more };
}

function payment(table: FenceTable, key: string, more: Partial<UpdateCommandInput> = {}) {
  return {
    TableName: table.name,
    Key: { key },
    UpdateExpression: 'SET paid = :yes',
    ExpressionAttributeValues: { ':yes': true },
    ...more,
  };
}

/** A row that a leader with token 34 has written. */
const seen34 = { key: { S: 'a' }, amount: { N: '5' }, fencingToken: { N: '34' } };

describe('sendFenced', () => {
  it('returns what the client returns for this input', () => {
    const put = (table: FenceTable) => sendFenced(table.documentClient, charge(table, 'a'), 33);
    const update = (table: FenceTable) => sendFenced(table.documentClient, payment(table, 'a'), 33);
    expectTypeOf(put).returns.resolves.toEqualTypeOf<PutCommandOutput>();
    expectTypeOf(update).returns.resolves.toEqualTypeOf<UpdateCommandOutput>();
  });
});

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason !== undefined)(`sendFenced on ${titleOf(kind)}`, () => {
    const useTable = useFenceTable(kind);

    it('accepts a first token, the same again and a higher one, and keeps the highest', async () => {
      const table = useTable();
      const key = crypto.randomUUID();
      for (const token of [33, 33, 34, 1_764_000_000_000]) {
        await sendFenced(table.documentClient, charge(table, key), token);
        expect((await table.read(key))?.['fencingToken']).toEqual({ N: String(token) });
        await sendFenced(table.documentClient, payment(table, key), token);
        expect(await table.read(key)).toEqual({
          key: { S: key },
          amount: { N: '5' },
          paid: { BOOL: true },
          fencingToken: { N: String(token) },
        });
      }
    });

    it('resolves to the output of the client', async () => {
      const table = useTable();
      await table.store(seen34);
      const input = payment(table, 'a', { ReturnValues: 'UPDATED_NEW' });
      const output = await sendFenced(table.documentClient, input, 35);
      expect(output.Attributes).toEqual({ paid: true, fencingToken: 35 });
    });

    it.each([
      ['Put', (table: FenceTable) => sendFenced(table.documentClient, charge(table, 'a'), 33)],
      ['Update', (table: FenceTable) => sendFenced(table.documentClient, payment(table, 'a'), 33)],
      [
        'Update whose own condition holds by OR',
        (table: FenceTable) => {
          const or = { ConditionExpression: 'attribute_not_exists(paid) OR amount = :yes' };
          return sendFenced(table.documentClient, payment(table, 'a', or), 33);
        },
      ],
      [
        'Update whose own condition fails as well',
        (table: FenceTable) => {
          const never = { ConditionExpression: 'paid = :yes' };
          return sendFenced(table.documentClient, payment(table, 'a', never), 33);
        },
      ],
    ])('rejects a lower token of a %s and leaves the row as it is', async (_, send) => {
      const table = useTable();
      await table.store(seen34);
      const rejection = await send(table).catch((error: unknown) => error);
      expect(rejection).toMatchObject({
        name: 'StaleTokenError',
        code: 'STALE_TOKEN',
        store: 'dynamodb',
        fencingToken: 33,
        highestToken: 34,
        cause: { name: 'ConditionalCheckFailedException' },
      });
      expect(rejection).not.toHaveProperty('cause.Item');
      expect(await table.read('a')).toEqual(seen34);
    });

    it('passes on the failure of the own condition when no higher token was seen', async () => {
      const table = useTable();
      await table.store(seen34);
      const condition = { ConditionExpression: 'attribute_not_exists(amount)' };
      const failure = { name: 'ConditionalCheckFailedException' };
      const put = sendFenced(table.documentClient, charge(table, 'a', condition), 34);
      await expect(put).rejects.toMatchObject(failure);
      const update = sendFenced(table.documentClient, payment(table, 'a', condition), 35);
      await expect(update).rejects.toMatchObject(failure);
      expect(await table.read('a')).toEqual(seen34);
    });

    it('passes on the failure of the own condition on a row that does not exist', async () => {
      const table = useTable();
      const condition = { ConditionExpression: 'attribute_exists(amount)' };
      const failure = { name: 'ConditionalCheckFailedException' };
      const put = sendFenced(table.documentClient, charge(table, 'nobody', condition), 34);
      await expect(put).rejects.toMatchObject(failure);
      const update = sendFenced(table.documentClient, payment(table, 'nobody', condition), 35);
      await expect(update).rejects.toMatchObject(failure);
      expect(await table.read('nobody')).toBe(undefined);
    });

    it.each([undefined, 'NONE', 'ALL_OLD'] as const)(
      'shows the row in an error just where the same write without a fence does, asked for %s',
      async (wish) => {
        const table = useTable();
        await table.store(seen34);
        const input = payment(table, 'a', {
          ConditionExpression: 'attribute_not_exists(amount)',
          ReturnValuesOnConditionCheckFailure: wish,
        });
        const rowIn = (attempt: Promise<unknown>): Promise<unknown> =>
          attempt.then(undefined, (error: unknown) => (error as { Item?: unknown }).Item);
        const plain = await rowIn(table.documentClient.send(new UpdateCommand(input)));
        const shown = await rowIn(sendFenced(table.documentClient, input, 34));
        expect(shown).toEqual(plain);
      },
    );

    it.each([
      { S: '34' },
      { M: { N: { N: '34' } } },
      { M: { value: { S: '34' } } },
      { BOOL: true },
      { NULL: true },
    ])('takes the stored mark %j for no token, and writes nothing', async (mark) => {
      const table = useTable();
      const row = { ...seen34, fencingToken: mark };
      await table.store(row);
      const update = sendFenced(table.documentClient, payment(table, 'a'), 33);
      await expect(update).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
      expect(await table.read('a')).toEqual(row);
    });

    it('reads a mark that is larger than any safe integer', async () => {
      const table = useTable();
      await table.store({ ...seen34, fencingToken: { N: '90000000000000000001' } });
      const update = sendFenced(table.documentClient, payment(table, 'a'), Number.MAX_SAFE_INTEGER);
      await expect(update).rejects.toMatchObject({ highestToken: 9e19 });
    });

    it('rejects with a number for a client that wraps numbers', async () => {
      const table = useTable();
      await table.store(seen34);
      const client = clientFor({ endpoint: await endpointOf(table) });
      const wrapping = DynamoDBDocumentClient.from(client, {
        unmarshallOptions: { wrapNumbers: true },
      });
      const update = sendFenced(wrapping, payment(table, 'a'), 33);
      await expect(update).rejects.toMatchObject({ highestToken: 34 });
      client.destroy();
    });

    it('keeps the mark in another attribute when asked to', async () => {
      const table = useTable();
      const options = { tokenAttribute: 'size' };
      await table.store({ ...seen34, size: { N: '3' } });
      await sendFenced(table.documentClient, payment(table, 'a'), 4, options);
      const late = sendFenced(table.documentClient, payment(table, 'a'), 3, options);
      await expect(late).rejects.toMatchObject({ code: 'STALE_TOKEN', highestToken: 4 });
      expect(await table.read('a')).toMatchObject({ ...seen34, size: { N: '4' } });
    });

    it('passes on every other error of the client', async () => {
      const table = useTable();
      const input = { ...payment(table, 'a'), TableName: 'nothing-here' };
      await expect(sendFenced(table.documentClient, input, 33)).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
      });
    });

    it('rejects misuse before it sends anything', async () => {
      const table = useTable();
      const erase = { TableName: table.name, Key: { key: 'a' } };
      await expect(sendFenced(table.documentClient, erase, 33)).rejects.toThrow(TypeError);
      const update = sendFenced(table.documentClient, payment(table, 'a'), 0);
      await expect(update).rejects.toThrow(RangeError);
    });
  });
}

async function endpointOf({ client }: FenceTable): Promise<string> {
  const { protocol, hostname, port } = (await client.config.endpoint?.()) ?? {};
  return `${protocol}//${hostname}:${port}`;
}
