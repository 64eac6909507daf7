/**
 * The billing run as a function on Azure Functions: put together here, and nothing else.
 *
 * @module
 */
import { registerTimer } from 'tenure/azure-functions';
import { azureBillingSettings, type AzureBillingSettings } from '../config/billing-settings.ts';
import { openBilling } from '../config/open-billing.ts';
import { openAzureBlobStores } from '../stores/azure-blob-stores.ts';
import type { BillingStores } from '../stores/billing-stores.ts';

/** Version of this project, which the bundler puts in. */
declare const packageVersion: string;

const settings = azureBillingSettings(process.env);
const stores = await openStores(settings);
const job = await openBilling(settings, stores, import.meta.url);

registerTimer(job, {
  store: stores.leases,
  schedule: '%BILLING_SCHEDULE%',
  timing: { leaseDurationMs: settings.LEASE_DURATION_MS },
  budgetMs: settings.budgetMs,
  reserveMs: settings.reserveMs,
  environment: settings.ENVIRONMENT,
  where: { ...settings.where, version: packageVersion },
  manual: { authLevel: 'admin' },
});

async function openStores({ STORE, credential }: AzureBillingSettings): Promise<BillingStores> {
  if (STORE.kind === 'azure-blob') {
    return openAzureBlobStores(STORE, credential);
  }
  // The other cloud's SDK is loaded only where it is used.
  const { openDynamoDbStores } = await import('../stores/dynamodb-stores.ts');
  return openDynamoDbStores(STORE);
}
