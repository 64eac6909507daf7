/** Where the stacks of the tests are. The account is the one of AWS's own examples. */
export const place = {
  partition: 'aws',
  region: 'eu-central-1',
  accountId: '123456789012',
} as const;

/** How a resource is called once it exists: by `Ref`, and by `GetAtt`. */
export interface PhysicalNames {
  readonly ref: string;
  readonly attributes: { readonly [name: string]: string };
}

const arn = (service: string, rest: string, region: string = place.region): string =>
  `arn:${place.partition}:${service}:${region}:${place.accountId}:${rest}`;

/** For each type: the property with its name, and what `Ref` and `GetAtt` then return. */
const types: Readonly<
  Record<string, { readonly property?: string; readonly names: (name: string) => PhysicalNames }>
> = {
  'AWS::DynamoDB::Table': {
    property: 'TableName',
    names: (name) => ({ ref: name, attributes: { Arn: arn('dynamodb', `table/${name}`) } }),
  },
  'AWS::IAM::ManagedPolicy': {
    names: (name) => ({ ref: arn('iam', `policy/${name}`, ''), attributes: {} }),
  },
  'AWS::IAM::Role': {
    names: (name) => ({ ref: name, attributes: { Arn: arn('iam', `role/${name}`, '') } }),
  },
  'AWS::Lambda::Function': {
    property: 'FunctionName',
    names: (name) => ({ ref: name, attributes: { Arn: arn('lambda', `function:${name}`) } }),
  },
  'AWS::Logs::LogGroup': {
    property: 'LogGroupName',
    names: (name) => ({ ref: name, attributes: { Arn: arn('logs', `log-group:${name}:*`) } }),
  },
  'AWS::SQS::Queue': {
    property: 'QueueName',
    names: (name) => ({
      ref: `https://sqs.${place.region}.amazonaws.com/${place.accountId}/${name}`,
      attributes: { Arn: arn('sqs', name), QueueName: name },
    }),
  },
  'AWS::Scheduler::ScheduleGroup': {
    property: 'Name',
    names: (name) => ({
      ref: name,
      attributes: { Arn: arn('scheduler', `schedule-group/${name}`) },
    }),
  },
};

/** The property that names a resource of this type; `undefined` if the stack makes up a name. */
export function nameProperty(type: string): string | undefined {
  return types[type]?.property;
}

/** @throws `Error` for a type that nothing here refers to by name. */
export function physicalNames(type: string, name: string): PhysicalNames {
  const known = types[type];
  if (known === undefined) {
    throw new Error(`nothing is known about how a ${type} is called; add it to physical.ts`);
  }
  return known.names(name);
}
