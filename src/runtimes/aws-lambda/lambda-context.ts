import { requireFunction, requireObject } from '../../core/requirements.ts';
import { invocationLabel, placeIdentity } from '../shared/identity.ts';

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
 * Reads how much time an invocation begins with, in milliseconds.
 *
 * @throws `TypeError` if this is no context that Lambda passes, `RangeError` if nothing could be done
 *   in the time that is left.
 */
export function requireTimeLeft(context: LambdaContext, reserveMs: number): number {
  requireObject('context', context, 'the context that Lambda passes to a handler');
  requireFunction(
    'context.getRemainingTimeInMillis',
    Reflect.get(context, 'getRemainingTimeInMillis'),
  );
  const leftMs = context.getRemainingTimeInMillis();
  // Turned round, so that what is no number does not pass.
  if (!(leftMs > reserveMs)) {
    throw new RangeError(
      `an invocation must begin with more than reserveMs (${reserveMs}), got ${leftMs} ms: raise the function's timeout`,
    );
  }
  return leftMs;
}

/** Says where the function runs: the same for all its invocations in one process. */
export function identityOf(context: unknown): string {
  return placeIdentity('aws', [
    textIn(context, 'invokedFunctionArn').split(':')[3],
    textIn(context, 'functionName'),
    textIn(context, 'functionVersion'),
  ]);
}

/** Says which invocation it is; `undefined` where the context does not. */
export function labelOf(context: unknown): string | undefined {
  return invocationLabel(textIn(context, 'awsRequestId'));
}

/** Tests and local tools pass contexts that lack most of this. */
function textIn(context: unknown, name: keyof LambdaContext): string {
  const value: unknown =
    typeof context === 'object' && context !== null ? Reflect.get(context, name) : undefined;
  return typeof value === 'string' ? value : '';
}
