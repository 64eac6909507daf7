import { getEventListeners } from 'node:events';
import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseStore } from 'tenure';
import type { Interception } from '../../../functions/local/http-proxy.ts';
import { quickRetries } from '../../support/azurite.ts';
import { Bench, bidOn, final, newLease, patiently, rejection, win, within } from './bench.ts';
import { answers, Faults, refusal, type Step } from './faults.ts';

/** Answers that Azure gives and Azurite does not, made up on the wire. */
describe('azureBlobLeaseStore on answers of Azure', () => {
  let bench: Bench;
  let network: Faults;
  let store: LeaseStore;
  let lease: string;

  beforeAll(async () => {
    bench = await Bench.start();
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    lease = newLease();
    store = bench.store(network.client(bench));
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  const look = () => store.look(lease, patiently());
  const bid = () => store.acquire(lease, bidOn({ state: 'absent' }), patiently());

  it.each(['BlobNotFound', 'SoftDeletedBlobNotFound', 'ResourceNotFound'])(
    'sees no record where a read is answered by 404 %s',
    async (code) => {
      network.next('read', answers(404, code));
      expect(await look()).toEqual({ state: 'absent' });
    },
  );

  it('finds nothing where the blob of a bid is soft-deleted', async () => {
    const { held } = await win(bench.store(), lease);
    await held.release(final, patiently());
    const seen = await look();
    await bench.blob(lease).delete();
    network.next('acquire', answers(404, 'SoftDeletedBlobNotFound'));
    expect(await store.acquire(lease, bidOn(seen), patiently())).toEqual({
      acquired: false,
      found: { state: 'absent' },
    });
  });

  it.each([
    [409, 'BlobAlreadyExists'],
    [412, 'LeaseIdMissing'],
    [412, 'ConditionNotMet'],
  ])('takes %i %s for "there is such a blob" when it creates one', async (status, code) => {
    const first = await win(bench.store(), lease);
    network.next('create', answers(status, code));
    const result = await bid();
    expect(result).toMatchObject({
      acquired: false,
      found: { state: 'held', version: expect.any(String) },
    });
    expect(await first.held.renew({}, patiently())).toEqual({ renewed: true });
  });

  it.each([
    [409, 'LeaseAlreadyPresent'],
    [409, 'LeaseIsBreakingAndCannotBeAcquired'],
  ])('is refused by %i %s when it acquires', async (status, code) => {
    network.next('acquire', answers(status, code));
    expect(await bid()).toMatchObject({ acquired: false, found: { state: 'free' } });
  });

  it.each([
    [409, 'LeaseIdMismatchWithLeaseOperation'],
    [409, 'LeaseIsBrokenAndCannotBeRenewed'],
    [409, 'LeaseNotPresentWithLeaseOperation'],
    [412, 'LeaseLost'],
    [404, 'BlobNotFound'],
    [404, 'ContainerNotFound'],
    [409, 'ContainerBeingDeleted'],
  ])('takes %i %s for the end of the term when it renews', async (status, code) => {
    const { held } = await win(store, lease);
    network.next('renew', answers(status, code));
    expect(await held.renew({}, patiently())).toMatchObject({ renewed: false });
  });

  it.each([
    [412, 'LeaseIdMismatchWithBlobOperation'],
    [412, 'LeaseNotPresentWithBlobOperation'],
    [412, 'LeaseLost'],
    [404, 'BlobNotFound'],
  ])('takes %i %s for the end of the term when it saves', async (status, code) => {
    const { held } = await win(store, lease);
    network.next('metadata', answers(status, code));
    expect(await held.renew({ progress: '1' }, patiently())).toMatchObject({ renewed: false });
  });

  it('knows that a term is over also where it cannot read what stands in its place', async () => {
    const { held } = await win(store, lease);
    network.next('renew', answers(409, 'LeaseIdMismatchWithLeaseOperation'));
    network.next('read', answers(500, 'InternalError'));
    expect(await held.renew({}, patiently())).toMatchObject({
      renewed: false,
      found: { state: 'expired', record: { fencingToken: 33 } },
    });
  });

  it('takes the renewal of another lease id for the end of the term', async () => {
    // Azurite answers so after an expiry; on Azure it cannot be.
    const { held } = await win(store, lease);
    await bench.pass();
    await bench.blob(lease).getBlobLeaseClient(crypto.randomUUID()).acquireLease(15);
    await bench.pass();
    expect(await held.renew({}, patiently())).toMatchObject({ renewed: false });
  });

  const steps: readonly (readonly [Step, () => Promise<unknown>])[] = [
    ['read', look],
    ['create', bid],
    ['acquire', bid],
    ['metadata', bid],
    [
      'renew',
      async () =>
        (await win(bench.store(network.client(bench)), lease)).held.renew(
          { progress: '1' },
          patiently(),
        ),
    ],
    [
      'release',
      async () =>
        (await win(bench.store(network.client(bench)), lease)).held.release(final, patiently()),
    ],
  ];

  describe.each(steps)('names what is wrong when %s', (step, send) => {
    it.each([
      [403, 'AuthorizationPermissionMismatch', /Storage Blob Data Contributor .* rights rw/],
      [403, 'AuthorizationFailure', /firewall/],
      [403, 'AuthenticationFailed', /credentials .* \(AuthenticationFailed\)/],
      [401, 'NoAuthenticationInformation', /credentials/],
      [409, 'BlobImmutableDueToPolicy', /Azure refuses .* \(BlobImmutableDueToPolicy/],
      [400, 'InvalidHeaderValue', /Azure refuses .* \(InvalidHeaderValue, HTTP status 400\)/],
    ])('is answered by %i %s', async (status, code, message) => {
      network.next(step, answers(status, code));
      const error = await rejection(send());
      expect(error).toMatchObject({ code: 'STORE_REJECTED', store: 'azure-blob', lease });
      expect(error).toHaveProperty('message', expect.stringMatching(message));
      expect(error).toHaveProperty('message', expect.not.stringMatching(/said by a test/));
      expect(network.left).toBe(0);
    });
  });

  it('frees the lease of a bid that may not write its record', async () => {
    network.next('metadata', answers(403, 'AuthorizationPermissionMismatch'));
    await rejection(bid());
    expect((await bench.raw(lease))?.leaseState).toBe('available');
  });

  const busy: readonly (readonly [string, Interception])[] = [
    ['503 ServerBusy', answers(503, 'ServerBusy')],
    ['500 OperationTimedOut', answers(500, 'OperationTimedOut')],
    ['429', answers(429, 'TooManyRequests')],
    ['408', answers(408, 'RequestTimeout')],
    ['409 ContainerBeingDeleted', answers(409, 'ContainerBeingDeleted')],
    ["a 404 that is not the service's", answers(404, '')],
    ['nothing', { action: 'drop-request' }],
  ];

  it.each(busy)('reports a read answered by %s as unavailable', async (_, fault) => {
    network.next('read', fault);
    const error = await rejection(look());
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  });

  it.each(busy)('reports a bid answered by %s as unknown', async (_, fault) => {
    network.next('acquire', fault);
    const error = await rejection(bid());
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      retryable: true,
      cause: expect.any(Error),
    });
  });

  it('does not take a refusal after a lost reply for "not applied"', async () => {
    // The SDK repeats the request by itself, and reports only the last answer.
    const { held } = await win(bench.store(network.client(bench, quickRetries)), lease);
    network.next('metadata', { action: 'drop-reply' });
    expect(await held.renew({ progress: '"done"' }, patiently())).toEqual({ renewed: true });
    expect(network.steps.filter((step) => step === 'metadata')).toHaveLength(3);
    expect((await bench.raw(lease))?.metadata['progress']).toBe(
      Buffer.from('"done"').toString('base64url'),
    );
  });

  it('ends a call as soon as its signal aborts, though the SDK waits for its next attempt', async () => {
    const error = refusal(503, 'ServerBusy');
    network.next(
      'read',
      ...Array.from({ length: 4 }, () => ({ action: 'respond' as const, ...error })),
    );
    const patient = bench.store(
      network.client(bench, { retryOptions: { retryDelayInMs: 60_000 } }),
    );
    const reason = await rejection(patient.look(lease, within(100)));
    expect(reason).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('ends a call as soon as its signal aborts, though a credential never gives its token', async () => {
    const account = new BlobServiceClient('https://127.0.0.1:1/account', {
      getToken: () => new Promise(() => {}),
    });
    const waiting = bench.store(account.getContainerClient('leases'));
    const bidding = waiting.acquire(lease, bidOn({ state: 'absent' }), within(50));
    expect(await rejection(bidding)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await rejection(waiting.look(lease, within(50)))).toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });

  it('leaves no listener on the signal of a call', async () => {
    const { signal } = new AbortController();
    const call = { signal };
    const result = await store.acquire(lease, bidOn(await store.look(lease, call)), call);
    const held = result.acquired ? result.held : undefined;
    await held?.renew({ progress: '1' }, call);
    await held?.release(final, call);
    network.next('read', { action: 'drop-request' });
    await rejection(store.look(lease, call));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('tells the election that a term is renewed before it saves progress', async () => {
    const { held } = await win(store, lease);
    network.next('metadata', { action: 'hang-request' });
    let renewals = 0;
    const renewed = (): void => {
      renewals += 1;
    };
    const error = await rejection(held.renew({ progress: '1' }, { ...within(200), renewed }));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(renewals).toBe(1);
  });
});
