import type { BlockBlobClient } from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fencedBlob, raiseBlob, sendFencedBlob, type BlobGuard } from 'tenure/azure-blob';
import type { Interception } from '../../../functions/local/http-proxy.ts';
import { Bench, newLease, rejection } from '../../stores/azure-blob/bench.ts';
import { answers, Faults, refusal, type Step } from '../../stores/azure-blob/faults.ts';
import { quickRetries } from '../../support/azurite.ts';

describe('fencedBlob', () => {
  const seen = { etag: '"0x1"', metadata: { fencingtoken: '33', other: 'x' } };

  it('asks for the version that was seen, and marks it', () => {
    expect(fencedBlob(seen, 33, { metadata: { mine: 'y' }, conditions: { leaseId: 'l' } })).toEqual(
      {
        metadata: { mine: 'y', fencingtoken: '33' },
        conditions: { ifMatch: '"0x1"', leaseId: 'l' },
      },
    );
  });

  it('asks for no blob where none was seen', () => {
    expect(fencedBlob(undefined, 33)).toEqual({
      metadata: { fencingtoken: '33' },
      conditions: { ifNoneMatch: '*' },
    });
  });

  it.each(['fencingtoken', 'FencingToken'])('rejects a lower token than that in %s', (name) => {
    const blob = { etag: '"0x1"', metadata: { [name]: '34' } };
    expect(() => fencedBlob(blob, 33)).toThrow(
      expect.objectContaining({ code: 'STALE_TOKEN', fencingToken: 33, highestToken: 34 }),
    );
  });

  it.each(['', '-1', '1e3', 'x', '9007199254740993'])(
    'rejects every token after a mark of %j',
    (mark) => {
      const blob = { etag: '"0x1"', metadata: { fencingtoken: mark } };
      expect(() => fencedBlob(blob, Number.MAX_SAFE_INTEGER)).toThrow(
        expect.objectContaining({ code: 'LEASE_RECORD_INVALID' }),
      );
    },
  );

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, '33', undefined])('refuses %s as a token', (token) => {
    expect(() => fencedBlob(undefined, token as number)).toThrow(/fencingToken must be .*, got /);
  });

  it('refuses metadata that writes the mark, and a name that metadata cannot have', () => {
    const metadata = { FencingToken: '99' };
    expect(() => fencedBlob(undefined, 33, { metadata })).toThrow(
      /metadata must not have fencingtoken/,
    );
    for (const tokenKey of ['', 'fencing-token', 'Token', '1st']) {
      expect(() => fencedBlob(undefined, 33, { tokenKey })).toThrow(/tokenKey must be/);
    }
  });

  it('refuses a blob without an entity tag', () => {
    expect(() => fencedBlob({ metadata: {} }, 33)).toThrow(/has an etag/);
  });
});

describe('sendFencedBlob on Azurite', () => {
  let bench: Bench;
  let network: Faults;
  let blob: BlockBlobClient;
  let far: BlockBlobClient;

  beforeAll(async () => {
    bench = await Bench.start();
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    const name = newLease();
    blob = bench.container.getBlockBlobClient(name);
    far = network.client(bench, quickRetries).getBlockBlobClient(name);
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  const put =
    (target: BlockBlobClient, content: string) =>
    (guard: BlobGuard): Promise<unknown> =>
      target.upload(content, content.length, guard);

  const stored = async () => ({
    content: (await blob.downloadToBuffer()).toString(),
    metadata: (await blob.getProperties()).metadata,
  });

  it('accepts a first token, the same again and a higher one, and keeps the highest', async () => {
    for (const token of [33, 33, 34, 1_764_000_000_000]) {
      const content = `by ${token}`;
      await sendFencedBlob(blob, put(blob, content), token, { metadata: { mine: 'x' } });
      expect(await stored()).toEqual({
        content,
        metadata: { mine: 'x', fencingtoken: String(token) },
      });
    }
  });

  it('rejects a lower token and writes nothing', async () => {
    await sendFencedBlob(blob, put(blob, 'new'), 34);
    const before = await blob.getProperties();
    const error = await rejection(sendFencedBlob(blob, put(blob, 'stale'), 33));
    expect(error).toMatchObject({ code: 'STALE_TOKEN', fencingToken: 33, highestToken: 34 });
    expect(await stored()).toMatchObject({ content: 'new' });
    expect((await blob.getProperties()).etag).toBe(before.etag);
  });

  it.each([
    ['creates', false],
    ['rewrites', true],
  ])(
    'rejects a stale writer whom a newer one overtakes while it %s the blob',
    async (_, exists) => {
      if (exists) {
        await sendFencedBlob(blob, put(blob, 'old'), 33);
      }
      const write = async (guard: BlobGuard): Promise<unknown> => {
        await sendFencedBlob(blob, put(blob, 'new'), 34);
        return put(blob, 'stale')(guard);
      };
      const error = await rejection(sendFencedBlob(blob, write, 33));
      expect(error).toMatchObject({
        code: 'STALE_TOKEN',
        highestToken: 34,
        cause: expect.any(Error),
      });
      expect(await stored()).toMatchObject({ content: 'new', metadata: { fencingtoken: '34' } });
    },
  );

  it('accepts no lower token after a higher one, whoever writes at the same time', async () => {
    const accepted: string[] = [];
    const observed: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const token = 33 + (index % 5);
        const sent = sendFencedBlob(blob, put(blob, String(token)), token);
        const outcome = await sent.then(
          () => 'accepted',
          (error: { code?: string }) => error.code,
        );
        accepted.push(`${token} ${outcome}`);
        observed.push(Number((await stored()).metadata?.['fencingtoken']));
      }),
    );
    expect(observed).toEqual(observed.toSorted((one, other) => one - other));
    expect(accepted).toContain('37 accepted');
    expect(await stored()).toMatchObject({ content: '37', metadata: { fencingtoken: '37' } });
  });

  const failed = { action: 'respond-after-applying', ...refusal(500, 'InternalError') } as const;
  const applied: readonly (readonly [string, Interception])[] = [
    ['its reply was lost', { action: 'drop-reply' }],
    ['Azure then failed', failed],
  ];

  it.each(applied)('succeeds when a write was applied and %s', async (_, fault) => {
    network.next('create', fault);
    await sendFencedBlob(far, put(far, 'first'), 33);
    network.next('create', fault);
    await sendFencedBlob(far, put(far, 'second'), 33);
    expect(network.left).toBe(0);
    expect(await stored()).toMatchObject({ content: 'second', metadata: { fencingtoken: '33' } });
  });

  it("leaves the caller's own condition in force, and its failure untouched", async () => {
    const { etag: stale = '' } = await blob.upload('old', 3);
    await sendFencedBlob(blob, put(blob, 'new'), 33);
    const conditions = { ifMatch: stale };
    const error = await rejection(sendFencedBlob(blob, put(blob, 'mine'), 33, { conditions }));
    expect(error).toMatchObject({ statusCode: 412, code: 'ConditionNotMet' });
    const once = { conditions: { ifNoneMatch: '*' } };
    expect(await rejection(sendFencedBlob(blob, put(blob, 'mine'), 33, once))).toHaveProperty(
      'statusCode',
    );
    expect(await stored()).toMatchObject({ content: 'new' });
  });

  it("cannot be switched off by the caller's ifMatch: '*'", async () => {
    await sendFencedBlob(blob, put(blob, 'old'), 32);
    let looks = 0;
    const error = await rejection(
      sendFencedBlob(
        blob,
        async (guard) => {
          looks += 1;
          if (looks === 1) {
            // Another writes between the look and the write.
            await sendFencedBlob(blob, put(blob, 'newer'), 34);
          }
          return put(blob, 'stale')(guard);
        },
        33,
        { conditions: { ifMatch: '*' } },
      ),
    );
    expect(error).toMatchObject({ code: 'STALE_TOKEN', highestToken: 34 });
    expect(await stored()).toMatchObject({ content: 'newer', metadata: { fencingtoken: '34' } });
  });

  it('refuses an etag of a version whose mark was not looked at', async () => {
    const seen = await blob.upload('old', 3);
    const { etag: newer = '' } = await blob.upload('new', 3);
    const conditions = { ifMatch: newer };
    expect(() => fencedBlob({ etag: seen.etag }, 33, { conditions })).toThrow(TypeError);
    expect(fencedBlob({ etag: newer }, 33, { conditions }).conditions).toEqual(conditions);
  });

  it.each<[string, Step, Interception, unknown]>([
    ['a read that is denied', 'read', answers(403, 'AuthorizationFailure'), { statusCode: 403 }],
    ['a missing container', 'read', answers(404, 'ContainerNotFound'), { statusCode: 404 }],
    ['a write that is denied', 'create', answers(403, 'AuthorizationFailure'), { statusCode: 403 }],
    [
      'a blob that another leases',
      'create',
      answers(412, 'LeaseIdMissing'),
      { code: 'LeaseIdMissing' },
    ],
  ])('passes on the error of %s', async (_, step, fault, expected) => {
    network.next(step, fault);
    expect(await rejection(sendFencedBlob(far, put(far, 'x'), 33))).toMatchObject(
      expected as object,
    );
  });

  it('sends nothing for a token that is none', async () => {
    expect(await rejection(sendFencedBlob(far, put(far, 'x'), 0))).toBeInstanceOf(RangeError);
    expect(network.steps).toEqual([]);
  });

  it('raises the mark of a blob and leaves the rest alone', async () => {
    await blob.upload('content', 7, { metadata: { mine: 'x' } });
    await raiseBlob(blob, 34);
    await raiseBlob(blob, 34);
    expect(await stored()).toEqual({
      content: 'content',
      metadata: { mine: 'x', fencingtoken: '34' },
    });
    expect(await rejection(sendFencedBlob(blob, put(blob, 'stale'), 33))).toMatchObject({
      code: 'STALE_TOKEN',
    });
    expect(await rejection(raiseBlob(blob, 33))).toMatchObject({ code: 'STALE_TOKEN' });
  });

  it('does not raise the mark of a blob that is not there', async () => {
    expect(await rejection(raiseBlob(blob, 33))).toMatchObject({ statusCode: 404 });
    expect(await blob.exists()).toBe(false);
  });
});
