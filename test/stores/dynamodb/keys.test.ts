import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { creation, release, renewal, takeOver } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench } from './bench.ts';

const call = patiently();

const schemaOf = (partitionKey: string, sortKey?: string) => {
  const names = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return {
    AttributeDefinitions: names.map((name) => ({
      AttributeName: name,
      AttributeType: 'S' as const,
    })),
    KeySchema: names.map((name, index) => ({
      AttributeName: name,
      KeyType: index === 0 ? ('HASH' as const) : ('RANGE' as const),
    })),
  };
};

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`keys of a table on ${titleOf(kind)}`, () => {
    let bench: Bench | undefined;

    afterEach(async () => {
      await bench?.close();
      bench = undefined;
    });

    // Reserved words of DynamoDB, names that need quoting anywhere else, and one of a prototype.
    it.each([
      ['Table', 'name', undefined],
      ['select', 'values', 'order'],
      ['key.with-dots', 'a.b[0]', '#range'],
      ['constructor', '__proto', 'constructor'],
    ])(
      'may have any name: table %s, partition key %s, sort key %s',
      async (name, partitionKey, sortKey) => {
        bench = await startBench(kind, { name, schema: schemaOf(partitionKey, sortKey) });
        const store = bench.store({
          partitionKey,
          ...(sortKey && { sortKey: { name: sortKey, value: 'tenure' } }),
        });
        const lease = newLease();
        const key = {
          [partitionKey]: { S: lease },
          ...(sortKey && { [sortKey]: { S: 'tenure' } }),
        };
        const created = creation({ progress: '1' });
        const renewed = renewal([created.version]);
        const released = release([renewed.version], { progress: null });
        const retaken = takeOver(released.version);
        for (const write of [created, renewed, released, retaken]) {
          expect(await store.write(lease, write, call)).toEqual({ written: true });
          expect(await store.read(lease, call)).toMatchObject({ version: write.version });
          expect(await bench.item(key)).toMatchObject({
            ...key,
            recordVersionNumber: { S: write.version },
          });
        }
        const failed = await store.write(lease, creation(), call);
        expect(failed).toMatchObject({ written: false, found: { version: retaken.version } });
      },
    );

    it('keep leases of one name apart by their sort key', async () => {
      bench = await startBench(kind, { schema: schemaOf('key', 'range') });
      const lease = newLease();
      const one = bench.store({ sortKey: { name: 'range', value: 'one' } });
      const two = bench.store({ sortKey: { name: 'range', value: 'two' } });
      expect(await one.write(lease, creation(), call)).toEqual({ written: true });
      expect(await two.read(lease, call)).toBeUndefined();
      expect(await two.write(lease, creation(), call)).toEqual({ written: true });
    });

    it('serve a document client too, which stays as it was', async () => {
      bench = await startBench(kind);
      const client = DynamoDBDocumentClient.from(bench.client, {
        marshallOptions: { convertTopLevelContainer: false },
      });
      const middleware = client.middlewareStack.identify();
      const store = bench.store({ client });
      const lease = newLease();
      const created = creation({ progress: '{"a":1}' });
      expect(await store.write(lease, created, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toMatchObject({
        leaseDuration: { S: '15000' },
        fencingToken: { N: '33' },
        data: { B: new TextEncoder().encode('{"a":1}') },
      });
      expect(await store.read(lease, call)).toEqual(await bench.store().read(lease, call));
      const failed = await store.write(lease, creation(), call);
      expect(failed).toMatchObject({ written: false, found: { version: created.version } });
      expect(client.middlewareStack.identify()).toEqual(middleware);
    });
  });
}
