import { leaseBlobName } from 'tenure/azure-blob';
import type { StoreAccess, StoreWrite, Traffic } from './demo-store.ts';
import { leaseName } from './emulator.ts';
import type { ProxiedRequest } from './http-proxy.ts';

/** Reads requests of the blob service's API whose path begins with the account. */
export function azureTraffic(containers: Pick<StoreAccess, 'leases' | 'charges'>): Traffic {
  return {
    writeIn: (request) =>
      request.method === 'GET' || request.method === 'HEAD'
        ? undefined
        : writeOf(request, containers),
    verdictOn: ({ status, responseBody }) => {
      if (status >= 200 && status < 300) {
        return 'applied';
      }
      const isTaken = status === 409 && responseBody.includes('BlobAlreadyExists');
      return status === 412 || isTaken ? 'refused' : 'neither';
    },
  };
}

function writeOf(
  request: ProxiedRequest,
  { leases, charges }: Pick<StoreAccess, 'leases' | 'charges'>,
): StoreWrite {
  const { pathname, searchParams } = new URL(request.path, 'http://proxy');
  const [, , container, blob] = pathname.split('/');
  if (container === charges && !searchParams.has('comp')) {
    return chargeIn(request);
  }
  const isLease = container === leases && blob === leaseBlobName(leaseName);
  return {
    of: isLease && isOfTerm(request, searchParams.get('comp')) ? 'lease' : 'anything else',
  };
}

/**
 * Whether a write to the lease's blob is a term's. Acquiring the blob's lease is not: the record
 * still names the holder before, until it is written under that lease.
 */
function isOfTerm({ headers }: ProxiedRequest, comp: string | null): boolean {
  return (
    comp === 'metadata' ||
    (comp === 'lease' && headers['x-ms-lease-action']?.toLowerCase() === 'renew')
  );
}

function chargeIn({ body, headers }: ProxiedRequest): StoreWrite {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a request of our own schedulers
  const { customerId } = JSON.parse(body) as { readonly customerId: string };
  const token = headers['x-ms-meta-fencingtoken'];
  return {
    of: 'charge',
    customerId,
    fencingToken: token === undefined ? undefined : Number(token),
  };
}
