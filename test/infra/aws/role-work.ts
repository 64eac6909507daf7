import { permissionProblems, type Call } from './permissions.ts';
import type { Stack } from './stack.ts';

/** Services whose every action is tried: those in use, and some that would do the most harm. */
const tried: readonly string[] = [
  'dynamodb',
  'iam',
  'lambda',
  'logs',
  's3',
  'secretsmanager',
  'sqs',
];

/** What Lambda does in the name of the function's role, besides what the code does. */
export function functionCalls(stack: Stack): readonly Call[] {
  const logGroup = stack.namesOf('LogGroup').attributes['Arn']?.replace(/:\*$/u, '') ?? '';
  const stream = `${logGroup}:log-stream:${stack.namesOf('LogGroup').ref}`;
  return [
    { action: 'logs:CreateLogStream', resource: stream },
    { action: 'logs:PutLogEvents', resource: stream },
    // A stream of any name, such as the one that the sweep over all actions tries.
    { action: 'logs:CreateLogStream', resource: `${logGroup}:log-stream:other` },
    { action: 'logs:PutLogEvents', resource: `${logGroup}:log-stream:other` },
    { action: 'sqs:SendMessage', resource: arnIn(stack, 'FailedEventQueue') },
  ];
}

/** What Scheduler does in the name of the schedule's role. */
export function scheduleCalls(stack: Stack): readonly Call[] {
  return [
    { action: 'lambda:InvokeFunction', resource: arnIn(stack, 'Function') },
    { action: 'sqs:SendMessage', resource: arnIn(stack, 'UndeliveredTickQueue') },
  ];
}

/**
 * What is wrong with the roles of a stack whose code makes the calls `observed`.
 *
 * @param services - Whose actions are tried. Default: many.
 */
export async function rolesProblems(
  stack: Stack,
  observed: readonly Call[],
  services: readonly string[] = tried,
): Promise<readonly string[]> {
  const calls = [...observed, ...functionCalls(stack)];
  return [
    ...(await permissionProblems(stack, 'FunctionRole', { calls, services })),
    ...(await permissionProblems(stack, 'ScheduleRole', { calls: scheduleCalls(stack), services })),
  ];
}

function arnIn(stack: Stack, id: string): string {
  return stack.namesOf(id).attributes['Arn'] ?? '';
}
