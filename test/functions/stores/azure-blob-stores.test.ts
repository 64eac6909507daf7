import type { ContainerClient } from '@azure/storage-blob';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startHttpProxy,
  type HttpProxy,
  type Interception,
  type ProxiedRequest,
} from '../../../functions/local/http-proxy.ts';
import { azuriteAccount } from '../../../functions/local/azurite-server.ts';
import { openAzureBlobStores } from '../../../functions/stores/azure-blob-stores.ts';
import {
  containerOf,
  newContainerName,
  startAzurite,
  type Azurite,
} from '../../support/azurite.ts';
import { bothMonths, deadEndpoint, StoresBench, timedRejection } from './bench.ts';

let server: Azurite;
let proxy: HttpProxy;
let bench: StoresBench;
/** What the next requests meet; those for which there is nothing pass. */
let intercept: (request: ProxiedRequest) => Interception | undefined;
/** Methods, each with the action on the blob that it asks for. */
let methods: Set<string>;

beforeAll(async () => {
  server = await startAzurite();
  proxy = await startHttpProxy({
    target: server.endpoint,
    intercept: (request) => {
      const { searchParams } = new URL(request.path, 'http://azurite');
      methods.add(`${request.method} ${searchParams.get('comp') ?? ''}`.trim());
      return intercept(request) ?? { action: 'pass' };
    },
  });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(async () => {
  intercept = () => undefined;
  methods = new Set();
  bench = await StoresBench.start();
});
afterEach(() => bench.close());

const emulator = { kind: 'account-key', key: azuriteAccount.key } as const;

function placeAt(endpoint: string, container: string) {
  const account = azuriteAccount.name;
  return { kind: 'azure-blob', account, container, endpoint: `${endpoint}/${account}` } as const;
}

async function newContainer(): Promise<ContainerClient> {
  const container = containerOf(server, newContainerName());
  await container.create();
  return container;
}

const open = (
  { containerName }: Pick<ContainerClient, 'containerName'>,
  endpoint = proxy.endpoint,
) => openAzureBlobStores(placeAt(endpoint, containerName), emulator);

async function namesIn(container: ContainerClient): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of container.listBlobsFlat()) {
    names.push(name);
  }
  return names;
}

describe('openAzureBlobStores', () => {
  it('keeps lease, ledger and charges in one container, apart by name', async () => {
    const container = await newContainer();
    expect(await bench.run(open(container))).toMatchObject({ reason: 'completed' });
    expect(bench.gateway.charged).toEqual(bothMonths);
    const names = await namesIn(container);
    const charges = bothMonths.map((charge) => `charges/${charge.replace(' ', '/')}.json`);
    expect(names.filter((name) => name.startsWith('charges/'))).toEqual(charges);
    expect(names.filter((name) => name.startsWith('ledger/'))).toHaveLength(bothMonths.length);
    expect(names.filter((name) => !name.includes('/'))).toEqual(['billing']);
    expect(names).toHaveLength(1 + 2 * bothMonths.length);
  });

  it('asks for no other operations than reading, writing and leasing blobs', async () => {
    const container = await newContainer();
    await bench.run(open(container));
    await bench.run(open(container));
    expect([...methods].toSorted()).toEqual(['GET', 'HEAD', 'PUT', 'PUT lease', 'PUT metadata']);
  });

  it('charges nobody again when the blob of the lease is deleted and all months are due', async () => {
    const container = await newContainer();
    await bench.run(open(container));
    const { requests } = bench.gateway;
    await container.getBlobClient('billing').delete();
    expect(await bench.run(open(container))).toMatchObject({
      reason: 'completed',
      periods: [
        { period: '2026-01', counts: { charged: 3 } },
        { period: '2026-02', counts: { charged: 3 } },
      ],
    });
    expect(bench.gateway).toMatchObject({ requests, charged: { length: bothMonths.length } });
  });

  it('names the container that is missing', async () => {
    await expect(bench.run(open({ containerName: 'gone' }))).rejects.toMatchObject({
      code: 'STORE_REJECTED',
      message: expect.stringContaining('there is no container gone'),
    });
    expect(bench.gateway.requests).toBe(0);
  });

  it('says so when the account refuses the credential, without showing it', async () => {
    const { containerName } = await newContainer();
    const key = Buffer.from('not the key').toString('base64');
    const place = placeAt(proxy.endpoint, containerName);
    const stores = openAzureBlobStores(place, { kind: 'account-key', key });
    const { error } = await timedRejection(() => bench.run(stores));
    expect(error).toMatchObject({ code: 'STORE_REJECTED' });
    expect(error).toMatchObject({ message: expect.stringMatching(/credentials|role/) });
    expect(String(error)).not.toContain(key);
  });

  it('is unavailable soon where nobody listens', async () => {
    const { error, ms } = await timedRejection(() =>
      bench.run(open({ containerName: 'billing' }, deadEndpoint)),
    );
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(ms).toBeLessThan(3_000);
  });

  it('is unavailable after the time of one request where nobody answers', async () => {
    intercept = () => ({ action: 'hang-request' });
    const { error, ms } = await timedRejection(() => bench.run(open({ containerName: 'billing' })));
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(ms).toBeLessThan(4_000);
  });

  it('repeats a request once whose connection was cut', async () => {
    const cut = new Set<string>();
    intercept = ({ method }) => {
      const isFirst = !cut.has(method);
      cut.add(method);
      return isFirst ? { action: 'drop-request' } : undefined;
    };
    const container = await newContainer();
    expect(await bench.run(open(container))).toMatchObject({ reason: 'completed' });
    expect(cut.size).toBeGreaterThan(1);
    expect(bench.gateway.charged).toEqual(bothMonths);
  });
});
