import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { newUuid } from '../../../src/core/uuid.ts';
import { creation } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench, type Item } from './bench.ts';

const version = newUuid();
const secret = 'only-in-the-item';

const good: Item = {
  ownerName: { S: secret },
  leaseDuration: { S: '15000' },
  recordVersionNumber: { S: version },
  fencingToken: { N: '33' },
  data: { B: new TextEncoder().encode(secret) },
  jobState: { S: secret },
  pastTerms: { S: '[{"fencingToken":33,"holder":"a","end":"released"}]' },
  isReleased: { S: '1' },
};

const otherTypes: Record<string, AttributeValue> = {
  S: { S: secret },
  N: { N: '7' },
  B: { B: new Uint8Array([1]) },
  BOOL: { BOOL: true },
  NULL: { NULL: true },
  SS: { SS: ['1'] },
  NS: { NS: ['1'] },
  BS: { BS: [new Uint8Array([1])] },
  L: { L: [{ S: '1' }] },
  M: { M: { S: { S: '1' } } },
};

type BadField = readonly [field: string, what: string, value: AttributeValue | undefined];

const missing: readonly BadField[] = ['ownerName', 'leaseDuration', 'recordVersionNumber'].map(
  (field) => [field, 'missing', undefined],
);

/** Every field with every type but its own. */
const mistyped: readonly BadField[] = Object.entries(good).flatMap(([field, { S, N }]) => {
  const own = S !== undefined ? 'S' : N !== undefined ? 'N' : 'B';
  return Object.entries(otherTypes)
    .filter(([type]) => type !== own)
    .map(([type, value]): BadField => [field, `of type ${type}`, value]);
});

const absurd: readonly BadField[] = [
  ['ownerName', 'empty', { S: '' }],
  ['recordVersionNumber', 'empty', { S: '' }],
  ...[
    '',
    '0',
    '-1',
    '1e3',
    '20s',
    '20.5',
    '20.0',
    '0x10',
    '+5',
    ' 5',
    '5 ',
    '007',
    'Infinity',
    '٣',
  ].map((text): BadField => ['leaseDuration', JSON.stringify(text), { S: text }]),
  ['leaseDuration', 'longer than 24 days', { S: '2147483648' }],
  ['leaseDuration', 'beyond every number', { S: '9'.repeat(400) }],
  ['fencingToken', 'zero', { N: '0' }],
  ['fencingToken', 'negative', { N: '-33' }],
  ['fencingToken', 'a fraction', { N: '33.5' }],
  ['fencingToken', 'larger than a safe integer', { N: '9007199254740992' }],
  ['fencingToken', 'huge', { N: '1e120' }],
  ['isReleased', 'empty', { S: '' }],
  ['isReleased', 'another text', { S: '0' }],
  ...[
    '',
    secret,
    '{}',
    'null',
    '[1]',
    '[null]',
    '[{}]',
    '[{"fencingToken":"33","holder":"a"}]',
  ].map((text): BadField => ['pastTerms', JSON.stringify(text), { S: text }]),
  ['pastTerms', 'an unknown end', { S: '[{"fencingToken":33,"holder":"a","end":"died"}]' }],
  ...['1.5', '"1"', 'null', '9007199254740992'].map((startedMs): BadField => [
    'pastTerms',
    `a term that started at ${startedMs}`,
    { S: `[{"fencingToken":33,"holder":"a","startedMs":${startedMs}}]` },
  ]),
  ['jobState', 'empty', { S: '' }],
  ['pastTerms', 'a term without holder', { S: '[{"fencingToken":33}]' }],
];

const cases = [...missing, ...mistyped, ...absurd];

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`an item that is no lease record on ${titleOf(kind)}`, () => {
    let bench: Bench;
    const call = patiently();

    beforeAll(async () => {
      bench = await startBench(kind);
    });

    afterAll(async () => {
      await bench.close();
    });

    const put = async (changes: Record<string, AttributeValue | undefined>) => {
      const lease = newLease();
      const entries: [string, AttributeValue | undefined][] = Object.entries({
        ...good,
        ...changes,
      });
      const fields = entries.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
      await bench.put({ ...Object.fromEntries(fields), key: { S: lease } });
      const stored = await bench.item(lease);
      return { lease, stored };
    };

    it('is none of these to begin with', async () => {
      const { lease } = await put({});
      expect(await bench.store().read(lease, call)).toMatchObject({ version, released: true });
    });

    it.each(cases)('is refused and left as it is with %s %s', async (field, _, value) => {
      const { lease, stored } = await put({ [field]: value });
      const read = bench.store({ onTokenLost: 'restart' }).read(lease, call);
      const error: unknown = await read.catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'LEASE_RECORD_INVALID',
        reason: 'malformed',
        lease,
        store: 'dynamodb',
        message: expect.stringContaining(field),
      });
      expect((error as Error).message).not.toContain(secret);

      const write = bench.store({ onTokenLost: 'restart' }).write(lease, creation(), call);
      await expect(write).rejects.toMatchObject({
        code: 'LEASE_RECORD_INVALID',
        message: expect.stringContaining(field),
      });
      expect(await bench.item(lease)).toEqual(stored);
    });

    it('is refused and left as it is with nothing but its key', async () => {
      const lease = newLease();
      await bench.put({ key: { S: lease } });
      await expect(bench.store().read(lease, call)).rejects.toMatchObject({ reason: 'malformed' });
      await expect(bench.store().write(lease, creation(), call)).rejects.toMatchObject({
        reason: 'malformed',
      });
      expect(await bench.item(lease)).toEqual({ key: { S: lease } });
    });

    it('is named as having lost its token if nothing else is wrong', async () => {
      const { lease, stored } = await put({ fencingToken: undefined });
      const lost = { code: 'LEASE_RECORD_INVALID', reason: 'token-lost', lease };
      await expect(bench.store().read(lease, call)).rejects.toMatchObject(lost);
      await expect(bench.store().write(lease, creation(), call)).rejects.toMatchObject(lost);
      expect(await bench.item(lease)).toEqual(stored);
    });

    it('has no token and may be taken with onTokenLost restart', async () => {
      const { lease } = await put({ fencingToken: undefined });
      const store = bench.store({ onTokenLost: 'restart' });
      const found = await store.read(lease, call);
      expect(found?.record.fencingToken).toBeUndefined();
      const write = creation({ replaces: [version], fencingToken: 1_000 });
      expect(await store.write(lease, write, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toMatchObject({ fencingToken: { N: '1000' } });
    });

    it('is a record all the same without the attributes that may be absent', async () => {
      const absent = { data: undefined, jobState: undefined, pastTerms: undefined };
      const { lease } = await put({ ...absent, isReleased: undefined });
      expect(await bench.store().read(lease, call)).toMatchObject({
        released: false,
        record: { progress: undefined, jobState: undefined, history: [] },
      });
    });

    it.each([
      ['text that is no JSON', new TextEncoder().encode('Javaé'), 'Javaé'],
      ['no bytes', new Uint8Array(), ''],
      ['a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, 0x31]), '\uFEFF1'],
      [
        'bytes that would be JSON if repaired',
        new Uint8Array([0x22, 0xff, 0x22]),
        '\uFFFD"\uFFFD"',
      ],
    ])('is a record all the same with data of another client: %s', async (_, bytes, text) => {
      const { lease } = await put({ data: { B: bytes } });
      const found = await bench.store().read(lease, call);
      expect(found?.record.progress).toBe(text);
    });
  });
}
