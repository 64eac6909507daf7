import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withMistake, type Mistake } from './mistakes.ts';
import { billInTerms } from './billing-terms.ts';
import { invokeByOneTick } from './deployed-function.ts';
import { startObservatory } from './observed-calls.ts';
import { inWords, isAllowed, policiesOf, wildcardsIn, type Call } from './permissions.ts';
import { place } from './physical.ts';
import { functionCalls, rolesProblems, scheduleCalls } from './role-work.ts';
import { valueAt, type Stack } from './stack.ts';
import { inAzure, stackOf } from './stacks.ts';
import { templateText } from './template-source.ts';

const stack = stackOf(templateText);
const azureStack = stackOf(templateText, inAzure);
const otherStack = stackOf(templateText, { Environment: 'test' });

const functionRole = policiesOf(stack, 'FunctionRole');
const scheduleRole = policiesOf(stack, 'ScheduleRole');

let observed: readonly Call[];
let observedWithoutItems: readonly Call[];
beforeAll(async () => {
  // In Lambda, where these come from the role, they have the same names.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  observed = await observeBilling(stack, { returnItemOnFailedCondition: true });
  observedWithoutItems = await observeBilling(stack, { returnItemOnFailedCondition: false });
}, 60_000);
afterAll(() => vi.unstubAllEnvs());

/** What is asked of DynamoDB by ticks of the schedule, and in terms that go less smoothly. */
async function observeBilling(
  of: Stack,
  emulator: Parameters<typeof startObservatory>[1],
): Promise<readonly Call[]> {
  const observatory = await startObservatory(of, emulator);
  await invokeByOneTick(of, observatory.endpoint, '2026-12-01T00:05:00Z');
  await invokeByOneTick(of, observatory.endpoint, '2026-12-01T00:10:00Z');
  await billInTerms(observatory.endpoint, observatory.tables);
  await observatory.close();
  return observatory.calls();
}

function trustOf(of: Stack, role: string) {
  return valueAt(of.resource(role).Properties, 'AssumeRolePolicyDocument.Statement');
}

describe('the requests of a billing run', () => {
  const table = (id: string) => stack.namesOf(id).attributes['Arn'];

  it('are these, on tables as the template declares them', () => {
    expect(observed.map(inWords).toSorted()).toEqual([
      `dynamodb:GetItem ${table('LeaseTable')}`,
      `dynamodb:PutItem ${table('ChargesTable')}`,
      `dynamodb:PutItem ${table('LeaseTable')}`,
      `dynamodb:UpdateItem ${table('LeaseTable')}`,
    ]);
  });

  it('include reads of charges only on an emulator that keeps the item of a failed condition', () => {
    const known = new Set(observed.map(inWords));
    const more = observedWithoutItems.map(inWords).filter((call) => !known.has(call));
    expect(more.toSorted()).toEqual([
      `dynamodb:DescribeTable ${table('ChargesTable')}`,
      `dynamodb:GetItem ${table('ChargesTable')}`,
    ]);
  });
});

const storeActions = "['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']";
const chargesResource = 'Action: dynamodb:PutItem\n            Resource: !GetAtt ChargesTable.Arn';

describe('the roles of the stack', () => {
  it('allow each request that is made, and no other action of many services', async () => {
    expect(await rolesProblems(stack, observed)).toEqual([]);
  }, 60_000);

  it('allow nothing in DynamoDB when the store is in Azure', async () => {
    expect(azureStack.ofType('AWS::DynamoDB::Table')).toEqual([]);
    expect(await rolesProblems(azureStack, [])).toEqual([]);
  }, 60_000);

  it('allow nothing in another environment of the account', async () => {
    const calls = [
      ...(await observeBilling(otherStack, { returnItemOnFailedCondition: true })),
      ...functionCalls(otherStack),
      ...scheduleCalls(otherStack),
    ].filter(({ resource }) => resource !== '*');
    expect(calls).toHaveLength(11);
    for (const call of calls) {
      expect([inWords(call), await isAllowed(functionRole, call)]).toEqual([inWords(call), false]);
      expect(await isAllowed(scheduleRole, call)).toBe(false);
    }
  });

  it('have no wildcard but for the streams of the own log group', () => {
    expect(wildcardsIn(functionRole)).toEqual([]);
    expect(wildcardsIn(scheduleRole)).toEqual([]);
  });

  it('are for Lambda alone, and for the schedules of the own group alone', () => {
    expect(trustOf(stack, 'FunctionRole')).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'lambda.amazonaws.com' },
        Action: 'sts:AssumeRole',
      },
    ]);
    expect(trustOf(stack, 'ScheduleRole')).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
        Action: 'sts:AssumeRole',
        Condition: {
          StringEquals: {
            'aws:SourceAccount': place.accountId,
            'aws:SourceArn': stack.namesOf('ScheduleGroup').attributes['Arn'],
          },
        },
      },
    ]);
  });
});

describe('mistakes in the roles', () => {
  it.each<readonly [...Mistake, service: string]>([
    [
      'an action that is missing',
      storeActions,
      "['dynamodb:GetItem', 'dynamodb:PutItem']",
      /FunctionRole may not dynamodb:UpdateItem/u,
      'dynamodb',
    ],
    [
      'an action that does not exist',
      storeActions,
      "['dynamodb:GetItems', 'dynamodb:PutItem', 'dynamodb:UpdateItem']",
      /FunctionRole may not dynamodb:GetItem /u,
      'dynamodb',
    ],
    [
      'an action too many',
      storeActions,
      "['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:Scan']",
      /FunctionRole needs no dynamodb:Scan/u,
      'dynamodb',
    ],
    [
      'all actions',
      storeActions,
      "'dynamodb:*'",
      /FunctionRole needs no dynamodb:DeleteItem/u,
      'dynamodb',
    ],
    [
      'all tables',
      chargesResource,
      "Action: dynamodb:PutItem\n            Resource: '*'",
      /needs no dynamodb:PutItem .*table\/other/u,
      'dynamodb',
    ],
    [
      'all tables of a prefix',
      chargesResource,
      "Action: dynamodb:PutItem\n            Resource: !Sub 'arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/*'",
      /needs no dynamodb:PutItem .*table\/other/u,
      'dynamodb',
    ],
    [
      'the other table',
      'Resource: !GetAtt ChargesTable.Arn',
      'Resource: !GetAtt LeaseTable.Arn',
      /may not dynamodb:PutItem .*-charges/u,
      'dynamodb',
    ],
    [
      'a role without the policy of the tables',
      'ManagedPolicyArns: !If [HasTables, [!Ref StorePolicy], !Ref AWS::NoValue]',
      '',
      /FunctionRole may not dynamodb:GetItem/u,
      'dynamodb',
    ],
    [
      'all log groups',
      'Resource: !GetAtt LogGroup.Arn',
      "Resource: '*'",
      /needs no logs:PutLogEvents .*log-group:other/u,
      'logs',
    ],
    [
      'another queue',
      'Resource: !GetAtt FailedEventQueue.Arn\n',
      'Resource: !GetAtt UndeliveredTickQueue.Arn\n',
      /FunctionRole may not sqs:SendMessage .*failed-events/u,
      'sqs',
    ],
    [
      'all functions',
      'Action: lambda:InvokeFunction\n                Resource: !GetAtt Function.Arn',
      "Action: lambda:InvokeFunction\n                Resource: '*'",
      /ScheduleRole needs no lambda:InvokeFunction .*function:other/u,
      'lambda',
    ],
    [
      'a schedule that may change the function',
      'Action: lambda:InvokeFunction',
      "Action: ['lambda:InvokeFunction', 'lambda:UpdateFunctionCode']",
      /ScheduleRole needs no lambda:UpdateFunctionCode/u,
      'lambda',
    ],
  ])('are found with %s', async (...mistake) => {
    const [title, from, to, said, service] = mistake;
    const wrong = stackOf(withMistake([title, from, to, said]));
    const problems = await rolesProblems(wrong, observed, [service]);
    expect(problems.join('\n')).toMatch(said);
  });
});
