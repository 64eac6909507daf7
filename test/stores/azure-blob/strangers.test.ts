import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseStore } from 'tenure';
import { azureBlobLeaseStore } from 'tenure/azure-blob';
import { containerOf, newContainerName } from '../../support/azurite.ts';
import { Bench, bidOn, final, newLease, patiently, rejection, win } from './bench.ts';

type BlobClient = ReturnType<Bench['blob']>;

const text = (value: string): string => Buffer.from(value).toString('base64url');

describe('azureBlobLeaseStore and a stranger', () => {
  let bench: Bench;
  let store: LeaseStore;
  let lease: string;

  beforeAll(async () => {
    bench = await Bench.start();
  });

  beforeEach(() => {
    lease = newLease();
    store = bench.store();
  });

  afterAll(async () => {
    await bench.close();
  });

  const look = () => store.look(lease, patiently());
  const breakNow = (blob: BlobClient) => blob.getBlobLeaseClient('').breakLease(0);

  /** What a stranger does, and what the term then finds in its place. */
  const intrusions: readonly (readonly [
    string,
    (blob: BlobClient) => Promise<unknown>,
    unknown,
  ])[] = [
    ['breaks the lease', breakNow, { state: 'expired', record: { fencingToken: 33 } }],
    [
      'breaks the lease with a period',
      (blob) => blob.getBlobLeaseClient('').breakLease(15),
      { state: 'held', record: { fencingToken: 33 } },
    ],
    [
      'breaks and deletes',
      async (blob) => {
        await breakNow(blob);
        await blob.delete();
      },
      { state: 'absent' },
    ],
    [
      'breaks, and takes the lease',
      async (blob) => {
        await breakNow(blob);
        await blob.getBlobLeaseClient(crypto.randomUUID()).acquireLease(-1);
      },
      { state: 'held', record: { fencingToken: 33 } },
    ],
  ];

  it.each(intrusions)('that %s ends the term', async (_, intrude, found) => {
    const { held } = await win(store, lease);
    await intrude(bench.blob(lease));
    expect(await held.renew({ progress: '1' }, patiently())).toMatchObject({
      renewed: false,
      found,
    });
    expect((await bench.raw(lease))?.metadata['progress']).toBeUndefined();
  });

  it.each(intrusions)('that %s leaves only what is still held to release', async (_, intrude) => {
    const { held } = await win(store, lease);
    await intrude(bench.blob(lease));
    // A lease that is being broken is held until the period ends, and can be written under.
    const isBreaking = (await bench.raw(lease))?.leaseState === 'breaking';
    expect(await held.release(final, patiently())).toMatchObject({ released: isBreaking });
  });

  const overwrites: readonly (readonly [string, (blob: BlobClient) => Promise<unknown>])[] = [
    ['overwrites the blob', (blob) => blob.upload('mine', 4)],
    ['removes the metadata', (blob) => blob.setMetadata({})],
    ['writes metadata of its own', (blob) => blob.setMetadata({ state: 'free', token: '1' })],
  ];

  it.each(overwrites)(
    'that breaks the lease and %s ends the term with an error',
    async (_, write) => {
      const { held } = await win(store, lease);
      await breakNow(bench.blob(lease));
      await write(bench.blob(lease));
      const error = await rejection(held.renew({ progress: '1' }, patiently()));
      expect(error).toMatchObject({ code: 'LEASE_RECORD_INVALID', reason: 'malformed' });
    },
  );

  it.each(overwrites)('that %s of a free lease is reported, and left alone', async (_, write) => {
    const { held } = await win(store, lease);
    await held.release(final, patiently());
    const seen = await look();
    await write(bench.blob(lease));
    const before = await bench.raw(lease);
    const malformed = {
      code: 'LEASE_RECORD_INVALID',
      reason: 'malformed',
      store: 'azure-blob',
      lease,
    };
    expect(await rejection(look())).toMatchObject(malformed);
    const again = bidOn(seen, { fencingToken: 34 });
    expect(await rejection(store.acquire(lease, again, patiently()))).toMatchObject(malformed);
    const fresh = bidOn({ state: 'absent' });
    expect(await rejection(store.acquire(lease, fresh, patiently()))).toMatchObject(malformed);
    expect(await bench.raw(lease)).toEqual(before);
  });

  it('that writes or deletes without the lease id is turned away while it is held', async () => {
    const { held } = await win(store, lease);
    const blob = bench.blob(lease);
    const writes = [() => blob.setMetadata({}), () => blob.upload('', 0), () => blob.delete()];
    for (const write of writes) {
      expect(await rejection(write())).toMatchObject({ statusCode: 412 });
    }
    expect(await held.renew({}, patiently())).toEqual({ renewed: true });
  });

  it('that knows the lease id and rewrites the record ends the term', async () => {
    const first = await win(store, lease);
    const { attemptId: leaseId } = first.bid;
    const conditions = { leaseId };
    const others = { ...(await bench.metadata(lease)), mark: crypto.randomUUID() };
    await bench.blob(lease).setMetadata(others, { conditions });
    expect(await first.held.renew({}, patiently())).toMatchObject({ renewed: false });
    await bench.blob(lease).setMetadata({}, { conditions });
    expect(await rejection(first.held.renew({}, patiently()))).toMatchObject({
      code: 'LEASE_RECORD_INVALID',
    });
  });

  it('that raises the token of a free lease is followed, not overwritten', async () => {
    const { held } = await win(store, lease);
    await held.release(final, patiently());
    const seen = await look();
    await bench.blob(lease).setMetadata({ ...(await bench.metadata(lease)), token: '50' });
    const result = await store.acquire(lease, bidOn(seen, { fencingToken: 34 }), patiently());
    expect(result).toMatchObject({ acquired: false, found: { record: { fencingToken: 50 } } });
  });

  it('that deletes a free lease leaves a new record', async () => {
    const { held } = await win(store, lease);
    await held.release(final, patiently());
    const seen = await look();
    await bench.blob(lease).delete();
    expect(await store.acquire(lease, bidOn(seen, { fencingToken: 34 }), patiently())).toEqual({
      acquired: false,
      found: { state: 'absent' },
    });
    await win(store, lease, { fencingToken: 90 });
    expect((await bench.raw(lease))?.metadata['token']).toBe('90');
  });

  it('that breaks the lease of nobody changes nothing', async () => {
    const { held } = await win(store, lease);
    await held.release(final, patiently());
    expect(await rejection(breakNow(bench.blob(lease)))).toMatchObject({ statusCode: 409 });
    await win(store, lease, { fencingToken: 34 });
  });

  it('that deletes the container ends the term, and is reported', async () => {
    const container = containerOf(bench.server, newContainerName());
    await container.create();
    const own = bench.store(container);
    const { held } = await win(own, lease);
    await container.delete();
    expect(await held.renew({ progress: '1' }, patiently())).toEqual({
      renewed: false,
      found: { state: 'absent' },
    });
    const missing = {
      code: 'STORE_REJECTED',
      message: expect.stringContaining('createLeaseContainer'),
    };
    expect(await rejection(own.look(lease, patiently()))).toMatchObject(missing);
    const bid = bidOn({ state: 'absent' });
    expect(await rejection(own.acquire(lease, bid, patiently()))).toMatchObject(missing);
  });

  it('that removes the token is reported as a lost token, or met with a new start', async () => {
    const { held } = await win(store, lease);
    await held.release(final, patiently());
    const metadata = await bench.metadata(lease);
    const others = Object.entries(metadata).filter(([name]) => name !== 'token');
    await bench.blob(lease).setMetadata(Object.fromEntries(others));
    expect(await rejection(look())).toMatchObject({
      code: 'LEASE_RECORD_INVALID',
      reason: 'token-lost',
    });
    const restarting = azureBlobLeaseStore({
      containerClient: bench.container,
      onTokenLost: 'restart',
    });
    const seen = await restarting.look(lease, patiently());
    expect(seen).toMatchObject({ state: 'free', record: { fencingToken: undefined } });
    const bid = bidOn(seen, { fencingToken: 90 });
    expect(await restarting.acquire(lease, bid, patiently())).toMatchObject({ acquired: true });
  });

  it.each<[string, Record<string, string>]>([
    ['another layout', { tenure: '2' }],
    ['another state', { state: 'busy' }],
    ['no state', { state: '' }],
    ['a token in hexadecimal', { token: '0x21' }],
    ['a token of zero', { token: '0' }],
    ['a token beyond 2^53', { token: '9007199254740993' }],
    ['a token in a new record', { token: '33', state: 'new' }],
    ['no holder', { holder: '' }],
    ['a holder in plain text', { holder: 'host:1' }],
    ['a holder that is no UTF-8', { holder: Buffer.from([0xff]).toString('base64url') }],
    ['no duration', { durationms: '' }],
    ['a duration that Azure has not', { durationms: '5000' }],
    ['a duration of no whole seconds', { durationms: '15500' }],
    ['no mark', { mark: '' }],
    ['a mark that is no UUID', { mark: 'worker-1' }],
    ['progress in plain text', { progress: '{"done":1}' }],
    ['a history of something else', { history: '[]' }],
  ])('that writes %s is reported, and left alone', async (_, change) => {
    const { held } = await win(store, lease);
    await held.release(
      { progress: '1', history: [{ fencingToken: 33, holder: 'a' }] },
      patiently(),
    );
    const metadata = await bench.metadata(lease);
    const written = Object.entries({ ...metadata, ...change }).filter(([, value]) => value !== '');
    await bench.blob(lease).setMetadata(Object.fromEntries(written));
    const before = await bench.raw(lease);
    const error = await rejection(look());
    expect(error).toMatchObject({ code: 'LEASE_RECORD_INVALID', reason: 'malformed' });
    expect(error).toHaveProperty('message', expect.stringContaining(Object.keys(change)[0] ?? ''));
    expect(error).toHaveProperty('message', expect.not.stringContaining(text('a')));
    expect(await bench.raw(lease)).toEqual(before);
  });
});
