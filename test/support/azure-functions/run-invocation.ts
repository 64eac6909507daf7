import type { CoreInvocationContext, Registrations } from './core-module.ts';
import { runHooks, toError } from './run-app.ts';
import type { InvocationOutcome, InvocationRequest, LogEntry, TypedData } from './messages.ts';

/** Runs one function through the model and the hooks of the app, in the order of Azure's worker. */
export async function runInvocation(
  registrations: Registrations,
  request: InvocationRequest,
  log: (entry: LogEntry) => void,
): Promise<InvocationOutcome> {
  try {
    return { ok: true, returnValue: await returned(registrations, request, log) };
  } catch (thrown) {
    const { name, message, stack = '' } = toError(thrown);
    return { ok: false, error: { name, message, stack } };
  }
}

async function returned(
  registrations: Registrations,
  request: InvocationRequest,
  log: (entry: LogEntry) => void,
): Promise<TypedData | null> {
  const { invocationId, functionId } = request;
  const registered = registrations.functions.get(functionId);
  if (registered === undefined || registrations.model === undefined) {
    throw new Error(`Function code for '${functionId}' is not loaded and cannot be invoked.`);
  }
  const about: CoreInvocationContext = {
    invocationId,
    metadata: registered.metadata,
    request,
    state: undefined,
    log: (level, category, message) => log({ level, category, message, invocationId }),
  };
  const invocation = await registrations.model.getInvocationModel(about);
  const { context, inputs } = await invocation.getArguments();
  const { appHookData } = registrations;
  const shared = { hookData: {}, appHookData, invocationContext: context };

  // Hooks may replace the handler and its inputs, then its result or its error.
  const before = { ...shared, functionCallback: registered.callback, inputs };
  about.state = 'preInvocationHooks';
  await runHooks(registrations, 'preInvocation', before);
  const after = {
    ...shared,
    inputs: before.inputs,
    result: null as unknown,
    error: null as unknown,
  };
  about.state = 'invocation';
  try {
    after.result = await invocation.invokeFunction(context, before.inputs, before.functionCallback);
  } catch (error) {
    after.error = error;
  }
  about.state = 'postInvocationHooks';
  await runHooks(registrations, 'postInvocation', after);
  about.state = undefined;
  if (after.error !== null && after.error !== undefined) {
    throw after.error;
  }
  return (await invocation.getResponse(context, after.result)).returnValue ?? null;
}
