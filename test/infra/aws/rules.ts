import { accepts } from './constraints.ts';
import { azureCredentials, dimensionsIn, scheduleInput, variables } from './settings.ts';
import { inAzure, stackOf, topic } from './stacks.ts';
import { textOf, valueAt, type Stack, type StackResource } from './stack.ts';
import type { Value } from './template-source.ts';

/**
 * What is wrong with a template that no validator can know, in words: how the function, its schedule,
 * tables and alarms have to fit the code.
 */
export function ruleProblems(text: string): readonly string[] {
  const stack = stackOf(text, { AlarmTopicArn: topic });
  return [
    ...scheduleProblems(stack),
    ...functionProblems(stack),
    ...stack.ofType('AWS::DynamoDB::Table').flatMap(tableProblems),
    ...failedEventProblems(stack),
    ...queueProblems(stack),
    ...alarmProblems(stack),
    ...settingProblems(stack, []),
    ...settingProblems(stackOf(text, inAzure), azureCredentials),
  ];
}

/** The only resource of a type. */
function only(stack: Stack, type: string): StackResource | undefined {
  const found = stack.ofType(type);
  return found.length === 1 ? found[0] : undefined;
}

/** A problem for each of these properties that is not what it has to be. */
function differences(
  resource: StackResource | undefined,
  expected: Readonly<Record<string, Value | undefined>>,
): readonly string[] {
  return Object.entries(expected).flatMap(([path, wanted]) => {
    const actual = valueAt(resource?.Properties, path);
    const [is, ought] = [JSON.stringify(actual), JSON.stringify(wanted)];
    return is === ought ? [] : [`${resource?.id} has ${path} ${is}, not ${ought}`];
  });
}

function queueArn(stack: Stack, id: string): string | undefined {
  return stack.namesOf(id).attributes['Arn'];
}

function scheduleProblems(stack: Stack): readonly string[] {
  const schedule = only(stack, 'AWS::Scheduler::Schedule');
  const expression = stack.template.Parameters['ScheduleExpression'];
  return [
    ...differences(schedule, {
      'FlexibleTimeWindow.Mode': 'OFF',
      'Target.Arn': stack.namesOf('Function').attributes['Arn'],
      'Target.RoleArn': stack.namesOf('ScheduleRole').attributes['Arn'],
      'Target.DeadLetterConfig.Arn': queueArn(stack, 'UndeliveredTickQueue'),
      'Target.RetryPolicy.MaximumRetryAttempts': 10,
      GroupName: stack.namesOf('ScheduleGroup').ref,
      ScheduleExpressionTimezone: 'UTC',
    }),
    ...inputProblems(textOf(valueAt(schedule?.Properties, 'Target.Input'))),
    ...(expression && accepts(expression, 'rate(1 minutes)')
      ? ['ScheduleExpression accepts rate(1 minutes), which Scheduler refuses']
      : []),
  ];
}

function inputProblems(input: string): readonly string[] {
  try {
    const given = JSON.stringify(JSON.parse(input));
    return given === scheduleInput
      ? []
      : [`the schedule's input is ${given}, not what the handler reads`];
  } catch {
    return ["the schedule's input is not JSON"];
  }
}

function functionProblems(stack: Stack): readonly string[] {
  const deployed = only(stack, 'AWS::Lambda::Function');
  const timeout = stack.template.Parameters['TimeoutSeconds'];
  return [
    ...differences(deployed, {
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Role: stack.namesOf('FunctionRole').attributes['Arn'],
      'LoggingConfig.LogFormat': 'Text',
      'LoggingConfig.LogGroup': stack.namesOf('LogGroup').ref,
      ReservedConcurrentExecutions: undefined,
    }),
    ...(timeout && accepts(timeout, 901) ? ['TimeoutSeconds exceeds the 900 s of Lambda'] : []),
    ...(timeout && accepts(timeout, 15)
      ? ['TimeoutSeconds leaves no time to outlast a lease']
      : []),
  ];
}

function tableProblems(table: StackResource): readonly string[] {
  const { DeletionPolicy, UpdateReplacePolicy } = table;
  return [
    ...differences(table, {
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled': true,
      'SSESpecification.SSEEnabled': true,
      TimeToLiveSpecification: undefined,
    }),
    ...(DeletionPolicy === 'Retain' && UpdateReplacePolicy === 'Retain'
      ? []
      : [`${table.id} goes with the stack, and the fencing tokens with it`]),
  ];
}

function failedEventProblems(stack: Stack): readonly string[] {
  return differences(only(stack, 'AWS::Lambda::EventInvokeConfig'), {
    FunctionName: stack.namesOf('Function').ref,
    Qualifier: '$LATEST',
    MaximumRetryAttempts: 2,
    'DestinationConfig.OnFailure.Destination': queueArn(stack, 'FailedEventQueue'),
  });
}

function queueProblems(stack: Stack): readonly string[] {
  const policies = stack.ofType('AWS::SQS::QueuePolicy');
  return stack.ofType('AWS::SQS::Queue').flatMap((queue) => {
    const denied = policies.some(({ Properties }) =>
      JSON.stringify(valueAt(Properties, 'Queues')).includes(stack.namesOf(queue.id).ref),
    );
    return [
      ...differences(queue, { SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 }),
      ...(denied ? [] : [`${queue.id} accepts messages without TLS`]),
    ];
  });
}

/** Each thing to be told of, and whether its absence is one too. */
function watchedMetrics(stack: Stack): readonly (readonly [string, string])[] {
  const queues = stack
    .ofType('AWS::SQS::Queue')
    .map(
      ({ id }) =>
        `AWS/SQS ApproximateNumberOfMessagesVisible QueueName=${stack.namesOf(id).attributes['QueueName']}`,
    );
  const own = (name: string): string => {
    const dimensions = Object.entries(dimensionsIn('prod')).map((pair) => pair.join('='));
    return ['tenure', name, ...dimensions].join(' ');
  };
  return [
    [own('periodLagSeconds'), 'breaching'],
    [own('failures'), 'notBreaching'],
    [own('unknownItems'), 'notBreaching'],
    [own('flapping'), 'notBreaching'],
    [`AWS/Lambda Errors FunctionName=${stack.namesOf('Function').ref}`, 'notBreaching'],
    ...queues.map((queue) => [queue, 'notBreaching'] as const),
  ];
}

function alarmProblems(stack: Stack): readonly string[] {
  const alarms = stack.ofType('AWS::CloudWatch::Alarm');
  const watched = new Map(alarms.map((alarm) => [metricOf(alarm), alarm]));
  const wanted = watchedMetrics(stack);
  const known = new Set(wanted.map(([metric]) => metric));
  return [
    ...wanted.flatMap(([metric, missing]) => {
      const alarm = watched.get(metric);
      return alarm === undefined
        ? [`no alarm watches ${metric}`]
        : differences(alarm, { TreatMissingData: missing, AlarmActions: [topic] });
    }),
    ...[...watched.keys()]
      .filter((metric) => !known.has(metric))
      .map((metric) => `nothing writes the metric of an alarm: ${metric}`),
  ];
}

/** The metric of an alarm: namespace, name and dimensions, in words. */
export function metricOf({ Properties }: StackResource): string {
  const dimensions = [Properties['Dimensions'] ?? []]
    .flat()
    .map(
      (dimension) => `${textOf(valueAt(dimension, 'Name'))}=${textOf(valueAt(dimension, 'Value'))}`,
    );
  return [textOf(Properties['Namespace']), textOf(Properties['MetricName']), ...dimensions].join(
    ' ',
  );
}

function settingProblems(stack: Stack, more: readonly string[]): readonly string[] {
  const environment = valueAt(
    only(stack, 'AWS::Lambda::Function')?.Properties,
    'Environment.Variables',
  );
  const given = new Set(Object.keys(environment ?? {}));
  const known = new Set<string>([...variables, ...more]);
  return [
    ...[...given].filter((name) => !known.has(name)).map((name) => `the code reads no ${name}`),
    ...[...known].filter((name) => !given.has(name)).map((name) => `the function gets no ${name}`),
  ];
}
