import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryLedgerStore } from 'tenure/ledger';
import { memoryLeaseStore } from 'tenure/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsBillingSettings } from '../../../functions/config/billing-settings.ts';
import { openBilling } from '../../../functions/config/open-billing.ts';
import type { Environment } from '../../../functions/config/settings.ts';
import { azureBlobLimits } from '../../../src/stores/azure-blob/limits.ts';
import { ScriptedChargeStore } from '../billing/support.ts';
import { leastSettings } from './support.ts';

let folder: string;
beforeAll(async () => {
  // A name that a URL would have to escape.
  folder = await mkdtemp(join(tmpdir(), 'billing #1 %20-'));
  await writeFile(join(folder, 'customers.csv'), 'id,name,plan,amount,currency\nc-1,N,team,1,EUR');
  const customer = { id: 'c-1', name: 'N', plan: 'team', amountMinor: 1, currency: 'EUR' };
  await writeFile(join(folder, 'customers.json'), JSON.stringify([customer]));
  await writeFile(join(folder, 'free.json'), JSON.stringify([{ ...customer, amountMinor: 0 }]));
  await writeFile(join(folder, 'only #1.csv'), 'id,name,plan,amount,currency\n');
});
afterAll(() => rm(folder, { recursive: true }));

const stores = {
  leases: memoryLeaseStore(),
  ledger: memoryLedgerStore(),
  charges: new ScriptedChargeStore(),
};

function open(environment: Environment, limits = stores.leases.limits) {
  const settings = awsBillingSettings({ ...leastSettings, ...environment });
  const leases = Object.assign(Object.create(stores.leases), { limits });
  const entry = pathToFileURL(join(folder, 'index.mjs')).href;
  return openBilling(settings, { ...stores, leases }, entry);
}

describe('openBilling', () => {
  it('makes the job that the settings describe, with the customers beside the package', async () => {
    const job = await open({
      BILLING_START_FROM: '2026-02',
      BILLING_TIME_ZONE: 'Europe/Berlin',
      BILLING_CATCH_UP: 'latest',
      BILLING_MAX_PERIODS_PER_RUN: '3',
      LEASE_NAME: 'billing-eu',
    });
    expect(job).toMatchObject({
      name: 'billing',
      lease: 'billing-eu',
      startFrom: '2026-02',
      catchUp: 'latest',
      maxPeriodsPerRun: 3,
    });
    expect(new Date(job.periods.dueFromMs('2026-06')).toISOString()).toBe(
      '2026-06-30T22:00:00.000Z',
    );
  });

  it('takes the path of the customers from the root, too', async () => {
    const job = await open({ CUSTOMERS_FILE: join(folder, 'customers.csv') });
    expect(job.name).toBe('billing');
  });

  it('says what is wrong with the customers', async () => {
    await expect(open({ CUSTOMERS_FILE: 'gone.csv' })).rejects.toMatchObject({
      name: 'SettingsError',
      problems: [expect.stringMatching(/^CUSTOMERS_FILE: ENOENT.*gone\.csv/)],
    });
    await expect(open({ CUSTOMERS_FILE: 'only #1.csv' })).rejects.toMatchObject({
      problems: ['CUSTOMERS_FILE: line 1: the file has a header and no customers'],
    });
    await expect(open({ CUSTOMERS_FILE: 'free.json' })).rejects.toMatchObject({
      problems: [expect.stringMatching(/^CUSTOMERS_FILE: 0\.amountMinor: /)],
    });
  });

  it('says what is wrong with the lease and the customers at once', async () => {
    const environment = { LEASE_DURATION_MS: '5000', CUSTOMERS_FILE: 'gone.csv' };
    await expect(open(environment, azureBlobLimits)).rejects.toMatchObject({
      problems: [
        'LEASE_DURATION_MS: leaseDurationMs must be a multiple of 1000 from 15000 to 60000 on this store, got 5000',
        expect.stringContaining('CUSTOMERS_FILE'),
      ],
    });
  });
});
