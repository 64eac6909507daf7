import { describe, expect, it } from 'vitest';
import { accepts } from './constraints.ts';
import { textOf, type Stack } from './stack.ts';
import { inAzure, stackOf, topic } from './stacks.ts';
import { parseTemplate, templateText } from './template-source.ts';

const template = parseTemplate(templateText);
const stack = stackOf(templateText);
const azureStack = stackOf(templateText, inAzure);

describe('infra/aws/template.yaml', () => {
  it('is short enough to be deployed without a bucket for templates', () => {
    expect(Buffer.byteLength(templateText)).toBeLessThanOrEqual(51_200);
  });

  it('gives every name its environment, so that two stacks of one account share none', () => {
    const other = stackOf(templateText, { Environment: 'test' });
    const namesOf = (of: Stack) =>
      of.resources.flatMap(({ id, Properties }) =>
        Object.entries(Properties)
          .filter(([property]) => /^(\w+)?Name$/u.test(property) && property !== 'MetricName')
          .map(([property, name]) => `${id}.${property} ${textOf(name)}`),
      );
    const shared = new Set(namesOf(other));
    expect(namesOf(stack).length).toBeGreaterThan(12);
    expect(namesOf(stack).filter((name) => shared.has(name))).toEqual([]);
  });

  it('has no names for roles and policies, so that CAPABILITY_IAM is enough', () => {
    const named = stack.resources.filter(
      ({ Properties }) => 'RoleName' in Properties || 'ManagedPolicyName' in Properties,
    );
    expect(named).toEqual([]);
  });
});

describe('the alarms', () => {
  it('tell a topic of their coming and going only where there is one', () => {
    for (const [AlarmTopicArn, actions] of [
      ['none', undefined],
      [topic, [topic]],
    ] as const) {
      for (const { Properties } of stackOf(templateText, { AlarmTopicArn }).ofType(
        'AWS::CloudWatch::Alarm',
      )) {
        expect([Properties['AlarmActions'], Properties['OKActions']]).toEqual([actions, actions]);
      }
    }
  });

  it('look at no longer time than CloudWatch allows', () => {
    const longest = Math.max(
      ...(template.Parameters['AlarmPeriodSeconds']?.AllowedValues ?? []).map(Number),
    );
    for (const { Properties } of stack.ofType('AWS::CloudWatch::Alarm')) {
      expect(Number(Properties['EvaluationPeriods']) * longest).toBeLessThanOrEqual(86_400);
    }
  });
});

describe('the outputs', () => {
  it('say where to look', () => {
    const queue = 'https://sqs.eu-central-1.amazonaws.com/123456789012/tenure-billing-prod';
    expect(stack.outputs).toEqual({
      FunctionName: 'tenure-billing-prod',
      LeaseTableName: 'tenure-billing-prod-leases',
      ChargesTableName: 'tenure-billing-prod-charges',
      StorePolicyArn: 'arn:aws:iam::123456789012:policy/stack-StorePolicy',
      LogGroupName: '/aws/lambda/tenure-billing-prod',
      FailedEventQueueUrl: `${queue}-failed-events`,
      UndeliveredTickQueueUrl: `${queue}-undelivered-ticks`,
    });
  });

  it('name no table when the store is in Azure', () => {
    expect(Object.keys(azureStack.outputs)).toEqual([
      'FunctionName',
      'LogGroupName',
      'FailedEventQueueUrl',
      'UndeliveredTickQueueUrl',
    ]);
  });
});

describe('the parameters', () => {
  it('have descriptions, defaults that they accept, and words for each pattern', () => {
    for (const [id, parameter] of Object.entries(template.Parameters)) {
      const { Default, AllowedPattern, ConstraintDescription, Description } = parameter;
      expect([id, Description]).toEqual([id, expect.stringMatching(/\.$/u)]);
      expect([id, Default === undefined || accepts(parameter, Default)]).toEqual([id, true]);
      expect([id, AllowedPattern === undefined]).toEqual([id, ConstraintDescription === undefined]);
      expect([id, AllowedPattern ?? '^$']).toEqual([id, expect.stringMatching(/^\^.*\$$/u)]);
    }
  });

  it.each([
    ['ScheduleExpression', 'rate(1 minute)', true],
    ['ScheduleExpression', 'rate(15 minutes)', true],
    ['ScheduleExpression', 'cron(0/5 * * * ? *)', true],
    ['ScheduleExpression', 'rate(1 minutes)', false],
    ['ScheduleExpression', 'rate(5 minute)', false],
    ['ScheduleExpression', 'rate(0 minutes)', false],
    ['ScheduleExpression', 'rate(30 seconds)', false],
    ['ScheduleExpression', 'cron(0 5 * * *)', false],
    ['ScheduleExpression', 'at(2026-11-30T00:00:00)', false],
    ['StartFrom', '2026-11', true],
    ['StartFrom', '2026-13', false],
    ['StartFrom', '2026-11-01', false],
    ['Environment', 'prod', true],
    ['Environment', 'Prod', false],
    ['Environment', '', false],
    ['BillingTimeZone', 'Europe/Berlin', true],
    ['BillingTimeZone', 'America/Argentina/Buenos_Aires', true],
    ['BillingTimeZone', 'Europe/', false],
    ['GatewayUrl', 'https://gateway.example', true],
    ['GatewayUrl', 'http://gateway.example', false],
    ['StoreUrl', '', true],
    ['StoreUrl', 'azure-blob://account1/billing', true],
    [
      'StoreUrl',
      'azure-blob://account1/billing?endpoint=https://account1.blob.core.windows.net',
      true,
    ],
    ['StoreUrl', 'azure-blob://account1/billing?endpoint=http://account1.example', false],
    ['StoreUrl', 'dynamodb://leases/charges?region=eu-central-1', false],
    [
      'AzureCredentials',
      'arn:aws:secretsmanager:eu-central-1:123456789012:secret:billing-AbCdEf',
      true,
    ],
    ['AzureCredentials', 'a secret', false],
    ['AlarmTopicArn', topic, true],
    ['AlarmTopicArn', '', false],
    ['TimeoutSeconds', 900, true],
    ['TimeoutSeconds', 901, false],
    ['LeaseDurationMs', 15, false],
    ['MaxPeriodsPerRun', 0, false],
    ['GatewayKeyHonouredMs', 0, true],
  ] as const)('judge %s %j as %j', (id, value, accepted) => {
    const parameter = template.Parameters[id];
    expect(parameter && accepts(parameter, value)).toBe(accepted);
  });

  it.each([
    ['neither', {}, []],
    ['both', inAzure, []],
    ['only the container', { StoreUrl: inAzure['StoreUrl'] ?? '' }, [/^StoreUrl needs/u]],
    ['only the secret', { AzureCredentials: 'billing/azure' }, [/^AzureCredentials is of use/u]],
  ] as const)('of container and secret allow none or both: %s', (_, parameters, violations) => {
    expect(stackOf(templateText, parameters).ruleViolations).toEqual(
      violations.map((violation) => expect.stringMatching(violation)),
    );
  });
});
