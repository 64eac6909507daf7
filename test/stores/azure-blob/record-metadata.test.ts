import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseBlobName } from 'tenure/azure-blob';
import type { PastTerm } from 'tenure';
import {
  decodeRecord,
  encodeRecord,
  type StoredLease,
} from '../../../src/stores/azure-blob/record-metadata.ts';

const context = { store: 'azure-blob', lease: 'orders' };
const token = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });

const pastTerm: fc.Arbitrary<PastTerm> = fc.record(
  {
    fencingToken: token,
    holder: text,
    end: fc.constantFrom('released' as const, 'taken-over' as const),
  },
  { requiredKeys: ['fencingToken', 'holder'] },
);

const termOfAnyKind: fc.Arbitrary<StoredLease> = fc.record({
  state: fc.constantFrom('held' as const, 'free' as const),
  mark: fc.uuid(),
  record: fc.record({
    holder: text,
    fencingToken: token,
    leaseDurationMs: fc.integer({ min: 15, max: 60 }).map((seconds) => seconds * 1_000),
    progress: fc.option(fc.json({ maxDepth: 3 }), { nil: undefined }),
    history: fc.array(pastTerm, { maxLength: 10 }),
  }),
});

/** Bytes as Azure counts them: names and values. */
function bytesOf(metadata: Readonly<Record<string, string>>): number {
  return Object.entries(metadata).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  );
}

describe('the record in the metadata of a blob', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(termOfAnyKind, (stored) => {
        expect(decodeRecord(encodeRecord(stored), context, 'fail')).toEqual(stored);
      }),
    );
  });

  it('is made of names and values that a header can carry, and none of which is empty', () => {
    fc.assert(
      fc.property(termOfAnyKind, (stored) => {
        for (const [name, value] of Object.entries(encodeRecord(stored))) {
          expect(name).toMatch(/^[a-z]+$/);
          expect(value).toMatch(/^[\w.,-]+$/);
        }
      }),
    );
  });

  const thai = 'กรุงเทพมหานคร';

  it.each([
    ['in Thai', 'ก', 40],
    ['of control characters', '\u0001', 40],
    ['of quotes', '"', 40],
    ['of emoji', '😀', 40],
  ])('stays under 8,000 bytes with every field full, %s', (_, character, holderLength) => {
    const full = (bytes: number): string => {
      const size = new TextEncoder().encode(character).length;
      return character
        .repeat(Math.floor(bytes / size))
        .padEnd(bytes - (size - 1) * Math.floor(bytes / size), 'x');
    };
    const holder = full(256);
    expect(new TextEncoder().encode(holder)).toHaveLength(256);
    // The work's 2 KiB and the jobs' 1 KiB, both as JSON.
    const progress = `["${full(2_044)}","${thai.repeat(26)}${'x'.repeat(3_072 - 2_044 - 5 - 2 - 26 * 39)}"]`;
    expect(new TextEncoder().encode(progress)).toHaveLength(3_072);
    const history = Array.from({ length: 10 }, (__, index): PastTerm => ({
      fencingToken: Number.MAX_SAFE_INTEGER - index,
      holder: character.repeat(holderLength),
      end: 'taken-over',
    }));
    const stored: StoredLease = {
      state: 'held',
      mark: crypto.randomUUID(),
      record: {
        holder,
        fencingToken: Number.MAX_SAFE_INTEGER,
        leaseDurationMs: 60_000,
        progress,
        history,
      },
    };
    const metadata = encodeRecord(stored);
    expect(bytesOf(metadata)).toBeGreaterThan(5_000);
    // Also if Azure counted the prefix of each header.
    expect(bytesOf(metadata) + Object.keys(metadata).length * 'x-ms-meta-'.length).toBeLessThan(
      8_000,
    );
    expect(decodeRecord(metadata, context, 'fail')).toEqual(stored);
  });

  it('is refused where it would not fit, before anything is sent', () => {
    const record = { holder: 'a', fencingToken: 33, leaseDurationMs: 15_000, history: [] };
    const stored = { state: 'held' as const, mark: crypto.randomUUID() };
    expect(() =>
      encodeRecord({ ...stored, record: { ...record, progress: 'x'.repeat(6_000) } }),
    ).toThrow(/8000 bytes of metadata, got 8\d{3}/);
  });
});

describe('leaseBlobName', () => {
  const decoded = (name: string): string =>
    decodeURIComponent(name.replaceAll('%', '%25').replaceAll('~', '%'));
  const leaseName = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 64 })
    .filter((name) => name.isWellFormed() && new TextEncoder().encode(name).length <= 256);

  it('can be turned back into the name of the lease', () => {
    fc.assert(
      fc.property(leaseName, (name) => {
        expect(decoded(leaseBlobName(name))).toBe(name);
      }),
    );
  });

  it('is a name that any account takes for one blob and no path', () => {
    fc.assert(
      fc.property(leaseName, (name) => {
        expect(leaseBlobName(name)).toMatch(/^(?!\.)[\w.~-]{1,768}(?<!\.)$/);
      }),
    );
  });

  it.each([
    ['billing-scheduler', 'billing-scheduler'],
    ['billing/nightly', 'billing~2Fnightly'],
    ['Orders_v1.2', 'Orders_v1.2'],
    ['.', '~2E'],
    ['..', '~2E~2E'],
    ['orders.', 'orders~2E'],
    ['a b~c%2F', 'a~20b~7Ec~252F'],
    ['คิว', '~E0~B8~84~E0~B8~B4~E0~B8~A7'],
    ['機'.repeat(85), '~E6~A9~9F'.repeat(85)],
  ])('of %j is %j', (lease, blob) => {
    expect(leaseBlobName(lease)).toBe(blob);
  });
});
