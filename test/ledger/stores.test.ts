import { GetItemCommand, PutItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ContainerClient } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { azureBlobLedgerStore } from '../../src/azure-blob.ts';
import { createLeaseTable, dynamoDbLedgerStore } from '../../src/dynamodb.ts';
import { createLedger, memoryLedgerStore, type LedgerStore } from '../../src/ledger/index.ts';
import { containerOf, newContainerName, startAzurite, type Azurite } from '../support/azurite.ts';
import { clientFor, dynamoDbServers, titleOf, type DynamoDbServer } from '../support/dynamodb.ts';
import { collected } from './bench.ts';
import { ledgerStoreSuite } from './ledger-store-suite.ts';
import { doneRecord, idOf, newKey, pendingRecord, writeOf } from './records.ts';

const call = () => ({ signal: new AbortController().signal });

describe('memoryLedgerStore', () => {
  const stores = new Map<string, LedgerStore>();
  const store = (prefix = '', pageSize?: number) => {
    const known = stores.get(prefix) ?? memoryLedgerStore(pageSize ? { pageSize } : {});
    stores.set(prefix, known);
    return known;
  };
  ledgerStoreSuite(() => ({
    store: ({ prefix, pageSize } = {}) => store(prefix, pageSize),
    raw: (id) => store().read(id, call()),
  }));
});

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`dynamoDbLedgerStore on ${titleOf(kind)}`, () => {
    let server: DynamoDbServer;
    let client: DynamoDBClient;
    const tableName = `ledger-${newKey()[1]}`;
    const sortKey = { name: 'sort', value: 'billing' };
    const table = { tableName, partitionKey: 'name', sortKey };

    beforeAll(async () => {
      server = await kind.start();
      client = clientFor(server);
      await createLeaseTable({
        client,
        tableName,
        partitionKey: 'name',
        sortKey: { name: 'sort' },
      });
    });

    afterAll(async () => {
      client.destroy();
      await server.close();
    });

    const keyOf = (id: string) => ({ name: { S: `ledger/${id}` }, sort: { S: 'billing' } });
    const itemOf = async (id: string) => {
      const query = { TableName: tableName, Key: keyOf(id), ConsistentRead: true };
      return (await client.send(new GetItemCommand(query))).Item;
    };

    ledgerStoreSuite(() => ({
      store: (options) => dynamoDbLedgerStore({ client, ...table, ...options }),
      raw: itemOf,
    }));

    it('stores text that a person can read', async () => {
      const record = doneRecord(newKey(), { chargeId: 'ch-1' });
      await dynamoDbLedgerStore({ client, ...table }).write(idOf(record), writeOf(record), call());
      const item = await itemOf(idOf(record));
      expect(item).toMatchObject({ ...keyOf(idOf(record)), ledgerState: { S: 'done' } });
      expect(JSON.parse(item?.['ledgerEntry']?.S ?? '')).toMatchObject({
        key: record.key,
        state: 'done',
        result: { chargeId: 'ch-1' },
      });
    });

    it('neither lists nor replaces entries of another sort key', async () => {
      const record = pendingRecord(newKey());
      const elsewhere = { ...table, sortKey: { name: 'sort', value: 'other' } };
      const other = dynamoDbLedgerStore({ client, ...elsewhere });
      await other.write(idOf(record), writeOf(record), call());
      const store = dynamoDbLedgerStore({ client, ...table, pageSize: 5_000 });
      expect((await store.listUnfinished(undefined, call())).ids).not.toContain(idOf(record));
      expect(await store.read(idOf(record), call())).toBe(undefined);
    });

    it.each([1, 3, 25])(
      'lists all in pages of %i where another ledger has the same keys under its sort key',
      async (pageSize) => {
        const prefix = `beside-${newKey()[1]}/`;
        const stores = ['one', 'two'].map((value) => {
          const at = { ...table, sortKey: { name: 'sort', value }, prefix, pageSize };
          return dynamoDbLedgerStore({ client, ...at });
        });
        const records = Array.from({ length: 7 }, () => pendingRecord(newKey()));
        for (const record of records) {
          await Promise.all(
            stores.map((store) => store.write(idOf(record), writeOf(record), call())),
          );
        }
        for (const store of stores) {
          const entries = await collected(createLedger({ store }).unfinished());
          const ids = entries.map(({ idempotencyKey }) => idempotencyKey);
          expect(ids.toSorted()).toEqual(records.map(idOf).toSorted());
        }
      },
    );

    it.each([
      ['an item without attributes', {}],
      ['text that is no JSON', { ledgerVersion: { S: 'v' }, ledgerEntry: { S: 'paid' } }],
      [
        'a state that is not that of the entry',
        { ledgerVersion: { S: 'v' }, ledgerState: { S: 'done' } },
      ],
    ])('refuses %s and leaves it as it is', async (_name, attributes) => {
      const record = pendingRecord(newKey());
      const ledgerEntry = { S: JSON.stringify(record) };
      const item = {
        ...keyOf(idOf(record)),
        ...('ledgerVersion' in attributes && { ledgerEntry }),
        ...attributes,
      };
      await client.send(new PutItemCommand({ TableName: tableName, Item: item }));
      const store = dynamoDbLedgerStore({ client, ...table });
      const invalid = { code: 'LEDGER_ENTRY_INVALID', retryable: false };
      await expect(store.read(idOf(record), call())).rejects.toMatchObject(invalid);
      await expect(store.write(idOf(record), writeOf(record), call())).rejects.toMatchObject(
        invalid,
      );
      expect(await itemOf(idOf(record))).toEqual(item);
    });

    it('says which table is missing', async () => {
      const store = dynamoDbLedgerStore({ client, tableName: 'absent' });
      const record = pendingRecord(newKey());
      const rejected = { code: 'STORE_REJECTED', message: expect.stringContaining('absent') };
      await expect(store.read('id', call())).rejects.toMatchObject(rejected);
      await expect(store.write('id', writeOf(record), call())).rejects.toMatchObject(rejected);
      await expect(store.listUnfinished(undefined, call())).rejects.toMatchObject(rejected);
    });
  });
}

describe('azureBlobLedgerStore', () => {
  let azurite: Azurite;
  let containerClient: ContainerClient;

  beforeAll(async () => {
    azurite = await startAzurite();
    containerClient = containerOf(azurite, newContainerName());
    await containerClient.create();
  });

  afterAll(async () => {
    await azurite.close();
  });

  const blobOf = (id: string) => containerClient.getBlockBlobClient(`ledger/${id}`);

  ledgerStoreSuite(() => ({
    store: (options) => azureBlobLedgerStore({ containerClient, ...options }),
    raw: async (id) => {
      const { etag, metadata } = await blobOf(id).getProperties();
      return { etag, metadata, body: (await blobOf(id).downloadToBuffer()).toString() };
    },
  }));

  it('stores text that a person can read', async () => {
    const record = doneRecord(newKey(), { chargeId: 'ch-1' });
    const store = azureBlobLedgerStore({ containerClient });
    await store.write(idOf(record), writeOf(record), call());
    const { contentType, metadata } = await blobOf(idOf(record)).getProperties();
    expect(contentType).toBe('application/json');
    expect(metadata).toMatchObject({ ledgerstate: 'done' });
    const body = (await blobOf(idOf(record)).downloadToBuffer()).toString();
    expect(JSON.parse(body)).toMatchObject({ key: record.key, result: { chargeId: 'ch-1' } });
  });

  it.each([
    ['a blob that is no JSON', 'paid', { ledgerstate: 'done' }],
    ['a state that is not that of the entry', undefined, { ledgerstate: 'done' }],
  ])('refuses %s and leaves it as it is', async (_name, text, metadata) => {
    const record = pendingRecord(newKey());
    const body = text ?? JSON.stringify(record);
    const blob = blobOf(idOf(record));
    await blob.upload(body, body.length, { metadata });
    const { etag } = await blob.getProperties();
    const store = azureBlobLedgerStore({ containerClient });
    const invalid = { code: 'LEDGER_ENTRY_INVALID', retryable: false };
    await expect(store.read(idOf(record), call())).rejects.toMatchObject(invalid);
    await expect(store.write(idOf(record), writeOf(record), call())).rejects.toMatchObject(invalid);
    expect((await blob.getProperties()).etag).toBe(etag);
  });

  it('says which container is missing', async () => {
    const missing = containerOf(azurite, 'absent');
    const store = azureBlobLedgerStore({ containerClient: missing });
    const record = pendingRecord(newKey());
    const rejected = { code: 'STORE_REJECTED', message: expect.stringContaining('absent') };
    await expect(store.read('id', call())).rejects.toMatchObject(rejected);
    await expect(store.write('id', writeOf(record), call())).rejects.toMatchObject(rejected);
    await expect(store.listUnfinished(undefined, call())).rejects.toMatchObject(rejected);
  });

  it('rejects a write to an entry that somebody has leased', async () => {
    const record = pendingRecord(newKey());
    const store = azureBlobLedgerStore({ containerClient });
    const result = await store.write(idOf(record), writeOf(record), call());
    const version = result.written ? result.version : '';
    await blobOf(idOf(record)).getBlobLeaseClient().acquireLease(15);
    await expect(store.write(idOf(record), writeOf(record, version), call())).rejects.toMatchObject(
      {
        code: 'STORE_REJECTED',
      },
    );
  });
});
