import { describe, expect, it } from 'vitest';
import {
  awsBillingSettings,
  awsVariables,
  azureBillingSettings,
  azureVariables,
} from '../../../functions/config/billing-settings.ts';
import { leastSettings, problemsOf } from './support.ts';

const blobStore = 'azure-blob://ledger1/billing';
const wrong = {
  STORE: 'redis://host/name',
  BILLING_START_FROM: '2026-13',
  GATEWAY_URL: 'gateway',
  BILLING_TIME_ZONE: 'Mars/Olympus',
  BILLING_CATCH_UP: 'some',
  BILLING_MAX_PERIODS_PER_RUN: '0',
  LEASE_NAME: ' ',
  LEASE_DURATION_MS: '15s',
  CUSTOMERS_FILE: 'customers.csv ',
  GATEWAY_TIMEOUT_MS: '-1',
  GATEWAY_KEY_HONOURED_MS: '3600000',
  ENVIRONMENT: 'Größe',
};
const namesOf = (problems: readonly string[]): readonly string[] =>
  problems.map((problem) => problem.slice(0, problem.indexOf(':')));

describe('settings of the billing function', () => {
  it('have defaults, but for the store, the first month, the gateway and the schedule of a timer', () => {
    const common = {
      STORE: { kind: 'dynamodb', leaseTable: 'leases', chargesTable: 'charges' },
      BILLING_START_FROM: '2026-11',
      GATEWAY_URL: 'https://gateway.example',
      BILLING_TIME_ZONE: 'UTC',
      BILLING_CATCH_UP: 'all',
      BILLING_MAX_PERIODS_PER_RUN: 7,
      LEASE_NAME: 'billing',
      LEASE_DURATION_MS: 15_000,
      CUSTOMERS_FILE: 'customers.json',
      GATEWAY_TIMEOUT_MS: 10_000,
      GATEWAY_KEY_HONOURED_MS: 86_400_000,
      ENVIRONMENT: 'default',
      reserveMs: 15_000,
    };
    expect(awsBillingSettings(leastSettings)).toMatchObject({
      ...common,
      METRICS_NAMESPACE: 'tenure',
    });
    const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const azure = azureBillingSettings({ ...leastSettings, ...credentials });
    expect(azure).toMatchObject({ ...common, budgetMs: 240_000, where: {} });
  });

  it('are missing one by one, each with what to set it to', () => {
    const environment = { STORE: '', PATH: '/bin' };
    const onBoth = [
      'STORE: it is missing; set it to where lease, ledger and charges are kept, such as dynamodb://leases/charges?region=eu-central-1',
      'BILLING_START_FROM: it is missing; set it to the first month to bill, such as 2026-11',
      'GATEWAY_URL: it is missing; set it to the URL of the payment gateway',
    ];
    expect(problemsOf(() => awsBillingSettings(environment))).toEqual(onBoth);
    expect(problemsOf(() => azureBillingSettings(environment))).toEqual([
      ...onBoth,
      'BILLING_SCHEDULE: it is missing; set it to when to look for months to bill, such as 0 */5 * * * *',
    ]);
  });

  it('are all told that are wrong', () => {
    const onAws = { ...wrong, METRICS_NAMESPACE: 'AWS/Lambda' };
    expect(namesOf(problemsOf(() => awsBillingSettings(onAws)))).toEqual(Object.keys(onAws));
    expect(awsVariables.toSorted()).toEqual(Object.keys(onAws).toSorted());
    const onAzure = {
      ...wrong,
      // CloudWatch is not asked there.
      ENVIRONMENT: ' prod',
      BILLING_SCHEDULE: '*/5 * * * *',
      BUDGET_MS: 'long',
      AzureFunctionsJobHost__functionTimeout: 'long',
    };
    expect(namesOf(problemsOf(() => azureBillingSettings(onAzure)))).toEqual(Object.keys(onAzure));
    expect(azureVariables.toSorted()).toEqual(Object.keys(onAzure).toSorted());
  });

  it('let a key be honoured never, or for more than the hour that the ledger spares', () => {
    const honoured = (ms: string) =>
      awsBillingSettings({ ...leastSettings, GATEWAY_KEY_HONOURED_MS: ms });
    expect(honoured('0')).toMatchObject({ GATEWAY_KEY_HONOURED_MS: 0 });
    expect(honoured('3600001')).toMatchObject({ GATEWAY_KEY_HONOURED_MS: 3_600_001 });
    expect(problemsOf(() => honoured('3600000'))).toEqual([
      'GATEWAY_KEY_HONOURED_MS: it must be 0 for never, or more than one hour (3600000), got "3600000"',
    ]);
  });
});

describe('credentials for the other cloud', () => {
  it('are required on AWS where STORE is in Azure, beside everything else that is wrong', () => {
    const environment = { ...leastSettings, STORE: blobStore, GATEWAY_URL: 'gateway' };
    expect(
      namesOf(problemsOf(() => awsBillingSettings({ ...environment, AZURE_CLIENT_ID: 'app' }))),
    ).toEqual(['AZURE_TENANT_ID', 'AZURE_CLIENT_SECRET', 'GATEWAY_URL']);
  });

  it('are required on Azure where STORE is in AWS', () => {
    expect(namesOf(problemsOf(() => azureBillingSettings(leastSettings)))).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ]);
  });

  it('are those of an application on AWS, and of a managed identity on Azure', () => {
    const environment = { ...leastSettings, STORE: blobStore, AZURE_CLIENT_ID: 'client' };
    const application = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_SECRET: 'hunter2' };
    expect(awsBillingSettings({ ...environment, ...application }).credential).toEqual({
      kind: 'client-secret',
      tenantId: 'tenant',
      clientId: 'client',
      clientSecret: 'hunter2',
    });
    expect(azureBillingSettings(environment).credential).toEqual({
      kind: 'managed-identity',
      clientId: 'client',
    });
    expect(azureBillingSettings({ ...environment, AZURE_CLIENT_ID: '' }).credential).toEqual({
      kind: 'managed-identity',
      clientId: undefined,
    });
  });

  it('are replaced by the key of an emulator', () => {
    const environment = { ...leastSettings, STORE: blobStore, AZURE_STORAGE_KEY: 'a2V5' };
    for (const read of [awsBillingSettings, azureBillingSettings]) {
      expect(read(environment).credential).toEqual({ kind: 'account-key', key: 'a2V5' });
    }
  });

  it('are not shown when they are wrong', () => {
    const environment = {
      ...leastSettings,
      AWS_ACCESS_KEY_ID: 'hunter1\n',
      AWS_SECRET_ACCESS_KEY: ' hunter2',
    };
    const problems = problemsOf(() => azureBillingSettings(environment));
    expect(namesOf(problems)).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    expect(problems.join()).not.toMatch(/hunter/);
  });
});

describe('the budget on Azure', () => {
  const environment = { ...leastSettings, STORE: blobStore };
  const budgetOf = (variables: Readonly<Record<string, string>>): number =>
    azureBillingSettings({ ...environment, ...variables }).budgetMs;

  it.each([
    ['240 s by default', {}, 240_000],
    ["80 % of the host's limit", { AzureFunctionsJobHost__functionTimeout: '00:10:00' }, 480_000],
    ['240 s if the host has no limit', { AzureFunctionsJobHost__functionTimeout: '-1' }, 240_000],
    [
      'BUDGET_MS where that is set',
      { BUDGET_MS: '60000', AzureFunctionsJobHost__functionTimeout: '00:10:00' },
      60_000,
    ],
  ])('is %s', (_what, variables, expected) => {
    expect(budgetOf(variables)).toBe(expected);
  });

  it('must leave time to work in besides one charge and winding down', () => {
    expect(budgetOf({ BUDGET_MS: '15001' })).toBe(15_001);
    expect(problemsOf(() => budgetOf({ BUDGET_MS: '15000' }))).toEqual([
      expect.stringContaining('BUDGET_MS: an invocation may take 15000 ms, which leaves no time'),
    ]);
    const slow = { GATEWAY_TIMEOUT_MS: '120000', BUDGET_MS: '100000' };
    expect(problemsOf(() => budgetOf(slow))).toEqual([
      expect.stringContaining('take up to 125000; set it higher'),
    ]);
  });

  it('must end before the host stops the invocation', () => {
    const limit = { AzureFunctionsJobHost__functionTimeout: '00:05:00' };
    expect(budgetOf({ ...limit, BUDGET_MS: '299999' })).toBe(299_999);
    expect(problemsOf(() => budgetOf({ ...limit, BUDGET_MS: '300000' }))).toEqual([
      'BUDGET_MS: it is 300000 ms, and the host stops an invocation after 300000 ms (AzureFunctionsJobHost__functionTimeout); set it lower, or leave it out',
    ]);
  });

  it('is told with where the function runs', () => {
    const platform = { REGION_NAME: 'Germany West Central', WEBSITE_SITE_NAME: 'billing-prod' };
    expect(azureBillingSettings({ ...environment, ...platform }).where).toEqual({
      region: 'Germany West Central',
      app: 'billing-prod',
    });
  });
});
