import type { ContainerClient } from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { azureBlobChargeStore } from '../../../functions/billing/azure-blob-charge-store.ts';
import type { ChargeRow } from '../../../functions/billing/charge-store.ts';
import {
  startHttpProxy,
  type HttpProxy,
  type Interception,
} from '../../../functions/local/http-proxy.ts';
import {
  containerOf,
  newContainerName,
  startAzurite,
  type Azurite,
} from '../../support/azurite.ts';

let server: Azurite;
let proxy: HttpProxy;
let container: ContainerClient;
let requests: string[];
/** What the next requests meet; later ones pass. */
let interceptions: Interception[];
beforeAll(async () => {
  server = await startAzurite();
  proxy = await startHttpProxy({
    target: server.endpoint,
    intercept: ({ method }) => {
      requests.push(method);
      return interceptions.shift() ?? { action: 'pass' };
    },
  });
  container = containerOf(proxy, newContainerName());
  await containerOf(server, container.containerName).create();
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(() => {
  requests = [];
  interceptions = [];
});

const rowOf = (customerId: string, chargeId = 'ch-1'): ChargeRow => ({
  customerId,
  period: '2026-10',
  amountMinor: 4900,
  currency: 'EUR',
  chargeId,
});

const charges = () => azureBlobChargeStore({ containerClient: container });

/** What is stored in each blob whose content names the customer. */
async function stored(customerId: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { name, metadata } of container.listBlobsFlat({ includeMetadata: true })) {
    const content = await container.getBlobClient(name).downloadToBuffer();
    const row = JSON.parse(content.toString('utf8')) as ChargeRow;
    if (row.customerId === customerId) {
      found.push({ name, row, token: metadata?.['fencingtoken'] });
    }
  }
  return found;
}

describe('azureBlobChargeStore', () => {
  it('writes a new row with its token in one request', async () => {
    await charges().record(rowOf('new'), 33);
    expect(requests).toEqual(['PUT']);
    expect(await stored('new')).toEqual([
      { name: '2026-10/new.json', row: rowOf('new'), token: '33' },
    ]);
  });

  it('writes again under the same token and under a higher one', async () => {
    await charges().record(rowOf('again'), 33);
    await charges().record(rowOf('again', 'ch-2'), 33);
    await charges().record(rowOf('again', 'ch-3'), 34);
    expect(await stored('again')).toMatchObject([{ row: { chargeId: 'ch-3' }, token: '34' }]);
  });

  it('refuses a lower token and leaves the row as it was', async () => {
    await charges().record(rowOf('late'), 34);
    requests = [];
    await expect(charges().record(rowOf('late', 'ch-2'), 33)).rejects.toMatchObject({
      code: 'STALE_TOKEN',
      fencingToken: 33,
      highestToken: 34,
    });
    // The service itself has refused the write before anybody looked.
    expect(requests).toEqual(['PUT', 'HEAD']);
    expect(await stored('late')).toMatchObject([{ row: rowOf('late'), token: '34' }]);
  });

  it('writes a row whose first write was applied although its reply was lost', async () => {
    const options = { retryOptions: { maxTries: 2, retryDelayInMs: 1 } };
    const retrying = containerOf(proxy, container.containerName, options);
    interceptions = [{ action: 'drop-reply' }];
    await azureBlobChargeStore({ containerClient: retrying }).record(rowOf('twice'), 33);
    expect(requests).toEqual(['PUT', 'PUT', 'HEAD', 'PUT']);
    expect(await stored('twice')).toMatchObject([{ row: rowOf('twice'), token: '33' }]);
  });

  it.each(['..', 'a/b', 'é ü', '100%', '%41', 'A', '~', 'x.', '?sig=1#'])(
    'keeps a customer called "%s" apart from all others',
    async (customerId) => {
      await charges().record(rowOf(customerId), 33);
      await charges().record(rowOf(customerId, 'ch-2'), 34);
      const name = `2026-10/${encodeURIComponent(customerId)}.json`;
      expect(await stored(customerId)).toMatchObject([{ name, row: rowOf(customerId, 'ch-2') }]);
    },
  );

  it('gives up a write that gets no answer', async () => {
    interceptions = [{ action: 'hang-request' }];
    const impatient = azureBlobChargeStore({ containerClient: container, timeoutMs: 100 });
    await expect(impatient.record(rowOf('lost'), 33)).rejects.toMatchObject({ name: 'AbortError' });
    expect(await stored('lost')).toEqual([]);
  });

  it('says so when the container takes no charges', async () => {
    const containerClient = containerOf(server, newContainerName());
    await expect(
      azureBlobChargeStore({ containerClient }).record(rowOf('x'), 33),
    ).rejects.toMatchObject({
      name: 'ChargesRefusedError',
      message: expect.stringContaining('takes no charges (RestError)'),
      cause: { statusCode: 404, code: 'ContainerNotFound' },
    });
  });
});
