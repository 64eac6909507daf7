import type { StoreAccess, StoreWrite, Traffic } from './demo-store.ts';
import { leaseName } from './emulator.ts';
import { operationOf } from './http-proxy.ts';

const writes: ReadonlySet<string | undefined> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** Reads requests of DynamoDB's API. */
export function dynamoDbTraffic(tables: Pick<StoreAccess, 'leases' | 'charges'>): Traffic {
  return {
    writeIn: (request) =>
      writes.has(operationOf(request)) ? writeOf(request.body, tables) : undefined,
    verdictOn: ({ status, responseBody }) => {
      if (status === 200) {
        return 'applied';
      }
      return responseBody.includes('ConditionalCheckFailedException') ? 'refused' : 'neither';
    },
  };
}

/** The parts of a write request that matter here. */
interface WriteBody {
  readonly TableName?: string;
  readonly Key?: { readonly key?: { readonly S?: string } };
  readonly Item?: {
    readonly key?: { readonly S?: string };
    readonly customerId?: { readonly S?: string };
    readonly fencingToken?: { readonly N?: string };
  };
}

function writeOf(
  body: string,
  { leases, charges }: Pick<StoreAccess, 'leases' | 'charges'>,
): StoreWrite {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a request of our own schedulers
  const { TableName, Key, Item } = JSON.parse(body) as WriteBody;
  if (TableName === charges) {
    return chargeIn(Item ?? {});
  }
  // The ledger's entries are in the same table, under keys of their own.
  const isLease = TableName === leases && (Key ?? Item)?.key?.S === leaseName;
  return { of: isLease ? 'lease' : 'anything else' };
}

function chargeIn({ customerId, fencingToken }: NonNullable<WriteBody['Item']>): StoreWrite {
  return {
    of: 'charge',
    customerId: customerId?.S ?? '',
    fencingToken: fencingToken?.N === undefined ? undefined : Number(fencingToken.N),
  };
}
