import {
  AnonymousCredential,
  BlobServiceClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  type ContainerClient,
} from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createElection } from 'tenure';
import { azureBlobLeaseStore, checkLeaseContainer, createLeaseContainer } from 'tenure/azure-blob';
import { ManualClock } from 'tenure/testing';
import {
  startHttpProxy,
  type HttpProxy,
  type Interception,
  type ProxiedRequest,
} from '../../../functions/local/http-proxy.ts';
import {
  accountUrl,
  containerOf,
  credential,
  newContainerName,
  noRetries,
} from '../../support/azurite.ts';
import { Bench, newLease, patiently, rejection, win } from './bench.ts';
import { answers, refusal } from './faults.ts';

describe('containers for leases', () => {
  let bench: Bench;
  let proxy: HttpProxy;
  let intercept: (request: ProxiedRequest) => Interception | undefined;
  let container: ContainerClient;

  beforeAll(async () => {
    bench = await Bench.start(1);
    proxy = await startHttpProxy({
      target: bench.server.endpoint,
      intercept: (request) => intercept(request) ?? { action: 'pass' },
    });
  });

  beforeEach(() => {
    intercept = () => undefined;
    container = containerOf(proxy, newContainerName());
  });

  afterAll(async () => {
    await proxy.close();
    await bench.close();
  });

  /** A client that may do no more than a SAS of the container says. */
  function withRights(permissions: string): ContainerClient {
    const { containerName } = container;
    const sas = generateBlobSASQueryParameters(
      {
        containerName,
        permissions: ContainerSASPermissions.parse(permissions),
        expiresOn: new Date(Date.now() + 86_400_000),
      },
      credential,
    );
    const url = `${accountUrl(proxy)}?${sas.toString()}`;
    return new BlobServiceClient(url, new AnonymousCredential(), noRetries).getContainerClient(
      containerName,
    );
  }

  const about = (path: string) => (request: ProxiedRequest) => request.path.includes(path);

  describe('createLeaseContainer', () => {
    it('creates a container without public access, in which leases can be kept', async () => {
      await createLeaseContainer({ containerClient: container });
      expect((await container.getProperties()).blobPublicAccess).toBeUndefined();
      expect(await checkLeaseContainer({ containerClient: container })).toEqual([]);
      await win(bench.store(container), newLease());
    });

    it('leaves a container alone that exists', async () => {
      await container.create({ metadata: { some: 'thing' } });
      await createLeaseContainer({ containerClient: container });
      expect((await container.getProperties()).metadata).toEqual({ some: 'thing' });
    });

    it('is content with a container that it may use but not create', async () => {
      await container.create();
      intercept = ({ method, path }) =>
        method === 'PUT' && path.includes('restype=container')
          ? answers(403, 'AuthorizationPermissionMismatch')
          : undefined;
      await createLeaseContainer({ containerClient: container });
    });

    it('says what is missing where it may not create one', async () => {
      intercept = () => answers(403, 'AuthorizationPermissionMismatch');
      const error = await rejection(createLeaseContainer({ containerClient: container }));
      expect(error).toMatchObject({
        code: 'STORE_REJECTED',
        message: expect.stringContaining('Storage Blob Data Contributor'),
      });
    });

    it('waits for the name of a container that is being deleted', async () => {
      const clock = new ManualClock();
      let refusals = 3;
      intercept = ({ method }) => {
        refusals -= 1;
        return method === 'PUT' && refusals >= 0
          ? answers(409, 'ContainerBeingDeleted')
          : undefined;
      };
      const created = createLeaseContainer({ containerClient: container, clock });
      for (const seconds of [2, 4, 6]) {
        await vi.waitFor(() => expect(clock.pendingSleeps).toBe(1));
        await clock.advance(2_000);
        expect(clock.monotonicMs()).toBe(seconds * 1_000);
      }
      await created;
      expect(await container.exists()).toBe(true);
    });

    it('is unsure without an answer, and ends when it is told to', async () => {
      intercept = () => answers(503, 'ServerBusy');
      expect(await rejection(createLeaseContainer({ containerClient: container }))).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
      });
      const reason = new Error('given up');
      const signal = AbortSignal.abort(reason);
      expect(await rejection(createLeaseContainer({ containerClient: container, signal }))).toBe(
        reason,
      );
    });
  });

  describe('checkLeaseContainer', () => {
    it('reports a container that is missing, and how to get one', async () => {
      expect(await checkLeaseContainer({ containerClient: container })).toEqual([
        {
          problem: expect.stringContaining('there is no container'),
          remedy: expect.stringContaining('createLeaseContainer'),
        },
      ]);
    });

    it('changes nothing', async () => {
      await container.create();
      await checkLeaseContainer({ containerClient: container });
      const { value: page } = await container.listBlobsFlat().byPage().next();
      expect(page).toMatchObject({ segment: { blobItems: [] } });
    });

    it('reports rights that do not suffice to lease', async () => {
      await container.create();
      const [problem] = await checkLeaseContainer({ containerClient: withRights('rl') });
      expect(problem).toEqual({
        problem: expect.stringContaining('may not do Lease Blob'),
        remedy: expect.stringContaining('Storage Blob Data Contributor'),
      });
    });

    it('reports rights that do not suffice to read', async () => {
      await container.create();
      expect(await checkLeaseContainer({ containerClient: withRights('w') })).toEqual([
        {
          problem: expect.stringContaining('may not do Get Blob Properties'),
          remedy: expect.stringContaining('rights rw'),
        },
      ]);
    });

    it('says what the rights rw, which suffice for leases, leave unchecked', async () => {
      await container.create();
      const client = withRights('rw');
      const problems = await checkLeaseContainer({ containerClient: client });
      expect(problems.length).toBeGreaterThan(0);
      for (const { problem } of problems) {
        expect(problem).toMatch(/not checked/);
      }
      const lease = newLease();
      const { held } = await win(bench.store(client), lease);
      expect(await held.renew({ progress: '1' }, patiently())).toEqual({ renewed: true });
    });

    it('reports a public container', async () => {
      await container.create({ access: 'blob' });
      expect(await checkLeaseContainer({ containerClient: container })).toEqual([
        {
          problem: expect.stringContaining('is public'),
          remedy: expect.stringContaining('private'),
        },
      ]);
    });

    const ownHeaders = {
      etag: '"0x1"',
      'last-modified': 'Sun, 29 Nov 2026 10:00:00 GMT',
      'x-ms-lease-state': 'available',
    };

    it.each(['x-ms-has-immutability-policy', 'x-ms-has-legal-hold'])(
      'reports %s',
      async (header) => {
        await container.create();
        intercept = (request) =>
          about('restype=container')(request) && !about('comp=list')(request)
            ? { action: 'respond', status: 200, headers: { ...ownHeaders, [header]: 'true' } }
            : undefined;
        expect(await checkLeaseContainer({ containerClient: container })).toMatchObject([
          { problem: expect.stringContaining('cannot be rewritten') },
        ]);
      },
    );

    it('reports versioning where the versions of blobs show it', async () => {
      await container.create();
      const blob = `<Blob><Name>orders</Name><VersionId>2026-11-29T10:00:00.0000000Z</VersionId><IsCurrentVersion>true</IsCurrentVersion><Properties><Last-Modified>Sun, 29 Nov 2026 10:00:00 GMT</Last-Modified><Etag>0x1</Etag></Properties></Blob>`;
      intercept = (request) =>
        about('comp=list')(request)
          ? {
              action: 'respond',
              status: 200,
              headers: { 'content-type': 'application/xml' },
              body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://localhost/" ContainerName="c"><MaxResults>10</MaxResults><Blobs>${blob}</Blobs><NextMarker /></EnumerationResults>`,
            }
          : undefined;
      expect(await checkLeaseContainer({ containerClient: container })).toMatchObject([
        { problem: expect.stringContaining('versioning is switched on') },
      ]);
    });

    it('throws where there is no answer, or no usable client', async () => {
      await container.create();
      intercept = () => ({ action: 'respond', ...refusal(503, 'ServerBusy') });
      const failed = await rejection(checkLeaseContainer({ containerClient: container }));
      expect(failed).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      intercept = () => answers(403, 'AuthenticationFailed');
      const refused = await rejection(checkLeaseContainer({ containerClient: container }));
      expect(refused).toMatchObject({ code: 'STORE_REJECTED' });
    });
  });

  describe('options', () => {
    it.each([undefined, {}, 'leases', () => container])('refuse %s as a client', async (given) => {
      const containerClient = given as unknown as ContainerClient;
      expect(() => azureBlobLeaseStore({ containerClient })).toThrow(TypeError);
      expect(await rejection(createLeaseContainer({ containerClient }))).toBeInstanceOf(TypeError);
      expect(await rejection(checkLeaseContainer({ containerClient }))).toBeInstanceOf(TypeError);
    });

    it('refuse another way to treat a lost token', () => {
      const onTokenLost = 'ignore' as unknown as 'fail';
      expect(() => azureBlobLeaseStore({ containerClient: container, onTokenLost })).toThrow(
        `onTokenLost must be 'fail' or 'restart', got "ignore"`,
      );
    });

    it.each([5_000, 14_000, 61_000, 15_500])(
      'refuse a lease of %i ms at construction',
      (leaseDurationMs) => {
        const store = azureBlobLeaseStore({ containerClient: container });
        expect(() =>
          createElection({ store, lease: 'orders', timing: { leaseDurationMs } }),
        ).toThrow(/multiple of 1000 from 15000 to 60000/);
      },
    );
  });
});
