import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { awsBillingSettings } from '../../../functions/config/billing-settings.ts';
import { parseStoreUrl } from '../../../functions/config/store-url.ts';
import { environmentOf, invokeByOneTick, type Line } from './deployed-function.ts';
import { startObservatory, type Observatory } from './observed-calls.ts';
import { metricOf } from './rules.ts';
import { azureCredentials, variables } from './settings.ts';
import { inAzure, stackOf } from './stacks.ts';
import { templateText } from './template-source.ts';

const stack = stackOf(templateText);
const azureStack = stackOf(templateText, inAzure);

describe('the settings of the function', () => {
  it('are those that the code reads, with the defaults of the code', () => {
    const environment = environmentOf(stack);
    const { STORE, BILLING_START_FROM, GATEWAY_URL, ENVIRONMENT, ...others } = environment;
    const required = { STORE, BILLING_START_FROM, GATEWAY_URL, ENVIRONMENT };
    expect(Object.keys(environment).toSorted()).toEqual(variables.toSorted());
    expect(Object.keys(others)).toHaveLength(variables.length - 4);
    expect(awsBillingSettings(environment)).toEqual(awsBillingSettings(required));
  });

  it('name the tables of the stack', () => {
    expect(awsBillingSettings(environmentOf(stack))).toMatchObject({
      STORE: {
        kind: 'dynamodb',
        leaseTable: 'tenure-billing-prod-leases',
        chargesTable: 'tenure-billing-prod-charges',
        region: 'eu-central-1',
      },
      BILLING_START_FROM: '2026-11',
      GATEWAY_URL: 'https://gateway.example/charges',
      ENVIRONMENT: 'prod',
    });
  });

  it('name the container in Azure and the secret with its credentials', () => {
    const environment = environmentOf(azureStack);
    const secret = (key: string) => `{{resolve:secretsmanager:billing/azure:SecretString:${key}}}`;
    expect(environment).toMatchObject(
      Object.fromEntries(azureCredentials.map((name) => [name, secret(name)])),
    );
    expect(Object.keys(environment).toSorted()).toEqual(
      [...variables, ...azureCredentials].toSorted(),
    );
    expect(awsBillingSettings(environment)).toMatchObject({
      STORE: parseStoreUrl('azure-blob://account1/billing'),
      credential: { kind: 'client-secret', clientId: secret('AZURE_CLIENT_ID') },
    });
  });
});

describe('one tick of the schedule', () => {
  const early = stackOf(templateText, { StartFrom: '2026-10' });
  let observatory: Observatory;
  let line: Line;
  beforeAll(async () => {
    // In Lambda, where these come from the role, they have the same names.
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    observatory = await startObservatory(early, { returnItemOnFailedCondition: true });
    line = await invokeByOneTick(early, observatory.endpoint, '2026-11-01T00:05:00Z');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await observatory.close();
  });

  it('bills the month that is over, since the input tells the nominal time', () => {
    expect(line).toMatchObject({
      status: 'led',
      trigger: { nominalTime: '2026-11-01T00:05:00.000Z' },
      periods: [{ period: '2026-10', end: 'completed' }],
      attempt: { attemptNumber: '1', executionId: 'd32c5kddcf5bb8c3' },
    });
  });

  it('writes each metric of its own that an alarm watches', () => {
    const alarms = early
      .ofType('AWS::CloudWatch::Alarm')
      .map(metricOf)
      .filter((metric) => !metric.startsWith('AWS/'));
    expect(alarms).toHaveLength(4);
    expect(metricsIn(line)).toEqual(expect.arrayContaining(alarms));
  });
});

/** The metrics of a line in CloudWatch's embedded metric format, each as `metricOf` has them. */
function metricsIn(line: Line): readonly string[] {
  const { CloudWatchMetrics: directives } = line['_aws'] as {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  return directives.flatMap(({ Namespace, Dimensions: [dimensions = []], Metrics }) =>
    Metrics.map(({ Name }) =>
      [Namespace, Name, ...dimensions.map((name) => `${name}=${String(line[name])}`)].join(' '),
    ),
  );
}
