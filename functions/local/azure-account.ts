/**
 * Addresses of a blob service and clients for them.
 *
 * @module
 */
import type { BlobServiceClient, StoragePipelineOptions } from '@azure/storage-blob';
import { azuriteAccount } from './azurite-server.ts';
import type { ForwardedHead } from './http-forward.ts';

/** A blob service, taken apart so that proxies can be put in front of it. */
export interface AzureAccount {
  /** The server alone. */
  readonly target: string;
  /** URL for clients of the service behind a proxy. */
  urlBy(proxy: string): string;
  /** What the proxy has to change; nothing where the path names the account. */
  readonly rewrite?: (head: ForwardedHead) => ForwardedHead;
}

/**
 * Takes the URL of a blob service apart. Either its path names the account, as on Azurite, or its
 * host does, as on Azure. The SDK expects the former of a loopback address, so a proxy in front of
 * the latter takes the account out of the path and puts the host back.
 */
export function azureAccountAt(endpoint: string): AzureAccount {
  const { origin, host, hostname, pathname, search } = new URL(endpoint);
  const path = pathname.replace(/\/$/, '');
  if (path !== '') {
    return { target: origin, urlBy: (proxy) => `${proxy}${path}${search}` };
  }
  const prefix = `/${hostname.split('.')[0]}`;
  return {
    target: origin,
    urlBy: (proxy) => `${proxy}${prefix}${search}`,
    rewrite: (head) => ({
      ...head,
      path: head.path.replace(prefix, ''),
      headers: { ...head.headers, host },
    }),
  };
}

/** A client of the service at `url`: with the SAS in it, or else with Azurite's public key. */
export async function blobServiceAt(
  url: string,
  options: StoragePipelineOptions,
): Promise<BlobServiceClient> {
  // Each scheduler would load it, which takes a while, also where another store is used.
  const { AnonymousCredential, BlobServiceClient, StorageSharedKeyCredential } =
    await import('@azure/storage-blob');
  const credential = new URL(url).searchParams.has('sig')
    ? new AnonymousCredential()
    : new StorageSharedKeyCredential(azuriteAccount.name, azuriteAccount.key);
  return new BlobServiceClient(url, credential, options);
}
