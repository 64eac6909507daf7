import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, refusalOf, statusOf } from '../../../src/stores/azure-blob/sdk-errors.ts';
import { Bench, newLease } from './bench.ts';

type Blob = ReturnType<Bench['blob']>;
type State = 'available' | 'leased' | 'breaking' | 'broken' | 'expired';

const a = '11111111-1111-4111-8111-111111111111';
const b = '22222222-2222-4222-8222-222222222222';
const c = '33333333-3333-4333-8333-333333333333';

const states: readonly State[] = ['available', 'leased', 'breaking', 'broken', 'expired'];

/** Requests, by the lease id that they carry. The lease is, or was, that of A. */
const requests: Readonly<Record<string, (blob: Blob) => Promise<unknown>>> = {
  'acquire as A': (blob) => blob.getBlobLeaseClient(a).acquireLease(15),
  'acquire as B': (blob) => blob.getBlobLeaseClient(b).acquireLease(15),
  'renew as A': (blob) => blob.getBlobLeaseClient(a).renewLease(),
  'renew as B': (blob) => renewedAs(blob, b),
  'release as A': (blob) => blob.getBlobLeaseClient(a).releaseLease(),
  'release as B': (blob) => blob.getBlobLeaseClient(b).releaseLease(),
  'change from A to B': (blob) => blob.getBlobLeaseClient(a).changeLease(b),
  'change from B to C': (blob) => blob.getBlobLeaseClient(b).changeLease(c),
  'break at once': (blob) => blob.getBlobLeaseClient('').breakLease(0),
  'write as A': (blob) => blob.setMetadata({}, { conditions: { leaseId: a } }),
  'write as B': (blob) => blob.setMetadata({}, { conditions: { leaseId: b } }),
  'write without an id': (blob) => blob.setMetadata({}),
  'delete without an id': (blob) => blob.delete(),
  'read as A': (blob) => blob.getProperties({ conditions: { leaseId: a } }),
  'read as B': (blob) => blob.getProperties({ conditions: { leaseId: b } }),
  'read without an id': (blob) => blob.getProperties(),
};

/** Azurite renews an expired lease for any id, and says which: what the store must look at. */
async function renewedAs(blob: Blob, leaseId: string): Promise<void> {
  const renewed = await blob.getBlobLeaseClient(leaseId).renewLease();
  if (renewed.leaseId !== leaseId) {
    throw Object.assign(new Error('another lease was renewed'), {
      statusCode: 409,
      code: 'LeaseIdMismatchWithLeaseOperation',
    });
  }
}

const ok = 'ok';
const mismatch = '409 LeaseIdMismatchWithLeaseOperation';
const notPresent = '409 LeaseNotPresentWithLeaseOperation';
const present = '409 LeaseAlreadyPresent';
const breaking = '409 LeaseIsBreakingAndCannotBeAcquired';
const broken = '409 LeaseIsBrokenAndCannotBeRenewed';
const noLease = '412 LeaseNotPresentWithBlobOperation';
const otherLease = '412 LeaseIdMismatchWithBlobOperation';
const missingId = '412 LeaseIdMissing';

/** What Azure documents, one column per state. */
const documented: Readonly<Record<string, readonly string[]>> = {
  'acquire as A': [ok, ok, breaking, ok, ok],
  'acquire as B': [ok, present, present, ok, ok],
  'renew as A': [mismatch, ok, broken, broken, ok],
  'renew as B': [mismatch, mismatch, mismatch, mismatch, mismatch],
  'release as A': [mismatch, ok, ok, ok, ok],
  'release as B': [mismatch, mismatch, mismatch, mismatch, mismatch],
  'change from A to B': [
    notPresent,
    ok,
    '409 LeaseIsBreakingAndCannotBeChanged',
    notPresent,
    notPresent,
  ],
  'change from B to C': [notPresent, mismatch, mismatch, notPresent, notPresent],
  'break at once': [notPresent, ok, ok, ok, ok],
  'write as A': [noLease, ok, ok, noLease, noLease],
  'write as B': [noLease, otherLease, otherLease, noLease, noLease],
  'write without an id': [ok, missingId, missingId, ok, ok],
  'delete without an id': [ok, missingId, missingId, ok, ok],
  'read as A': [noLease, ok, ok, noLease, noLease],
  'read as B': [noLease, otherLease, otherLease, noLease, noLease],
  'read without an id': [ok, ok, ok, ok, ok],
};

describe('the lease of a blob', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await Bench.start();
  });

  afterAll(async () => {
    await bench.close();
  });

  /** Blobs in one state, one for each request. */
  async function blobsIn(state: State, count: number): Promise<readonly Blob[]> {
    const blobs = Array.from({ length: count }, () => bench.blob(newLease()));
    await Promise.all(blobs.map((blob) => prepare(blob, state)));
    if (state === 'expired') {
      await bench.pass();
    }
    for (const blob of blobs) {
      expect((await blob.getProperties()).leaseState).toBe(state);
    }
    return blobs;
  }

  async function prepare(blob: Blob, state: State): Promise<void> {
    await blob.upload('', 0);
    if (state === 'available') {
      return;
    }
    await blob.getBlobLeaseClient(a).acquireLease(state === 'expired' ? 15 : 60);
    if (state === 'breaking' || state === 'broken') {
      await blob.getBlobLeaseClient('').breakLease(state === 'breaking' ? 60 : 0);
    }
  }

  async function answerTo(request: Promise<unknown>): Promise<string> {
    try {
      await request;
      return ok;
    } catch (error) {
      // The store must recognise each of these, whichever it is.
      const isRecognised = refusalOf(error) === 'not-held';
      return isRecognised ? `${statusOf(error)} ${codeOf(error)}` : 'not recognised';
    }
  }

  it.each(states)('answers as documented while it is %s', async (state) => {
    const names = Object.keys(requests);
    const blobs = await blobsIn(state, names.length);
    const answers: Record<string, string> = {};
    const expected: Record<string, string | undefined> = {};
    for (const [index, name] of names.entries()) {
      const blob = blobs[index] as Blob;
      answers[name] = await answerTo(requests[name]?.(blob) ?? Promise.reject());
      expected[name] = documented[name]?.[states.indexOf(state)];
    }
    expect(answers).toEqual(expected);
  });

  it('is renewed after it expired only if nobody touched the blob', async () => {
    const [untouched, written, leased] = (await blobsIn('expired', 3)) as [Blob, Blob, Blob];
    await written.setMetadata({});
    await leased.getBlobLeaseClient(b).acquireLease(15);
    expect(await answerTo(renewedAs(untouched, a))).toBe(ok);
    expect(await answerTo(renewedAs(written, a))).toBe(mismatch);
    expect(await answerTo(renewedAs(leased, a))).toBe(mismatch);
  });

  it('leaves the entity tag and the metadata alone, whatever is done to it', async () => {
    const blob = bench.blob(newLease());
    await blob.upload('', 0, { metadata: { some: 'thing' } });
    const { etag } = await blob.getProperties();
    const lease = blob.getBlobLeaseClient(a);
    await lease.acquireLease(15);
    await lease.renewLease();
    await lease.changeLease(b);
    await lease.releaseLease();
    await blob.getBlobLeaseClient(c).acquireLease(60);
    await blob.getBlobLeaseClient('').breakLease(0);
    expect(await blob.getProperties()).toMatchObject({ etag, metadata: { some: 'thing' } });
  });

  it('is not extended by a write under it', async () => {
    const blob = bench.blob(newLease());
    await blob.upload('', 0);
    await blob.getBlobLeaseClient(a).acquireLease(15);
    await bench.pass(9_000);
    await blob.setMetadata({}, { conditions: { leaseId: a } });
    await bench.pass(7_000);
    expect((await blob.getProperties()).leaseState).toBe('expired');
  });

  it.each(['acquire', 'renew', 'release', 'break'] as const)(
    'is not changed by a conditional %s on another version of the blob',
    async (action) => {
      const blob = bench.blob(newLease());
      const { etag: ifMatch = '' } = await blob.upload('', 0);
      await blob.setMetadata({});
      const lease = blob.getBlobLeaseClient(a);
      const conditions = { conditions: { ifMatch } };
      if (action !== 'acquire') {
        await lease.acquireLease(60);
      }
      const before = (await blob.getProperties()).leaseState;
      const send = {
        acquire: () => lease.acquireLease(15, conditions),
        renew: () => lease.renewLease(conditions),
        release: () => lease.releaseLease(conditions),
        break: () => lease.breakLease(0, conditions),
      }[action];
      const error: unknown = await send().catch((reason: unknown) => reason);
      expect(refusalOf(error)).toBe('changed');
      expect((await blob.getProperties()).leaseState).toBe(before);
    },
  );
});
