import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainTiming } from 'tenure';
import type { Job } from 'tenure/jobs';
import { createLedger } from 'tenure/ledger';
import { billingJob } from '../billing/billing-job.ts';
import { customersFromJson } from '../billing/customers-json.ts';
import type { Customer } from '../billing/customers.ts';
import { httpPaymentGateway } from '../billing/payment-gateway.ts';
import type { BillingStores } from '../stores/billing-stores.ts';
import { messageOf } from '../message-of.ts';
import type { BillingSettings } from './billing-settings.ts';
import { SettingsError } from './settings.ts';

/**
 * The billing job as the settings have it.
 *
 * @param packageUrl - URL of a file of the deployed package, beside which the customers are, or of its
 *   folder, with a slash at the end.
 * @throws `SettingsError` if the customers cannot be read, or the store has no such leases.
 */
export async function openBilling(
  settings: BillingSettings,
  stores: BillingStores,
  packageUrl: string,
): Promise<Job<string>> {
  const problems: string[] = [];
  const note = (variable: string, error: unknown): void => {
    problems.push(`${variable}: ${messageOf(error)}`);
  };
  try {
    explainTiming({ leaseDurationMs: settings.LEASE_DURATION_MS }, stores.leases);
  } catch (error) {
    note('LEASE_DURATION_MS', error);
  }
  let customers: readonly Customer[] = [];
  try {
    const file = resolve(fileURLToPath(new URL('.', packageUrl)), settings.CUSTOMERS_FILE);
    customers = await readCustomers(file);
  } catch (error) {
    note('CUSTOMERS_FILE', error);
  }
  if (problems.length > 0) {
    throw new SettingsError(problems);
  }
  return jobOf(settings, stores, customers);
}

async function readCustomers(file: string): Promise<readonly Customer[]> {
  const text = await readFile(file, 'utf8');
  if (file.endsWith('.json')) {
    return customersFromJson(text);
  }
  // The parser is a third of all that a package would load beside the SDK, so it is loaded only for CSV.
  const { parseCustomers } = await import('../billing/customers.ts');
  return parseCustomers(text);
}

function jobOf(
  settings: BillingSettings,
  stores: BillingStores,
  customers: readonly Customer[],
): Job<string> {
  const timeoutMs = settings.GATEWAY_TIMEOUT_MS;
  return billingJob({
    customers,
    ledger: createLedger({ store: stores.ledger }),
    charges: stores.charges,
    gateway: httpPaymentGateway({ endpoint: settings.GATEWAY_URL, timeoutMs }),
    chargeAtMostMs: timeoutMs,
    keyHonouredForMs: settings.GATEWAY_KEY_HONOURED_MS,
    startFrom: settings.BILLING_START_FROM,
    timeZone: settings.BILLING_TIME_ZONE,
    lease: settings.LEASE_NAME,
    catchUp: settings.BILLING_CATCH_UP,
    maxPeriodsPerRun: settings.BILLING_MAX_PERIODS_PER_RUN,
  });
}
