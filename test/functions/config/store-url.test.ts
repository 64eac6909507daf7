import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStoreUrl, type StorePlace } from '../../../functions/config/store-url.ts';

const text = (characters: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength, maxLength });

const lower = 'abcxyz019';
const tables = text('abXY09_.-', 3, 255);
const regions = fc.constantFrom('eu-central-1', 'us-gov-west-1', 'ap-southeast-7', 'cn-north-1');
const endpoints = fc
  .tuple(fc.webUrl({ validSchemes: ['http', 'https'], withFragments: false }), fc.boolean())
  .map(([url]) => url.replace(/\/+$/, ''))
  .filter((url) => URL.canParse(url));

const places: fc.Arbitrary<StorePlace> = fc.oneof(
  fc.record({
    kind: fc.constant('dynamodb' as const),
    leaseTable: tables,
    chargesTable: tables,
    region: regions,
    endpoint: fc.option(endpoints, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('azure-blob' as const),
    account: text(lower, 3, 24),
    container: text(lower, 3, 63),
    endpoint: endpoints,
  }),
);

function formatted(place: StorePlace): string {
  const [host, path] =
    place.kind === 'dynamodb'
      ? [place.leaseTable, place.chargesTable]
      : [place.account, place.container];
  const query = new URLSearchParams(place.kind === 'dynamodb' ? { region: place.region } : {});
  if (place.endpoint !== undefined) {
    query.set('endpoint', place.endpoint);
  }
  return `${place.kind}://${host}/${path}?${query.toString()}`;
}

describe('parseStoreUrl', () => {
  it('reads back every place that is written as a URL', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(parseStoreUrl(formatted(place))).toEqual(place);
      }),
    );
  });

  it('names the account in the public cloud unless an endpoint is given', () => {
    expect(parseStoreUrl('azure-blob://ledger1/billing')).toEqual({
      kind: 'azure-blob',
      account: 'ledger1',
      container: 'billing',
      endpoint: 'https://ledger1.blob.core.windows.net',
    });
    const emulated = 'azure-blob://dev/billing?endpoint=http://127.0.0.1:1/dev/';
    expect(parseStoreUrl(emulated)).toMatchObject({ endpoint: 'http://127.0.0.1:1/dev' });
  });

  it('keeps the case of the tables', () => {
    expect(parseStoreUrl('dynamodb://Leases/Charges?region=eu-central-1')).toMatchObject({
      leaseTable: 'Leases',
      chargesTable: 'Charges',
    });
  });

  const tail = '?region=eu-central-1';
  it.each([
    ['', 'it must be dynamodb://<lease table>'],
    ['leases', 'it must be dynamodb://<lease table>'],
    ['dynamodb://leases?region=eu-central-1', 'it must be dynamodb://<lease table>'],
    [`dynamodb://leases/charges${tail}#x`, 'it must be dynamodb://<lease table>'],
    ['redis://host/name', 'got the scheme "redis"'],
    [
      `dynamodb://le/charges${tail}`,
      'its lease table must be 3 to 255 of A-Z a-z 0-9 _ . -, got "le"',
    ],
    [`dynamodb://leases/a b c${tail}`, 'its charges table must be'],
    [`dynamodb://both/both${tail}`, 'its two tables must be different ones'],
    ['dynamodb://leases/charges', 'its region must be such as region=eu-central-1, got none'],
    ['dynamodb://leases/charges?region=Frankfurt', 'got "Frankfurt"'],
    [`dynamodb://leases/charges${tail}&region=us-east-1`, 'it names region twice'],
    [`dynamodb://leases/charges${tail}&table=x`, 'a parameter "table" that means nothing here'],
    [`azure-blob://ledger1/billing${tail}`, 'a parameter "region" that means nothing here'],
    ['azure-blob://Ledger1/billing', 'its account must be 3 to 24 of a-z 0-9, got "Ledger1"'],
    ['azure-blob://ledger1/bill--ing', 'its container must be 3 to 63'],
    ['azure-blob://ledger1/billing-', 'its container must be 3 to 63'],
    ['azure-blob://ledger1/billing?endpoint=ftp://x', 'its endpoint must be an http(s) URL'],
    ['azure-blob://ledger1/billing?endpoint=', 'its endpoint must be an http(s) URL'],
  ])('refuses %s and says why', (url, message) => {
    expect(() => parseStoreUrl(url)).toThrow(RangeError);
    expect(() => parseStoreUrl(url)).toThrow(message);
  });

  it.each([
    'dynamodb://AKIA:hunter2@leases/charges?region=eu-central-1',
    'azure-blob://ledger1/billing?sig=hunter2',
    'azure-blob://ledger1/billing?endpoint=https://:hunter2@ledger1.blob.core.windows.net',
    'azure-blob://ledger1/billing?endpoint=https://ledger1.blob.core.windows.net?sig%3Dhunter2',
  ])('refuses credentials in %s, and does not show them', (url) => {
    expect(() => parseStoreUrl(url)).toThrow(RangeError);
    expect(() => parseStoreUrl(url)).not.toThrow('hunter2');
  });
});
