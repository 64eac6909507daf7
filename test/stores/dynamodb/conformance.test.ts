import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoDbLeaseStore } from 'tenure/dynamodb';
import { leaseStoreSuite, recordStoreSuite, type RawLease } from 'tenure/testing';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { startBench, type Bench, type Item } from './bench.ts';

/** Reads an item by its attributes alone, without the store's code. */
function rawLeaseOf(item: Item | undefined): RawLease | undefined {
  if (!item) {
    return undefined;
  }
  const { ownerName, fencingToken, isReleased, data, jobState } = item;
  return {
    holder: ownerName?.S ?? '',
    fencingToken: fencingToken?.N === undefined ? undefined : Number(fencingToken.N),
    released: isReleased?.S === '1',
    progress: data?.B && new TextDecoder('utf-8', { ignoreBOM: true }).decode(data.B),
    jobState: jobState?.S,
  };
}

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`dynamoDbLeaseStore on ${titleOf(kind)}`, () => {
    let bench: Bench;

    beforeAll(async () => {
      bench = await startBench(kind);
    });

    afterAll(async () => {
      await bench.close();
    });

    const readRaw = async (lease: string): Promise<RawLease | undefined> =>
      rawLeaseOf(await bench.item(lease));

    recordStoreSuite({ describe, it, expect }, { createStore: () => bench.store(), readRaw });
    leaseStoreSuite(
      { describe, it, expect },
      {
        createStore: () => {
          const { client, tableName } = bench;
          return dynamoDbLeaseStore({ client, tableName });
        },
        readRaw,
      },
    );
  });
}
