import { randomUUID } from 'node:crypto';
import {
  BlobServiceClient,
  StorageSharedKeyCredential,
  type ContainerClient,
  type StoragePipelineOptions,
} from '@azure/storage-blob';
import { azuriteAccount } from '../../functions/local/azurite-server.ts';

export { startAzurite, type Azurite } from '../../functions/local/azurite-server.ts';

/** How much faster than real time Azurite's clock runs in tests: a lease of 15 s takes 750 ms. */
export const clockRate = 20;

/** What the SDK does by itself: four attempts, with pauses of seconds. */
export const defaultRetries: StoragePipelineOptions = {};

/** One attempt, so that a test sees each answer. */
export const noRetries: StoragePipelineOptions = { retryOptions: { maxTries: 1 } };

/** Four attempts as by default, without the pauses. */
export const quickRetries: StoragePipelineOptions = {
  retryOptions: { maxTries: 4, retryDelayInMs: 1, maxRetryDelayInMs: 2 },
};

/** The account's credential. */
export const credential: StorageSharedKeyCredential = new StorageSharedKeyCredential(
  azuriteAccount.name,
  azuriteAccount.key,
);

/** Address of the account on a server that speaks Azurite's path style. */
export function accountUrl(server: { readonly endpoint: string }): string {
  return `${server.endpoint}/${azuriteAccount.name}`;
}

/** A client of one container, which need not exist. */
export function containerOf(
  server: { readonly endpoint: string },
  name: string,
  options: StoragePipelineOptions = noRetries,
): ContainerClient {
  return new BlobServiceClient(accountUrl(server), credential, options).getContainerClient(name);
}

/** A name that no other container has. */
export function newContainerName(): string {
  return `test-${randomUUID()}`;
}
