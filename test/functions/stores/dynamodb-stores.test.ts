import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, ScanCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  operationOf,
  startHttpProxy,
  type HttpProxy,
  type Interception,
} from '../../../functions/local/http-proxy.ts';
import { openDynamoDbStores } from '../../../functions/stores/dynamodb-stores.ts';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import { clientFor, createTable, type DynamoDbServer } from '../../support/dynamodb.ts';
import { bothMonths, deadEndpoint, StoresBench, timedRejection } from './bench.ts';

let server: DynamoDbServer;
let proxy: HttpProxy;
let client: DynamoDBClient;
let bench: StoresBench;
/** What the next requests meet; those for which there is nothing pass. */
let intercept: (operation: string | undefined) => Interception | undefined;
/** Operations with their tables. */
let operations: Set<string>;

beforeAll(async () => {
  server = await startDynalite();
  client = clientFor(server);
  proxy = await startHttpProxy({
    target: server.endpoint,
    intercept: (request) => {
      const { TableName } = JSON.parse(request.body) as { TableName: string };
      operations.add(`${operationOf(request)} ${TableName.replace(/-.*/, '')}`);
      return intercept(operationOf(request)) ?? { action: 'pass' };
    },
  });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  intercept = () => undefined;
  operations = new Set();
  bench = await StoresBench.start();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await bench.close();
});

const charges = {
  AttributeDefinitions: ['customerId', 'period'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S' as const,
  })),
  KeySchema: [
    { AttributeName: 'customerId', KeyType: 'HASH' as const },
    { AttributeName: 'period', KeyType: 'RANGE' as const },
  ],
};

async function newPlace(endpoint: string = proxy.endpoint) {
  const id = crypto.randomUUID();
  return {
    kind: 'dynamodb',
    leaseTable: await createTable(client, `leases-${id}`),
    chargesTable: await createTable(client, `charges-${id}`, charges),
    region: 'eu-central-1',
    endpoint,
  } as const;
}

async function itemsOf(TableName: string) {
  return (await client.send(new ScanCommand({ TableName }))).Items ?? [];
}

describe('openDynamoDbStores', () => {
  it('keeps lease and ledger in one table and charges in the other', async () => {
    const place = await newPlace();
    expect(await bench.run(openDynamoDbStores(place))).toMatchObject({ reason: 'completed' });
    expect(bench.gateway.charged).toEqual(bothMonths);
    const keys = (await itemsOf(place.leaseTable)).map(({ key }) => key?.S ?? '');
    expect(keys.filter((key) => !key.startsWith('ledger'))).toEqual(['billing']);
    expect(keys).toHaveLength(1 + bothMonths.length);
    const rows = await itemsOf(place.chargesTable);
    expect(
      rows.map(({ period, customerId }) => `${period?.S} ${customerId?.S}`).toSorted(),
    ).toEqual(bothMonths);
  });

  it('asks for no other operations than the role of the function allows', async () => {
    const place = await newPlace();
    await bench.run(openDynamoDbStores(place));
    await bench.run(openDynamoDbStores(place));
    expect([...operations].toSorted()).toEqual([
      'GetItem leases',
      'PutItem charges',
      'PutItem leases',
      'UpdateItem leases',
    ]);
  });

  it('charges nobody again when the item of the lease is deleted and all months are due', async () => {
    const place = await newPlace();
    await bench.run(openDynamoDbStores(place));
    const { requests } = bench.gateway;
    const Key = { key: { S: 'billing' } };
    await client.send(new DeleteItemCommand({ TableName: place.leaseTable, Key }));
    expect(await bench.run(openDynamoDbStores(place))).toMatchObject({
      reason: 'completed',
      periods: [
        { period: '2026-01', counts: { charged: 3 } },
        { period: '2026-02', counts: { charged: 3 } },
      ],
    });
    expect(bench.gateway).toMatchObject({ requests, charged: { length: bothMonths.length } });
  });

  it('names the table of the leases that is missing', async () => {
    const place = { ...(await newPlace()), leaseTable: 'leases-gone' };
    await expect(bench.run(openDynamoDbStores(place))).rejects.toMatchObject({
      code: 'STORE_REJECTED',
      message: expect.stringContaining('there is no active table leases-gone'),
    });
    expect(bench.gateway.requests).toBe(0);
  });

  it('stops the run at the first charge where the table of the charges is missing', async () => {
    const place = { ...(await newPlace()), chargesTable: 'charges-gone' };
    await expect(bench.run(openDynamoDbStores(place))).rejects.toMatchObject({
      name: 'BillingStoppedError',
      cause: { name: 'ChargesRefusedError', cause: { name: 'ResourceNotFoundException' } },
    });
    expect(bench.gateway.requests).toBe(1);
  });

  it('names the permission that is missing', async () => {
    const place = await newPlace();
    intercept = () => ({
      action: 'respond',
      status: 400,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: JSON.stringify({
        __type: 'com.amazon.coral.service#AccessDeniedException',
        Message: 'User: arn:aws:sts::1:assumed-role/secret is not authorized',
      }),
    });
    await expect(bench.run(openDynamoDbStores(place))).rejects.toMatchObject({
      code: 'STORE_REJECTED',
      message: expect.stringMatching(/may not call dynamodb:GetItem on table leases-\S+;/),
    });
  });

  it('says so when the environment has no credentials, and looks for none elsewhere', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
    const file = join(folder, 'credentials');
    await writeFile(file, '[default]\naws_access_key_id = a\naws_secret_access_key = b\n');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
    const stores = openDynamoDbStores(await newPlace());
    const { error, ms } = await timedRejection(() => bench.run(stores));
    expect(error).toMatchObject({
      code: 'STORE_REJECTED',
      message: expect.stringContaining('the credentials of the client are missing'),
    });
    expect(ms).toBeLessThan(900);
    expect(operations.size).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('is unavailable at once where nobody listens', async () => {
    const stores = openDynamoDbStores(await newPlace(deadEndpoint));
    const { error, ms } = await timedRejection(() => bench.run(stores));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(ms).toBeLessThan(1_500);
  });

  it('is unavailable after the time of one request where nobody answers', async () => {
    intercept = () => ({ action: 'hang-request' });
    const stores = openDynamoDbStores(await newPlace());
    const { error, ms } = await timedRejection(() => bench.run(stores));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(ms).toBeLessThan(4_000);
  });

  it('repeats a request once whose connection was cut', async () => {
    const cut = new Set<string | undefined>();
    intercept = (operation) => {
      const isFirst = !cut.has(operation);
      cut.add(operation);
      return isFirst ? { action: 'drop-request' } : undefined;
    };
    const place = await newPlace();
    expect(await bench.run(openDynamoDbStores(place))).toMatchObject({ reason: 'completed' });
    expect(cut.size).toBe(3);
    expect(bench.gateway.charged).toEqual(bothMonths);
  });
});
