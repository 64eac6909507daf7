import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sendFenced } from '../../../src/fencing/dynamodb/send.ts';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import {
  expressionsOf,
  putExpressions,
  startRow,
  updateExpressions,
  type Expressions,
} from './expression-arbitraries.ts';
import { useFenceTable, type FenceTable, type RawRow } from './fence-table.ts';

const ownToken = 33;

/** `undefined`: a row that no fenced write has met. */
const storedMarks = fc.constantFrom(undefined, 12, ownToken, 34);

/** How one write ended: the name of its error, if any, and the row that it left, without its key. */
interface Ending {
  readonly error: string | undefined;
  readonly row: RawRow | undefined;
}

async function endingOf(
  table: FenceTable,
  mark: number | undefined,
  write: (key: string) => Promise<unknown>,
): Promise<Ending> {
  const key = crypto.randomUUID();
  await table.store(rowWith(key, mark));
  const error = await write(key).then(
    () => undefined,
    (reason: unknown) => (reason instanceof Error ? reason.name : 'unknown'),
  );
  const row = await table.read(key);
  return { error, row: row && { ...row, key: { S: 'same' } } };
}

function rowWith(key: string, mark: number | undefined): RawRow {
  return {
    ...structuredClone(startRow),
    key: { S: key },
    ...(mark === undefined ? {} : { fencingToken: { N: String(mark) } }),
  };
}

/** What the fence must make of a write that ends as `plain` without it. */
function fencedEnding(plain: Ending, mark: number | undefined): Ending {
  if ((mark ?? 0) > ownToken) {
    return { error: 'StaleTokenError', row: rowWith('same', mark) };
  }
  return plain.error === undefined
    ? { error: undefined, row: { ...plain.row, fencingToken: { N: String(ownToken) } } }
    : plain;
}

function updating(table: FenceTable, key: string, own: Expressions) {
  return { TableName: table.name, Key: { key }, ...own };
}

function plainly(table: FenceTable, mark: number, update: string): Promise<Ending> {
  const own = expressionsOf({ update });
  return endingOf(table, mark, (key) =>
    table.documentClient.send(new UpdateCommand(updating(table, key, own))),
  );
}

function putting(table: FenceTable, key: string, own: Expressions) {
  return { TableName: table.name, Item: { key, replaced: true }, ...own };
}

/** Every order of every choice of at least one of `parts`. */
function arrangements(parts: readonly string[]): readonly (readonly string[])[] {
  return parts.flatMap((first) => [
    [first],
    ...arrangements(parts.filter((part) => part !== first)).map((rest) => [first, ...rest]),
  ]);
}

const clauses = ['SET a = :zero', 'REMOVE obsolete', 'ADD tally :n', 'DELETE #remove :set_of_s'];

/** Writes the keyword of a clause in upper case, lower case or both, in turn. */
function spelling(turn: number): (clause: string) => string {
  const spell = [
    (keyword: string) => keyword,
    (keyword: string) => keyword.toLowerCase(),
    (keyword: string) => keyword.charAt(0) + keyword.slice(1).toLowerCase(),
  ][turn % 3];
  return (clause) => clause.replace(/^\w+/, (keyword) => spell?.(keyword) ?? keyword);
}

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason !== undefined)(`fenced on ${titleOf(kind)}`, () => {
    const useTable = useFenceTable(kind);

    it('keeps the clauses of an Update in every order', async () => {
      const table = useTable();
      const orders = arrangements(clauses);
      const plainEndings = new Map<string, Ending>();
      for (const [turn, order] of orders.entries()) {
        const chosen = order.toSorted().join(' ');
        const plain = plainEndings.get(chosen) ?? (await plainly(table, 12, chosen));
        plainEndings.set(chosen, plain);
        const own = expressionsOf({ update: order.map(spelling(turn)).join(' ') });
        const ending = await endingOf(table, 12, (key) =>
          sendFenced(table.documentClient, updating(table, key, own), ownToken),
        );
        expect(plain.error).toBe(undefined);
        expect(ending).toEqual(fencedEnding(plain, 12));
      }
      expect([orders.length, plainEndings.size]).toEqual([64, 15]);
    });

    it('changes an Update in nothing but the fence', async () => {
      const table = useTable();
      const update = async (mark: number | undefined, own: Expressions): Promise<void> => {
        const plain = await endingOf(table, mark, (key) =>
          table.documentClient.send(new UpdateCommand(updating(table, key, own))),
        );
        const ending = await endingOf(table, mark, (key) =>
          sendFenced(table.documentClient, updating(table, key, own), ownToken),
        );
        expect([undefined, 'ConditionalCheckFailedException']).toContain(plain.error);
        expect(ending).toEqual(fencedEnding(plain, mark));
      };
      await fc.assert(fc.asyncProperty(storedMarks, updateExpressions, update), { numRuns: 80 });
    });

    it('changes a Put in nothing but the fence', async () => {
      const table = useTable();
      const put = async (mark: number | undefined, own: Expressions): Promise<void> => {
        const plain = await endingOf(table, mark, (key) =>
          table.documentClient.send(new PutCommand(putting(table, key, own))),
        );
        const ending = await endingOf(table, mark, (key) =>
          sendFenced(table.documentClient, putting(table, key, own), ownToken),
        );
        expect([undefined, 'ConditionalCheckFailedException']).toContain(plain.error);
        expect(ending).toEqual(fencedEnding(plain, mark));
      };
      await fc.assert(fc.asyncProperty(storedMarks, putExpressions, put), { numRuns: 40 });
    });

    it.each([
      'SET',
      'SET a = :n SET settled = :n',
      ', settled = :n',
      'settled = :n',
      'REMOVE obsolete,',
      'SET a = :n REMOVE',
    ])('does not mend the malformed update %j', async (update) => {
      const table = useTable();
      const { error, row } = await endingOf(table, 12, (key) =>
        sendFenced(table.documentClient, updating(table, key, expressionsOf({ update })), ownToken),
      );
      expect({ error, row }).toEqual({ error: 'ValidationException', row: rowWith('same', 12) });
    });
  });
}
