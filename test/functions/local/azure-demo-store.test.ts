import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobServiceClient,
  generateAccountSASQueryParameters,
  SASProtocol,
} from '@azure/storage-blob';
import { createLedger } from 'tenure/ledger';
import { testLeadership } from 'tenure/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { azureAccountAt, blobServiceAt } from '../../../functions/local/azure-account.ts';
import { openAzureDemo } from '../../../functions/local/azure-demo-store.ts';
import { azureBlobKind } from '../../../functions/local/azure-kind.ts';
import { startHttpProxy } from '../../../functions/local/http-proxy.ts';
import { accountUrl, credential, startAzurite, type Azurite } from '../../support/azurite.ts';

let server: Azurite;
beforeAll(async () => {
  server = await startAzurite();
});
afterAll(() => server.close());

function sharedAccess(): string {
  return generateAccountSASQueryParameters(
    {
      expiresOn: new Date(Date.now() + 3_600_000),
      permissions: AccountSASPermissions.parse('rwdlc'),
      protocol: SASProtocol.HttpsAndHttp,
      resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
      services: AccountSASServices.parse('b').toString(),
    },
    credential,
  ).toString();
}

describe('openAzureDemo', () => {
  it.each([
    ["Azurite's own credentials", () => ''],
    ['a SAS', () => `?${sharedAccess()}`],
  ])('keeps charges and the ledger on a running server, with %s', async (_what, query) => {
    const store = await openAzureDemo(accountUrl(server) + query());
    const access = store.accessBy(store.target);
    const stores = await azureBlobKind.connect(access, { leaseMs: 15_000, fence: 'checked' });
    const charge = { customerId: 'ü', period: '2026-10', amountMinor: 1, currency: 'EUR' };
    await stores.charges.record({ ...charge, chargeId: 'ch-1' }, 33);
    const key = ['billing', 'ü', '2026-10'];
    const leadership = testLeadership({ fencingToken: 33 });
    await createLedger({ store: stores.ledger }).once(
      { key, leadership, request: charge, keyHonouredForMs: 0 },
      () => Promise.reject(new Error('no answer')),
    );
    expect(await store.readCharges()).toEqual([{ customerId: 'ü', period: '2026-10' }]);
    expect(await store.readUnfinished()).toMatchObject([{ key, state: 'unknown' }]);
    await store.close();
    const containers = new BlobServiceClient(accountUrl(server), credential).listContainers();
    expect(await containers.next()).toMatchObject({ done: true });
  });

  it.each([
    ['nobody listens', 'http://127.0.0.1:1/account?sig=secret'],
    ['the URL names no account', 'http://127.0.0.1:1'],
  ])('says what the endpoint must be where %s, and nothing of a credential', async (_what, url) => {
    const error = await openAzureDemo(url).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^no containers at http:.* with its account/) as string,
    });
    expect(String(error)).not.toContain('secret');
  });
});

describe('azureAccountAt', () => {
  it('puts nothing between a path that names the account and the server', () => {
    const account = azureAccountAt('http://127.0.0.1:10000/devstoreaccount1/?sig=x');
    expect(account.target).toBe('http://127.0.0.1:10000');
    expect(account.urlBy('http://127.0.0.1:7')).toBe('http://127.0.0.1:7/devstoreaccount1?sig=x');
    expect(account.rewrite).toBeUndefined();
  });

  it('reaches an account that the host names through a proxy', async () => {
    const account = azureAccountAt(`http://devstoreaccount1.blob.test/?${sharedAccess()}`);
    const seen: unknown[] = [];
    const proxy = await startHttpProxy({
      target: server.endpoint,
      rewrite: (head) => {
        const rewritten = account.rewrite?.(head) ?? head;
        seen.push([rewritten.path.split('?')[0], rewritten.headers['host']]);
        return rewritten;
      },
    });
    onTestFinished(() => proxy.close());
    const service = await blobServiceAt(account.urlBy(proxy.endpoint), {
      retryOptions: { maxTries: 1 },
    });
    const container = service.getContainerClient('by-host');
    await container.create();
    await container.getBlockBlobClient('a').upload('', 0);
    const direct = new BlobServiceClient(accountUrl(server), credential);
    expect(await direct.getContainerClient('by-host').getBlobClient('a').exists()).toBe(true);
    await container.delete();
    expect(seen[1]).toEqual(['/by-host/a', 'devstoreaccount1.blob.test']);
  });
});
