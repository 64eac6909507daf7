import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseBlobName } from 'tenure/azure-blob';
import type { PastTerm } from 'tenure';
import { decodePastTerms } from '../../../src/stores/azure-blob/past-terms.ts';
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
    startedMs: fc.maxSafeInteger(),
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
    jobState: fc.option(fc.json({ maxDepth: 2 }), { nil: undefined }),
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
      return character.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes % size);
    };
    const holder = full(256);
    expect(new TextEncoder().encode(holder)).toHaveLength(256);
    const progress = `"${full(2_046)}"`;
    expect(new TextEncoder().encode(progress)).toHaveLength(2_048);
    const jobState = `["${thai.repeat(20)}","${full(1_024 - 7 - 20 * 39)}"]`;
    expect(new TextEncoder().encode(jobState)).toHaveLength(1_024);
    const history = Array.from({ length: 10 }, (__, index): PastTerm => ({
      fencingToken: Number.MAX_SAFE_INTEGER - index,
      holder: character.repeat(holderLength),
      startedMs: Number.MAX_SAFE_INTEGER - index,
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
        jobState,
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

  it('reads terms of which an older version did not keep when they started', () => {
    expect(decodePastTerms('31.r.YQ,32.t.w6k.mnvsjme3,33..YQ')).toEqual([
      { fencingToken: 31, holder: 'a', end: 'released' },
      { fencingToken: 32, holder: 'é', startedMs: 1_776_000_000_027, end: 'taken-over' },
      { fencingToken: 33, holder: 'a' },
    ]);
  });

  it.each(['', '1.5', 'A', '+1', '-', '2gosa7pa2gw', 'z'.repeat(300)])(
    'has no term that started at %j',
    (started) => {
      expect(decodePastTerms(`33.r.YQ.${started}`)).toBeUndefined();
    },
  );

  it('is refused where it would not fit, before anything is sent', () => {
    const record = {
      holder: 'a',
      fencingToken: 33,
      leaseDurationMs: 15_000,
      jobState: undefined,
      history: [],
    };
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
