import type { LookupFunction } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RecordStore } from '../../../src/core/record-store.ts';
import { dynamoDbRecordStore } from '../../../src/stores/dynamodb/record-store.ts';
import { clientFor, createTable, dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { creation } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench } from './bench.ts';

const failures = async (store: RecordStore, lease = newLease()) => {
  const call = patiently();
  return {
    read: await store.read(lease, call).catch((error: unknown) => error),
    write: await store.write(lease, creation(), call).catch((error: unknown) => error),
  };
};

const rejectedWith = (message: RegExp) => ({
  code: 'STORE_REJECTED',
  message: expect.stringMatching(message),
});

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`a table that does not fit on ${titleOf(kind)}`, () => {
    let bench: Bench;

    beforeAll(async () => {
      bench = await startBench(kind);
    });

    afterAll(async () => {
      await bench.close();
    });

    it('is named if it does not exist', async () => {
      const expected = rejectedWith(/no active table not-there.*createLeaseTable/);
      expect(await failures(bench.store({ tableName: 'not-there' }))).toMatchObject({
        read: expected,
        write: expected,
      });
    });

    it.each([
      ['another partition key', { partitionKey: 'id' }],
      ['a sort key', { sortKey: { name: 'range', value: 'x' } }],
    ])('is named if the store is configured for %s', async (_, options) => {
      const expected = rejectedWith(/keys of table .* partitionKey and sortKey/);
      expect(await failures(bench.store(options))).toMatchObject({
        read: expected,
        write: expected,
      });
    });

    it('is named if it has a sort key that the store does not know', async () => {
      const tableName = await createTable(bench.client, undefined, {
        AttributeDefinitions: [
          { AttributeName: 'key', AttributeType: 'S' },
          { AttributeName: 'range', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'key', KeyType: 'HASH' },
          { AttributeName: 'range', KeyType: 'RANGE' },
        ],
      });
      const expected = rejectedWith(/keys of table .* partitionKey and sortKey/);
      expect(await failures(bench.store({ tableName }))).toMatchObject({
        read: expected,
        write: expected,
      });
    });

    it('is named if its key is no string', async () => {
      const tableName = await createTable(bench.client, undefined, {
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'N' }],
      });
      const expected = rejectedWith(/keys of table .* type string/);
      expect(await failures(bench.store({ tableName }))).toMatchObject({
        read: expected,
        write: expected,
      });
    });

    it('is not blamed for the name of a lease that is too long', async () => {
      const expected = rejectedWith(/refuses (Get|Update)Item.*ValidationException/);
      expect(await failures(bench.store(), 'x'.repeat(2049))).toMatchObject({
        read: expected,
        write: expected,
      });
    });
  });
}

/** A resolver that knows no name. */
const unknown: LookupFunction = (hostname, _options, callback) => {
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  callback(Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo' }), '');
};

describe('a client that is not usable', () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrEXAMPLE' };
  const region = 'eu-central-1';

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const storeOf = (client: DynamoDBClient) => dynamoDbRecordStore({ client, tableName: 'leases' });

  /** Nothing that this machine happens to have set up for the SDK. */
  const withoutSettings = (): void => {
    for (const name of Object.keys(process.env).filter((key) => key.startsWith('AWS_'))) {
      vi.stubEnv(name, undefined);
    }
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
  };

  it('is named if it has no region', async () => {
    withoutSettings();
    const client = new DynamoDBClient({ endpoint: 'http://127.0.0.1:1', credentials });
    const expected = rejectedWith(/client has no region/);
    expect(await failures(storeOf(client))).toMatchObject({
      read: expected,
      write: expected,
    });
  });

  it('is named if it finds no credentials', async () => {
    withoutSettings();
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const client = new DynamoDBClient({ endpoint: 'http://127.0.0.1:1', region });
    const expected = rejectedWith(/credentials of the client are missing/);
    expect(await failures(storeOf(client))).toMatchObject({
      read: expected,
      write: expected,
    });
  });

  it.each([
    ['nobody listens', 'ECONNREFUSED', { endpoint: 'http://127.0.0.1:1' }],
    ['nobody listens on either address', 'ECONNREFUSED', { endpoint: 'http://localhost:1' }],
    ['the name is unknown', 'ENOTFOUND', { requestHandler: { httpAgent: { lookup: unknown } } }],
  ])('has written nothing if %s', async (_, code, config) => {
    const client = clientFor({ endpoint: 'http://localhost:1' }, config);
    const unavailable = { code: 'STORE_UNAVAILABLE', cause: expect.objectContaining({ code }) };
    expect(await failures(storeOf(client))).toMatchObject({
      read: unavailable,
      write: unavailable,
    });
  });

  it('may have written if it could not connect in a later attempt', async () => {
    const client = clientFor({ endpoint: 'http://127.0.0.1:1' }, { maxAttempts: 2 });
    expect(await failures(storeOf(client))).toMatchObject({
      read: { code: 'STORE_UNAVAILABLE' },
      write: { code: 'OUTCOME_UNKNOWN' },
    });
  });
});
