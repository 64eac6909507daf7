import { describe, expect, it } from 'vitest';
import { deploy, type Deployment } from './deployment.ts';
import { at, text, type Json } from './json.ts';
import { problemsOf } from './problems.ts';
import { settingsOf } from './settings-checks.ts';
import { exampleParameters, otherCloudParameters, template, type Resource } from './template.ts';

const ofType = ({ resources }: Deployment, type: string): readonly Resource[] =>
  resources.map(({ resource }) => resource).filter((resource) => resource.type === type);

const alert = (deployment: Deployment, name: string): Resource | undefined =>
  ofType(deployment, 'Microsoft.Insights/scheduledQueryRules').find((rule) =>
    rule.name.startsWith(`tenure-${name}-`),
  );

const queryOf = (rule: Resource | undefined): Json | undefined => {
  const conditions = at(rule, 'properties.criteria.allOf') as readonly Json[] | undefined;
  return at(conditions?.[0], 'query');
};

describe('azuredeploy.json', () => {
  it('has no problem that can be found without Azure', () => {
    expect(problemsOf(template)).toEqual([]);
  });

  it('asks for the first month and the gateway, and has defaults for the rest', () => {
    const required = Object.entries(template.parameters)
      .filter(([, { defaultValue }]) => defaultValue === undefined)
      .map(([name]) => name);
    expect(required).toEqual(['billingStartFrom', 'gatewayUrl']);
    expect(deploy(template, {}).problems).toContain('parameter gatewayUrl is required');
  });

  it('hands the values of the parameters to the function', () => {
    const deployment = deploy(template, {
      ...exampleParameters,
      leaseDurationSeconds: 60,
      gatewayKeyHonouredHours: 2,
      maxPeriodsPerRun: 3,
    });
    const { hostAccountName, ledgerAccountName, applicationInsightsName } = deployment.outputs;
    expect(settingsOf(deployment)).toEqual({
      APPLICATIONINSIGHTS_CONNECTION_STRING: `InstrumentationKey=${text(applicationInsightsName)}`,
      AzureWebJobsStorage__accountName: hostAccountName,
      AzureFunctionsJobHost__functionTimeout: '00:10:00',
      STORE: `azure-blob://${text(ledgerAccountName)}/billing`,
      BILLING_START_FROM: '2026-11',
      GATEWAY_URL: 'https://payments.example.com',
      BILLING_TIME_ZONE: 'Europe/Berlin',
      BILLING_CATCH_UP: 'all',
      BILLING_MAX_PERIODS_PER_RUN: '3',
      BILLING_SCHEDULE: '0 */5 * * * *',
      LEASE_NAME: 'billing',
      LEASE_DURATION_MS: '60000',
      CUSTOMERS_FILE: 'customers.json',
      GATEWAY_TIMEOUT_MS: '10000',
      GATEWAY_KEY_HONOURED_MS: '7200000',
      ENVIRONMENT: 'prod',
    });
  });

  it('creates nothing for lease and ledger where the other cloud keeps them', () => {
    const deployment = deploy(template, otherCloudParameters);
    expect(ofType(deployment, 'Microsoft.Storage/storageAccounts')).toHaveLength(1);
    expect(ofType(deployment, 'Microsoft.Authorization/roleAssignments')).toHaveLength(1);
    expect(deployment.outputs).toMatchObject({ ledgerAccountName: '', ledgerContainerId: '' });
    expect(settingsOf(deployment)).toMatchObject({
      STORE: 'dynamodb://leases/charges?region=eu-central-1',
      AWS_ACCESS_KEY_ID:
        '@Microsoft.KeyVault(SecretUri=https://team.vault.azure.net/secrets/aws-access-key-id)',
      AWS_SECRET_ACCESS_KEY:
        '@Microsoft.KeyVault(SecretUri=https://team.vault.azure.net/secrets/aws-secret-access-key)',
    });
  });

  it('hands over no credentials of the other cloud where a secret is not named', () => {
    const deployment = deploy(template, { ...otherCloudParameters, awsAccessKeyIdSecretUri: '' });
    expect(Object.keys(settingsOf(deployment)).filter((name) => name.startsWith('AWS'))).toEqual(
      [],
    );
  });

  it('keeps within the limits of names for the longest name of an environment', () => {
    const deployment = deploy(template, { ...exampleParameters, environmentName: 'production' });
    const [site] = ofType(deployment, 'Microsoft.Web/sites');
    expect(site?.name).toMatch(/^tenure-production-[a-z0-9]{13}$/u);
    expect(site?.name.length).toBeLessThanOrEqual(32);
    expect(
      deploy(template, { ...exampleParameters, environmentName: 'productions' }).problems,
    ).toEqual(['parameter environmentName: productions is not 1 to 10 characters long']);
  });

  it('counts ticks without a late month, so that lateness and silence both alert', () => {
    const rule = alert(
      deploy(template, { ...exampleParameters, maxPeriodLagHours: 2 }),
      'no-completed-period',
    );
    expect(queryOf(rule)).toBe(
      'traces | where message has "tenure.job.outcome" | extend outcome = parse_json(message) ' +
        '| where tostring(outcome.event) == "tenure.job.outcome" ' +
        '| extend figures = outcome.figures | where todouble(figures.periodLagSeconds) < 7200',
    );
    expect(at(rule, 'properties.windowSize')).toBe('PT1H');
  });

  it('notifies an action group only where one is named', () => {
    const named = deploy(template, { ...exampleParameters, actionGroupId: '/subscriptions/a' });
    const groups = 'properties.actions.actionGroups';
    expect(at(alert(named, 'failures'), groups)).toEqual(['/subscriptions/a']);
    expect(at(alert(deploy(template, exampleParameters), 'failures'), groups)).toEqual([]);
  });
});
