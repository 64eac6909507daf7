import type { Budget } from '../../core/budget.ts';
import { requireFunction, requireObject } from '../../core/requirements.ts';

/** What the handler reads of the context that Lambda passes to it. */
export interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  /** Until the function is stopped, in milliseconds. */
  getRemainingTimeInMillis(): number;
}

/**
 * Most bytes of each part; with its separators an identity and its label stay below the 256 bytes
 * that they may have. A function's name has at most 64.
 */
const maxBytes = { region: 32, functionName: 80, functionVersion: 32, label: 64 };

/** @throws `TypeError` if this is not what Lambda passes. */
export function requireContext(context: LambdaContext): LambdaContext {
  requireObject('context', context, 'the context that Lambda passes to a handler');
  requireFunction(
    'context.getRemainingTimeInMillis',
    Reflect.get(context, 'getRemainingTimeInMillis'),
  );
  return context;
}

/** Says where the function runs: the same for all its invocations in one process. */
export function identityOf(context: unknown): string {
  const region = textIn(context, 'invokedFunctionArn').split(':')[3] ?? '';
  const functionName = textIn(context, 'functionName');
  const functionVersion = textIn(context, 'functionVersion');
  const parts = [
    shortened(region, maxBytes.region),
    shortened(functionName, maxBytes.functionName),
    shortened(functionVersion, maxBytes.functionVersion),
  ];
  return ['aws', ...parts.map((part) => (part === '' ? '-' : part))].join(':');
}

/** Says which invocation it is; `undefined` where the context does not. */
export function labelOf(context: unknown): string | undefined {
  const label = shortened(textIn(context, 'awsRequestId'), maxBytes.label);
  return label === '' ? undefined : label;
}

/** The time that the invocation has left. */
export function budgetOf(context: LambdaContext, reserveMs: number): Budget {
  return { reserveMs, remainingMs: () => context.getRemainingTimeInMillis() };
}

/** Tests and local tools pass contexts that lack most of this. */
function textIn(context: unknown, name: keyof LambdaContext): string {
  const value: unknown =
    typeof context === 'object' && context !== null ? Reflect.get(context, name) : undefined;
  return typeof value === 'string' ? value.toWellFormed() : '';
}

/** As much from the start of `text` as fits, in whole characters. */
function shortened(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}
