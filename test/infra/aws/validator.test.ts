import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMistake, type Mistake } from './mistakes.ts';
import { templateText } from './template-source.ts';
import { startValidator, type Validator } from './validator.ts';

const eventRetries = 'Qualifier: $LATEST\n      MaximumRetryAttempts: 2';
const leaseKey = '{ AttributeName: key, KeyType: HASH }';

describe("AWS's validator", () => {
  let validator: Validator;
  beforeAll(() => {
    validator = startValidator();
  }, 60_000);
  afterAll(() => validator.free());

  it('finds nothing in the template, not even to warn of', () => {
    expect(validator.problemsOf(templateText)).toEqual([]);
  });

  it.each<Mistake>([
    ['an unknown property', 'MemorySize:', 'MemorySise:', /Function .*MemorySise/u],
    [
      'an unknown type',
      'Type: AWS::Scheduler::ScheduleGroup',
      'Type: AWS::Scheduler::Group',
      /Group/u,
    ],
    ['a bad enum', 'LogFormat: Text', 'LogFormat: Plain', /Function .*LogFormat/u],
    ['a runtime that is no more', 'nodejs24.x', 'nodejs16.x', /Function .*nodejs16\.x/u],
    [
      'a missing attribute',
      'Arn: !GetAtt UndeliveredTickQueue.Arn',
      'Arn: !GetAtt UndeliveredTickQueue.Arm',
      /Arm/u,
    ],
    ['a reference to nothing', 'LogGroup: !Ref LogGroup', 'LogGroup: !Ref LogGroop', /LogGroop/u],
    ['a condition of no name', 'HasAlarmTopic:', 'HasTopic:', /HasAlarmTopic/u],
    ['a key without a definition', leaseKey, '{ AttributeName: id, KeyType: HASH }', /LeaseTable/u],
    ['a missing property', 'RoleArn: !GetAtt ScheduleRole.Arn', '', /Schedule .*RoleArn/u],
    [
      'a misspelt effect',
      'Sid: OwnLog\n                Effect: Allow',
      'Sid: OwnLog\n                Effect: Alow',
      /Alow/u,
    ],
    [
      'too many retries',
      eventRetries,
      eventRetries.replace('2', '3'),
      /EventInvokeConfig .*MaximumRetryAttempts/u,
    ],
    ['a default that is not allowed', 'Default: all', 'Default: each', /CatchUp/u],
  ])('finds %s', (...mistake) => {
    expect(validator.problemsOf(withMistake(mistake)).join('\n')).toMatch(mistake[3]);
  });
});
