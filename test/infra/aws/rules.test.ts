import { describe, expect, it } from 'vitest';
import { withMistake, type Mistake } from './mistakes.ts';
import { ruleProblems } from './rules.ts';
import { templateText } from './template-source.ts';

const eventRetries = 'Qualifier: $LATEST\n      MaximumRetryAttempts: 2';
const leaseTable = "TableName: !Sub 'tenure-billing-${Environment}-leases'";
const chargesTable = "TableName: !Sub 'tenure-billing-${Environment}-charges'";
const failedQueue = "QueueName: !Sub 'tenure-billing-${Environment}-failed-events'";
const lag = 'MetricName: periodLagSeconds';

describe('the rules of the template', () => {
  it('find nothing in the template', () => {
    expect(ruleProblems(templateText)).toEqual([]);
  });

  it.each<Mistake>([
    [
      'a schedule input without the nominal time',
      '"scheduledTime": "<aws.scheduler.scheduled-time>",',
      '',
      /input is .*executionId/u,
    ],
    [
      'a schedule input that is no JSON',
      '"<aws.scheduler.schedule-arn>"\n',
      '"<aws.scheduler.schedule-arn>",\n',
      /input is not JSON/u,
    ],
    [
      'a schedule that takes rate(1 minutes)',
      '1 (minute|hour|day)|',
      '1 (minute|hour|day)s?|',
      /rate\(1 minutes\)/u,
    ],
    [
      'a time window that YAML makes a boolean',
      "Mode: 'OFF'",
      'Mode: OFF',
      /FlexibleTimeWindow.Mode false/u,
    ],
    [
      'undelivered ticks that go elsewhere',
      'Arn: !GetAtt UndeliveredTickQueue.Arn',
      'Arn: !GetAtt FailedEventQueue.Arn',
      /DeadLetterConfig/u,
    ],
    [
      'failed events that go elsewhere',
      'Destination: !GetAtt FailedEventQueue.Arn',
      'Destination: !GetAtt UndeliveredTickQueue.Arn',
      /OnFailure/u,
    ],
    [
      'fewer retries than the alarm counts on',
      eventRetries,
      eventRetries.replace('2', '0'),
      /MaximumRetryAttempts 0, not 2/u,
    ],
    ['logs in which metrics are lost', 'LogFormat: Text', 'LogFormat: JSON', /LogFormat "JSON"/u],
    [
      'reserved concurrency',
      'Handler: index.handler',
      'Handler: index.handler\n      ReservedConcurrentExecutions: 1',
      /ReservedConcurrentExecutions 1/u,
    ],
    [
      'a timeout in milliseconds',
      'MaxValue: 900\n',
      'MaxValue: 900000\n',
      /TimeoutSeconds exceeds/u,
    ],
    [
      'a timeout that no lease ends within',
      'MinValue: 60\n    MaxValue: 900\n',
      'MinValue: 3\n    MaxValue: 900\n',
      /TimeoutSeconds leaves no time/u,
    ],
    [
      'leases that expire by TTL',
      leaseTable,
      `${leaseTable}\n      TimeToLiveSpecification: { AttributeName: ttl, Enabled: true }`,
      /LeaseTable has TimeToLiveSpecification/u,
    ],
    [
      'charges that expire by TTL',
      chargesTable,
      `${chargesTable}\n      TimeToLiveSpecification: { AttributeName: ttl, Enabled: true }`,
      /ChargesTable has TimeToLiveSpecification/u,
    ],
    [
      'a table that goes with the stack',
      `UpdateReplacePolicy: Retain\n    Properties:\n      ${leaseTable}`,
      `UpdateReplacePolicy: Delete\n    Properties:\n      ${leaseTable}`,
      /LeaseTable goes with the stack/u,
    ],
    [
      'a queue in the clear',
      `${failedQueue}\n      MessageRetentionPeriod: 1209600\n      SqsManagedSseEnabled: true`,
      `${failedQueue}\n      MessageRetentionPeriod: 1209600`,
      /FailedEventQueue has SqsManagedSseEnabled/u,
    ],
    [
      'a queue without TLS',
      'Queues: [!Ref FailedEventQueue, !Ref UndeliveredTickQueue]',
      'Queues: [!Ref FailedEventQueue]',
      /UndeliveredTickQueue accepts messages without TLS/u,
    ],
    [
      'a missing alarm',
      'MetricName: flapping',
      'MetricName: durationMs',
      /no alarm watches tenure flapping/u,
    ],
    [
      'an alarm on a metric of no name',
      lag,
      'MetricName: periodLag',
      /nothing writes .* periodLag/u,
    ],
    [
      'an alarm that silence satisfies',
      'TreatMissingData: breaching',
      'TreatMissingData: missing',
      /TreatMissingData "missing"/u,
    ],
    [
      'an alarm on another job',
      `${lag}\n      Dimensions:\n        - { Name: Job, Value: billing }`,
      `${lag}\n      Dimensions:\n        - { Name: Job, Value: bills }`,
      /no alarm watches tenure periodLagSeconds/u,
    ],
    [
      'a setting that the code does not read',
      'LEASE_DURATION_MS:',
      'LEASE_DURATION:',
      /the code reads no LEASE_DURATION\n/u,
    ],
    [
      'a setting that is not given',
      '          GATEWAY_URL: !Ref GatewayUrl\n',
      '',
      /the function gets no GATEWAY_URL/u,
    ],
  ])('find %s', (...mistake) => {
    expect(ruleProblems(withMistake(mistake)).join('\n')).toMatch(mistake[3]);
  });
});
