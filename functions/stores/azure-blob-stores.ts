import { ClientSecretCredential, ManagedIdentityCredential } from '@azure/identity';
import {
  BlobServiceClient,
  StorageSharedKeyCredential,
  type ContainerClient,
} from '@azure/storage-blob';
import { azureBlobLeaseStore, azureBlobLedgerStore } from 'tenure/azure-blob';
import { azureBlobChargeStore } from '../billing/azure-blob-charge-store.ts';
import type { StorePlace } from '../config/store-url.ts';
import type { BillingStores } from './billing-stores.ts';

type AzureBlobPlace = Extract<StorePlace, { kind: 'azure-blob' }>;

/** How this process proves to Azure who it is. */
export type AzureCredential =
  /** The function app's own identity, or the user-assigned one with this client id. */
  | { readonly kind: 'managed-identity'; readonly clientId: string | undefined }
  /** An application registered in the tenant, for code that runs elsewhere. */
  | {
      readonly kind: 'client-secret';
      readonly tenantId: string;
      readonly clientId: string;
      readonly clientSecret: string;
    }
  /** The account's key, for emulators. */
  | { readonly kind: 'account-key'; readonly key: string };

/** Lease, ledger and charges in one container. */
export function openAzureBlobStores(
  place: AzureBlobPlace,
  credential: AzureCredential,
): BillingStores {
  const containerClient = containerAt(place, credential);
  return {
    leases: azureBlobLeaseStore({ containerClient }),
    ledger: azureBlobLedgerStore({ containerClient }),
    // The name of a lease's blob has no slash, and those of the ledger begin with `ledger/`.
    charges: azureBlobChargeStore({ containerClient, prefix: 'charges/', timeoutMs: 6_000 }),
  };
}

function containerAt(
  { endpoint, account, container }: AzureBlobPlace,
  credential: AzureCredential,
): ContainerClient {
  // The second try is for a connection that was cut while the function was frozen.
  const options = { retryOptions: { maxTries: 2, retryDelayInMs: 50 } };
  const service = new BlobServiceClient(endpoint, credentialFor(account, credential), options);
  return service.getContainerClient(container);
}

function credentialFor(
  account: string,
  credential: AzureCredential,
): ManagedIdentityCredential | ClientSecretCredential | StorageSharedKeyCredential {
  switch (credential.kind) {
    case 'managed-identity': {
      const { clientId } = credential;
      return new ManagedIdentityCredential(clientId === undefined ? {} : { clientId });
    }
    case 'client-secret': {
      const { tenantId, clientId, clientSecret } = credential;
      return new ClientSecretCredential(tenantId, clientId, clientSecret);
    }
    default:
      return new StorageSharedKeyCredential(account, credential.key);
  }
}
