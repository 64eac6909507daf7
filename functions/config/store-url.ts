import { isPlainHttpUrl } from './setting-kinds.ts';

/** Where lease, ledger and charges are kept, all three. */
export type StorePlace =
  | {
      readonly kind: 'dynamodb';
      /** Table of the lease and of the ledger's entries. */
      readonly leaseTable: string;
      readonly chargesTable: string;
      readonly region: string;
      /** URL of another DynamoDB than the region's, such as an emulator. */
      readonly endpoint: string | undefined;
    }
  | {
      readonly kind: 'azure-blob';
      readonly account: string;
      readonly container: string;
      /** URL of the account; default that in the public cloud. */
      readonly endpoint: string;
    };

const shapes =
  'dynamodb://<lease table>/<charges table>?region=<region> or azure-blob://<account>/<container>';

const table = { pattern: /^[A-Za-z0-9_.-]{3,255}$/, kind: '3 to 255 of A-Z a-z 0-9 _ . -' };
const region = { pattern: /^[a-z]{2,}(?:-[a-z]+)+-\d+$/, kind: 'such as region=eu-central-1' };
const account = { pattern: /^[a-z0-9]{3,24}$/, kind: '3 to 24 of a-z 0-9' };
const container = {
  pattern: /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
  kind: '3 to 63 of a-z 0-9 -, no two - together and none at an end',
};

/**
 * Reads the URL that names the store.
 *
 * @throws `RangeError` naming what is wrong with it. Shows nothing that may be a credential.
 */
export function parseStoreUrl(text: string): StorePlace {
  const { scheme, host, path, query } = partsOf(text);
  const endpoint = endpointIn(query);
  switch (scheme) {
    case 'dynamodb': {
      const place = {
        kind: scheme,
        leaseTable: matching('lease table', host, table),
        chargesTable: matching('charges table', path, table),
        region: matching('region', take(query, 'region'), region),
        endpoint,
      } as const;
      requireNothingElse(query);
      if (place.leaseTable === place.chargesTable) {
        throw new RangeError(`its two tables must be different ones, got "${path}" twice`);
      }
      return place;
    }
    case 'azure-blob': {
      const place = {
        kind: scheme,
        account: matching('account', host, account),
        container: matching('container', path, container),
        endpoint: endpoint ?? `https://${host}.blob.core.windows.net`,
      } as const;
      requireNothingElse(query);
      return place;
    }
    default:
      throw new RangeError(`it must be ${shapes}, got the scheme ${JSON.stringify(scheme)}`);
  }
}

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** By hand, since the host of some URLs is put into lower case, and tables have upper case. */
function partsOf(text: string): Parts {
  const match = /^([a-z0-9-]+):\/\/([^/?#@:]*)\/([^/?#]*)(?:\?([^#]*))?$/.exec(text);
  if (!match) {
    // Not shown: it may have a password in it.
    throw new RangeError(`it must be ${shapes}`);
  }
  const [, scheme = '', host = '', path = '', search = ''] = match;
  return { scheme, host, path, query: new URLSearchParams(search) };
}

/** Takes a parameter out of the query. */
function take(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name);
  if (second !== undefined) {
    throw new RangeError(`it names ${name} twice`);
  }
  query.delete(name);
  return value;
}

/** What nobody takes is most likely misspelt. */
function requireNothingElse(query: URLSearchParams): void {
  const [name] = query.keys();
  if (name !== undefined) {
    throw new RangeError(`it has a parameter ${JSON.stringify(name)} that means nothing here`);
  }
}

function endpointIn(query: URLSearchParams): string | undefined {
  const text = take(query, 'endpoint');
  if (text === undefined) {
    return undefined;
  }
  if (!isPlainHttpUrl(text)) {
    // Not shown, as above.
    throw new RangeError('its endpoint must be an http(s) URL without credentials or a query');
  }
  return text.replace(/\/$/, '');
}

function matching(
  name: string,
  value: string | undefined,
  { pattern, kind }: { readonly pattern: RegExp; readonly kind: string },
): string {
  if (value === undefined || !pattern.test(value)) {
    const got = value === undefined ? 'none' : JSON.stringify(value);
    throw new RangeError(`its ${name} must be ${kind}, got ${got}; it is ${shapes}`);
  }
  return value;
}
