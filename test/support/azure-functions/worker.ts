/** The process that stands in for Azure's Node worker: driven by messages, one app per process. */
import { injectCoreModule, type Registrations } from './core-module.ts';
import type { HostMessage, LogEntry, WorkerMessage } from './messages.ts';
import { runHooks, startApp, toError } from './run-app.ts';
import { runInvocation } from './run-invocation.ts';

const tell = (message: WorkerMessage): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });

const log = (entry: LogEntry): void => void tell({ type: 'log', ...entry });

const registrations: Registrations = injectCoreModule(log);

async function start(appRoot: string): Promise<void> {
  try {
    await tell({ type: 'started', functions: await startApp(registrations, appRoot) });
  } catch (error) {
    const { name, message, cause, stack } = toError(error);
    // The worker sends this to the app's own log, so that its developer sees it.
    console.error(toError(cause ?? error).stack ?? stack);
    await tell({ type: 'not-started', error: { name, message } });
  }
}

async function take(order: HostMessage): Promise<void> {
  if (order.type === 'start') {
    await start(order.appRoot);
  } else if (order.type === 'invoke') {
    const { request } = order;
    const outcome = await runInvocation(registrations, request, log);
    await tell({ type: 'finished', invocationId: request.invocationId, outcome });
  } else {
    const { hookData, appHookData } = registrations;
    await runHooks(registrations, 'appTerminate', { hookData, appHookData });
    const text = 'the worker ends';
    await tell({ type: 'log', level: 'debug', category: 'system', message: text });
    process.exit(0);
  }
}

process.on('message', (order: HostMessage) => void take(order));
// A worker whose host is gone has nothing left to do.
process.once('disconnect', () => process.exit());
