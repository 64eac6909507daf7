import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ContainerClient } from '@azure/storage-blob';
import { build } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { azureBlobLedgerStore, type AzureBlobLedgerStoreOptions } from '../../src/azure-blob.ts';
import { dynamoDbLedgerStore, type DynamoDbLedgerStoreOptions } from '../../src/dynamodb.ts';
import {
  createLedger,
  idempotencyKeyOf,
  memoryLedgerStore,
  type Effect,
  type LedgerOptions,
  type OnceOptions,
} from '../../src/ledger/index.ts';
import type { Leadership } from '../../src/core/leadership.ts';
import { chargeAt, charging, collected, gateway, hourMs, key, term } from './bench.ts';

describe('createLedger', () => {
  it.each([
    [{ store: undefined }, TypeError, /dynamoDbLedgerStore.*got undefined/],
    [{ store: { acquire: 1, limits: 1 } }, TypeError, /got an object/],
    [{ store: memoryLedgerStore(), retryForMs: 0 }, RangeError, /retryForMs.*got 0/],
    [{ store: memoryLedgerStore(), requestTimeoutMs: Number.NaN }, RangeError, /got NaN/],
  ])('refuses %o', (options, type, message) => {
    const make = () => createLedger(options as unknown as LedgerOptions);
    expect(make).toThrow(type);
    expect(make).toThrow(message);
  });
});

describe('dynamoDbLedgerStore', () => {
  const client = new DynamoDBClient({ region: 'eu-central-1' });

  it.each([
    [{ client: undefined }, /client must be a DynamoDBClient/],
    [{ tableName: '' }, /tableName must be a string that is not empty, got ""/],
    [{ partitionKey: 'ledgerState' }, /must not be called like an attribute .* got ledgerState/],
    [{ sortKey: { name: 'ledgerEntry', value: 'a' } }, /got ledgerEntry/],
    [{ prefix: 'a b' }, /prefix must be .*got "a b"/],
    [{ pageSize: 0 }, /pageSize must be a whole number from 1 to 5000, got 0/],
  ])('refuses %o', (changes, message) => {
    const options = { client, tableName: 'leases', ...changes };
    expect(() => dynamoDbLedgerStore(options as DynamoDbLedgerStoreOptions)).toThrow(message);
  });
});

describe('azureBlobLedgerStore', () => {
  const containerClient = new ContainerClient('https://example.blob.core.windows.net/leases');

  it.each([
    [{ containerClient: undefined }, /containerClient must be a ContainerClient/],
    [{ prefix: '' }, /prefix must be .*got ""/],
    [{ prefix: './x/' }, /without empty or dotted parts, got ".\/x\/"/],
    [{ prefix: 'a/../b/' }, /dotted parts/],
    [{ prefix: '/a' }, /empty or dotted parts/],
    [{ pageSize: 1.5 }, /pageSize must be .*got 1.5/],
  ])('refuses %o', (changes, message) => {
    const options = { containerClient, ...changes };
    expect(() => azureBlobLedgerStore(options as AzureBlobLedgerStoreOptions)).toThrow(message);
  });
});

describe('tenure/ledger', () => {
  it('imports no package', async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL('../../src/ledger/index.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const packages = imports.filter(({ external, path }) => external && !path.startsWith('node:'));
    expect(packages).toEqual([]);
  });
});

describe('the options of once', () => {
  it.each([
    [{ key: [] }, /key must be an array.*got a.? Array|got an array with undefined/],
    [{ key: 'billing' }, /key must be an array of strings.*got "billing"/],
    [{ key: ['billing', ''] }, /got an array with ""/],
    [{ key: ['billing', 7] }, /got an array with 7/],
    [{ key: ['x'.repeat(1_100)] }, /at most 1024 bytes of JSON, got 1104/],
    [{ request: undefined }, /request must be JSON, got undefined/],
    [{ request: { at: [new Map()] } }, /request\.at\.0 must be JSON, got Map/],
    [
      { keyHonouredForMs: undefined },
      /keyHonouredForMs must be a number \(0 for never, .*got undefined/,
    ],
    [{ keyHonouredForMs: hourMs }, /more than the spare hour \(3600000\), got 3600000/],
    [{ keyHonouredForMs: -1 }, /got -1/],
    [{ keyHonouredForMs: Number.NaN }, /got NaN/],
    [{ leadership: undefined }, /leadership must be the one that the work is given, got undefined/],
    [{ leadership: { ...term(33), fencingToken: 0 } }, /leadership.fencingToken .*got 0/],
  ])('are refused before anything is stored or sent: %o', async (changes, message) => {
    const store = memoryLedgerStore();
    const ledger = createLedger({ store });
    const downstream = gateway();
    const options = { ...charging(term(33)), ...changes } as unknown as OnceOptions;
    await expect(ledger.once(options, chargeAt(downstream))).rejects.toThrow(message);
    expect(downstream.requests).toBe(0);
    expect(await collected(ledger.unfinished())).toEqual([]);
  });

  it('take the leadership of an election', () => {
    expectTypeOf<Leadership<{ done: string }>>().toExtend<OnceOptions['leadership']>();
  });
});

describe('the outcome of an effect', () => {
  const misused = async (outcome: unknown) => {
    const ledger = createLedger({ store: memoryLedgerStore() });
    const effect = (async () => outcome) as Effect;
    const error: unknown = await ledger
      .once(charging(term(33)), effect)
      .catch((reason: unknown) => reason);
    const next = await ledger
      .once(charging(term(33), { keyHonouredForMs: 0 }), effect)
      .catch(() => {});
    return { error, next };
  };

  it.each([
    [{ status: 'done', result: () => {} }, /result must be JSON, got a function/],
    [{ status: 'done', result: 'x'.repeat(2_100) }, /at most 2048 bytes of JSON, got 2102/],
  ])('is done although its result does not fit', async (outcome, message) => {
    const { error, next } = await misused(outcome);
    expect(String(error)).toMatch(message);
    expect(next).toEqual({ status: 'done', result: undefined });
  });

  it.each([[undefined], [{ status: 'charged' }], ['done']])(
    'is unknown if it does not say what happened: %o',
    async (outcome) => {
      const { error, next } = await misused(outcome);
      expect(String(error)).toMatch(/TypeError: status must be 'done' or 'declined'/);
      expect(next).toMatchObject({ status: 'unknown' });
    },
  );
});

describe('idempotencyKeyOf', () => {
  it('is a UUID that never changes for a key', () => {
    expect(idempotencyKeyOf(key)).toBe('74367804-b813-8c89-b91a-07a29445bb2e');
    expect(idempotencyKeyOf(['เรียกเก็บเงิน'])).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('differs for keys that differ only in where their parts end', () => {
    const keys = [
      ['a', 'b', 'c'],
      ['ab', 'c'],
      ['a', 'bc'],
      ['a,b', 'c'],
      ['a","b', 'c'],
    ];
    expect(new Set(keys.map(idempotencyKeyOf)).size).toBe(keys.length);
  });
});
