/**
 * The billing run as an AWS Lambda function: put together here, and nothing else.
 *
 * @module
 */
import { lambdaHandler } from 'tenure/aws-lambda';
import { awsBillingSettings, type AwsBillingSettings } from '../config/billing-settings.ts';
import { openBilling } from '../config/open-billing.ts';
import type { BillingStores } from '../stores/billing-stores.ts';
import { openDynamoDbStores } from '../stores/dynamodb-stores.ts';

const settings = awsBillingSettings(process.env);
const stores = await openStores(settings);
const job = await openBilling(settings, stores, import.meta.url);

export const handler: ReturnType<typeof lambdaHandler> = lambdaHandler(job, {
  store: stores.leases,
  reserveMs: settings.reserveMs,
  timing: { leaseDurationMs: settings.LEASE_DURATION_MS },
  environment: settings.ENVIRONMENT,
  metricsNamespace: settings.METRICS_NAMESPACE,
});

async function openStores({ STORE, credential }: AwsBillingSettings): Promise<BillingStores> {
  if (STORE.kind === 'dynamodb') {
    return openDynamoDbStores(STORE);
  }
  // The other cloud's SDK is loaded only where it is used.
  const { openAzureBlobStores } = await import('../stores/azure-blob-stores.ts');
  return openAzureBlobStores(STORE, credential);
}
