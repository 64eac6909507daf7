import { describe, expect, it } from 'vitest';
import { isTenureError, type StaleTokenError } from '../../../src/core/errors.ts';
import { sendFenced } from '../../../src/fencing/dynamodb/send.ts';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { useFenceTable, type FenceTable } from './fence-table.ts';

const tokens = [31, 32, 33, 34, 35, 36, 37, 38];
const writesPerToken = 12;

/** Adds `token` to the list that the row keeps of its writers, in the order of the store. */
function append(table: FenceTable, key: string, token: number): Promise<unknown> {
  return sendFenced(
    table.documentClient,
    {
      TableName: table.name,
      Key: { key },
      UpdateExpression: 'SET writers = list_append(if_not_exists(writers, :none), :own)',
      ExpressionAttributeValues: { ':none': [], ':own': [token] },
    },
    token,
  );
}

async function writersOf(table: FenceTable, key: string): Promise<readonly number[]> {
  const row = await table.read(key);
  return row?.['writers']?.L?.map(({ N: token }) => Number(token)) ?? [];
}

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason !== undefined)(`concurrent writers on ${titleOf(kind)}`, () => {
    const useTable = useFenceTable(kind);

    it('never follow a writer with a higher token', async () => {
      const table = useTable();
      const key = crypto.randomUUID();
      const accepted: number[] = [];
      const stale: StaleTokenError[] = [];
      const write = async (token: number): Promise<void> => {
        try {
          await append(table, key, token);
          accepted.push(token);
        } catch (error) {
          if (!isTenureError(error) || error.code !== 'STALE_TOKEN') {
            throw error;
          }
          stale.push(error);
        }
      };
      // The higher the token, the later its writer begins, and each goes on to the end.
      await Promise.all(
        tokens.map(async (token, late) => {
          for (let round = 0; round < writesPerToken; round += 1) {
            await (round < late ? table.read(key) : write(token));
          }
        }),
      );
      const writers = await writersOf(table, key);
      expect(writers).toEqual(accepted.toSorted((a, b) => a - b));
      expect(new Set(writers).size).toBeGreaterThan(1);
      expect(stale.length).toBeGreaterThan(0);
      expect(stale.filter((error) => error.highestToken <= error.fencingToken)).toEqual([]);
      expect((await table.read(key))?.['fencingToken']).toEqual({ N: '38' });
    });
  });
}
