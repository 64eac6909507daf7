import type { BlobServiceClient, ContainerClient } from '@azure/storage-blob';
import { randomBytes } from 'node:crypto';
import { azureBlobLedgerStore, createLeaseContainer, leaseBlobName } from 'tenure/azure-blob';
import { createLedger } from 'tenure/ledger';
import { azureAccountAt, blobServiceAt } from './azure-account.ts';
import { azureTraffic } from './azure-traffic.ts';
import { azuriteAccount, startAzurite } from './azurite-server.ts';
import type { DemoStore, LeaseRow, StoredCharge } from './demo-store.ts';
import { leaseName } from './emulator.ts';
import {
  boundedCalls,
  callWithinMs,
  removeWithinMs,
  StoreSilentError,
  unfinishedIn,
  type BoundedCall,
} from './store-calls.ts';

/** A server that is not there is to be reported, not waited for. */
const retryOptions = { maxTries: 2, retryDelayInMs: 100 };

/**
 * Creates the containers of one run, under names of their own.
 *
 * @param endpoint - URL of a blob service, with its account and, if it needs one, a SAS. Default:
 *   Azurite is started.
 * @param stop - Ends what is under way, now and later; not `close`.
 */
export async function openAzureDemo(
  endpoint: string | undefined,
  stop?: AbortSignal,
): Promise<DemoStore> {
  const azurite = endpoint === undefined ? await startAzurite() : undefined;
  const url = endpoint ?? `${azurite?.endpoint}/${azuriteAccount.name}`;
  const account = azureAccountAt(url);
  const service = await blobServiceAt(url, { retryOptions });
  const place = { endpoint: shownUrl(service), stop };
  const call = boundedCalls(place);
  const run = randomBytes(4).toString('hex');
  const names = { leases: `billing-${run}-leases`, charges: `billing-${run}-charges` };
  const leases = service.getContainerClient(names.leases);
  const charges = service.getContainerClient(names.charges);
  const close = async (): Promise<void> => {
    if (azurite === undefined) {
      await deleteContainers([leases, charges], place.endpoint);
    }
    await azurite?.close();
  };
  try {
    for (const containerClient of [leases, charges]) {
      await call('create a container', (signal) =>
        createLeaseContainer({ containerClient, signal }),
      );
    }
  } catch (cause) {
    await close();
    stop?.throwIfAborted();
    throw cause instanceof StoreSilentError ? cause : new Error(noContainers(service), { cause });
  }
  const ledger = createLedger({
    store: azureBlobLedgerStore({ containerClient: leases }),
    requestTimeoutMs: callWithinMs,
    retryForMs: 1_000,
  });
  return {
    target: account.target,
    ...(account.rewrite && { rewrite: account.rewrite }),
    traffic: azureTraffic(names),
    accessBy: (proxy) => ({ endpoint: account.urlBy(proxy), ...names }),
    readLease: () => readLease(leases, call),
    readCharges: () => readCharges(charges, call),
    readUnfinished: () => unfinishedIn(ledger, place),
    close,
  };
}

/** Without the query of the URL, which may be a credential. */
function shownUrl({ url }: BlobServiceClient): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function noContainers(service: BlobServiceClient): string {
  return (
    `no containers at ${shownUrl(service)}; it must be the URL of a blob service with its account, such as ` +
    'http://127.0.0.1:10000/devstoreaccount1, and may have a SAS with the rights to create, list and delete'
  );
}

/** Leaves no trace on a server that others use; what was never created is no failure. */
async function deleteContainers(
  containers: readonly ContainerClient[],
  endpoint: string,
): Promise<void> {
  const call = boundedCalls({ endpoint, withinMs: removeWithinMs });
  await Promise.allSettled(
    containers.map((container) =>
      call('delete a container', (abortSignal) => container.deleteIfExists({ abortSignal })),
    ),
  );
}

async function readLease(
  container: ContainerClient,
  call: BoundedCall,
): Promise<LeaseRow | undefined> {
  const blob = container.getBlobClient(leaseBlobName(leaseName));
  const { metadata = {} } = await call('read the lease', (abortSignal) =>
    blob.getProperties({ abortSignal }),
  );
  const { holder, state, token } = metadata;
  // Created, and not held by anybody yet.
  if (holder === undefined || token === undefined) {
    return undefined;
  }
  return {
    holder: Buffer.from(holder, 'base64url').toString('utf8'),
    fencingToken: Number(token),
    released: state === 'free',
  };
}

async function readCharges(
  container: ContainerClient,
  call: BoundedCall,
): Promise<readonly StoredCharge[]> {
  const rows: StoredCharge[] = [];
  let continuationToken: string | undefined;
  do {
    const page = await call('list the charges', (abortSignal) =>
      pageOf(container, { abortSignal, continuationToken }),
    );
    for (const name of page.names) {
      const content = await call('read a charge', (abortSignal) =>
        container.getBlobClient(name).downloadToBuffer(0, undefined, { abortSignal }),
      );
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own schedulers
      const { customerId, period } = JSON.parse(content.toString('utf8')) as StoredCharge;
      rows.push({ customerId, period });
    }
    continuationToken = page.next;
  } while (continuationToken !== undefined);
  return rows;
}

/** One page of the list: its signal is good for one request, not for the whole list. */
async function pageOf(
  container: ContainerClient,
  options: { readonly abortSignal: AbortSignal; readonly continuationToken: string | undefined },
): Promise<{ readonly names: readonly string[]; readonly next: string | undefined }> {
  const { abortSignal, continuationToken } = options;
  const pages = container
    .listBlobsFlat({ abortSignal })
    .byPage(continuationToken === undefined ? {} : { continuationToken });
  for await (const { segment, continuationToken: next } of pages) {
    // The last page has an empty one.
    return { names: segment.blobItems.map(({ name }) => name), next: next || undefined };
  }
  return { names: [], next: undefined };
}
