import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLeaseTable, createLeaseTable } from '../../../src/dynamodb.ts';
import { createTable, dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { creation } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench } from './bench.ts';

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`tables of leases on ${titleOf(kind)}`, () => {
    let bench: Bench;

    beforeAll(async () => {
      bench = await startBench(kind);
    });

    afterAll(async () => {
      await bench.close();
    });

    const newTable = () => ({
      client: bench.client,
      tableName: `test-${randomUUID()}`,
      deletionProtection: false,
    });

    const described = async (tableName: string) => {
      const command = new DescribeTableCommand({ TableName: tableName });
      return (await bench.client.send(command)).Table;
    };

    it('are created with the default key, and nothing is wrong with them', async () => {
      const options = newTable();
      await createLeaseTable(options);
      expect(await described(options.tableName)).toMatchObject({
        TableStatus: 'ACTIVE',
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
        KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      });
      expect(await checkLeaseTable(options)).toEqual([]);
      const written = bench.store(options).write(newLease(), creation(), patiently());
      expect(await written).toEqual({ written: true });
    });

    it.each([
      ['its name', 'range'],
      ['the option of the store', { name: 'range', value: 'tenure' }],
    ])('are created with a sort key given by %s', async (_, sortKey) => {
      const options = { ...newTable(), partitionKey: 'lease', sortKey };
      await createLeaseTable(options);
      expect((await described(options.tableName))?.KeySchema).toEqual([
        { AttributeName: 'lease', KeyType: 'HASH' },
        { AttributeName: 'range', KeyType: 'RANGE' },
      ]);
      expect(await checkLeaseTable(options)).toEqual([]);
    });

    it('are left as they are if they exist', async () => {
      const options = newTable();
      await createLeaseTable(options);
      const store = bench.store(options);
      const lease = newLease();
      await store.write(lease, creation(), patiently());
      await createLeaseTable(options);
      expect(await store.read(lease, patiently())).toBeDefined();
    });

    it('are created once by many who start at the same time', async () => {
      const options = newTable();
      await Promise.all(Array.from({ length: 5 }, () => createLeaseTable(options)));
      expect(await checkLeaseTable(options)).toEqual([]);
    });

    it.each([
      [
        'another partition key',
        { partitionKey: 'id' },
        'partition key "key" \\(S\\).*"id" \\(S\\)',
      ],
      ['a sort key', { sortKey: 'range' }, 'no sort key, not the.*sort key "range" \\(S\\)'],
    ])('are refused if they exist and %s is asked for', async (_, keys, words) => {
      const options = { ...newTable(), ...keys };
      await createTable(bench.client, options.tableName);
      await expect(createLeaseTable(options)).rejects.toMatchObject({
        code: 'STORE_REJECTED',
        message: expect.stringMatching(`exists and has the .*${words}`),
      });
      expect(await checkLeaseTable(options)).toEqual([
        {
          problem: expect.stringMatching(words),
          remedy: expect.stringContaining('set partitionKey and sortKey'),
        },
      ]);
    });

    it('are refused if their key is no string', async () => {
      const options = newTable();
      await createTable(bench.client, options.tableName, {
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'N' }],
      });
      await expect(createLeaseTable(options)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
      expect(await checkLeaseTable(options)).toEqual([
        { problem: expect.stringContaining('"key" (N)'), remedy: expect.any(String) },
      ]);
    });

    it('are reported if they do not exist', async () => {
      expect(await checkLeaseTable(newTable())).toEqual([
        {
          problem: expect.stringContaining('there is no table test-'),
          remedy: expect.stringContaining('createLeaseTable'),
        },
      ]);
    });

    it.skipIf(kind.name.startsWith('dynalite'))(
      'are reported if TTL is switched on (dynalite cannot switch it on)',
      async () => {
        const options = newTable();
        await createLeaseTable(options);
        const TimeToLiveSpecification = { AttributeName: 'ttl', Enabled: true };
        await bench.client.send(
          new UpdateTimeToLiveCommand({ TableName: options.tableName, TimeToLiveSpecification }),
        );
        expect(await checkLeaseTable(options)).toEqual([
          {
            problem: expect.stringContaining('TTL is switched on'),
            remedy: expect.stringContaining('switch TTL off'),
          },
        ]);
      },
    );
  });
}
