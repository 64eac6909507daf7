import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  startRuntimeProcess,
  type ProcessEnd,
  type RuntimeLine,
  type RuntimeProcess,
} from '../runtime-process.ts';
import { nodeExecutable, type NodeMajor } from '../runtimes.ts';
import type {
  Binding,
  HostMessage,
  InvocationOutcome,
  RegisteredFunction,
  WorkerMessage,
} from './messages.ts';
import { scheduleOf, timerRequest, type TimerTick } from './timer-trigger.ts';

export type { TimerTick } from './timer-trigger.ts';

/** What to run. */
export interface FunctionsHostOptions {
  /** Folder of the app, as unpacked from its zip: with a package.json, whose `main` is loaded. */
  readonly appRoot: string;
  /** App settings, besides what the platform sets: nothing is inherited from the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the Node that runs the tests. */
  readonly nodeMajor?: NodeMajor | undefined;
}

/** One function of the app. */
interface HostedFunction {
  readonly name: string;
  /** With app settings filled in; `undefined` if it has no timer. */
  readonly schedule: string | undefined;
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly retryOptions?: unknown;
}

/** What came of one invocation. */
type TimerResult = {
  readonly invocationId: string;
  /** What the function said through its context, with what the model said about the function. */
  readonly logs: readonly RuntimeLine[];
  readonly durationMs: number;
} & InvocationOutcome;

/** One running app. */
export interface FunctionsHost {
  readonly pid: number | undefined;
  readonly functions: readonly HostedFunction[];
  /** Entries of the log (source `log`) and what the process wrote to its streams. */
  readonly lines: readonly RuntimeLine[];
  /**
   * Runs the function for one tick and resolves to its result, its error, or to a `WorkerExit` if the
   * process ends before. Whether ticks overlap is up to the test: a real host runs one at a time.
   *
   * @throws Error if there is no such timer, or the process has ended: start another host.
   */
  invokeTimer(name: string, tick: TimerTick): Promise<TimerResult>;
  /** Resolves to the first line that fits, earlier ones included; rejects if the process ends without one. */
  waitForLine(fits: (line: RuntimeLine) => boolean): Promise<RuntimeLine>;
  /** Asks the worker to end: `appTerminate` hooks run, also beside an invocation, then it exits with 0. */
  terminate(): Promise<ProcessEnd>;
  /** Stops the process where it is. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Ends the process at once, as a time limit or the loss of its machine would; harmless if it has ended. */
  kill(): Promise<void>;
  /** Ends whatever is left; harmless if nothing is. */
  close(): Promise<void>;
}

/**
 * Starts an app on the real `@azure/functions` that its bundle contains, in a process in which a stand-in
 * supplies the module that Azure's worker injects. Resolves when the app is started and indexed.
 *
 * The real host also keeps the schedule and its status, runs a timer on one instance only, retries, scales
 * and enforces `functionTimeout`; the real worker talks to it by gRPC: none of this happens here.
 *
 * @throws Error if the entry point fails, registers nothing, or names an app setting that is missing.
 */
export async function startFunctionsHost(options: FunctionsHostOptions): Promise<FunctionsHost> {
  const { appRoot, env = {}, nodeMajor } = options;
  const settings = { ...platformSettings(appRoot), ...env };
  const worker = startRuntimeProcess({
    command: [nodeExecutable(nodeMajor), '--input-type=module', '--eval', await workerCode()],
    cwd: appRoot,
    env: { PATH: process.env['PATH'], ...settings },
    extra: 'ipc',
  });
  try {
    const registered = await started(worker, appRoot);
    const functions = registered.map((about): HostedFunction => {
      const hasTimer = Object.values(about.bindings).some(({ type }) => type === 'timerTrigger');
      return { ...about, schedule: hasTimer ? scheduleOf(about, settings) : undefined };
    });
    return host(worker, functions);
  } catch (error) {
    await worker.kill();
    throw error;
  }
}

function host(worker: RuntimeProcess, functions: readonly HostedFunction[]): FunctionsHost {
  return {
    functions,
    lines: worker.lines,
    pid: worker.child.pid,
    invokeTimer: async (name, tick) => {
      const registered = functions.find((candidate) => candidate.name === name);
      if (registered === undefined || worker.hasEnded()) {
        const known = functions.map((candidate) => candidate.name).join(', ');
        throw new Error(
          registered === undefined
            ? `there is no function ${name}, only: ${known}`
            : 'this host has ended: start another one',
        );
      }
      return invoke(worker, registered, tick);
    },
    waitForLine: (fits) => worker.waitForLine(fits),
    terminate: () => {
      send(worker, { type: 'terminate' });
      return worker.ended;
    },
    freeze: () => worker.freeze(),
    thaw: () => worker.thaw(),
    kill: async () => void (await worker.kill()),
    close: async () => void (await worker.kill()),
  };
}

async function invoke(
  worker: RuntimeProcess,
  registered: RegisteredFunction,
  tick: TimerTick,
): Promise<TimerResult> {
  const request = timerRequest(registered, tick);
  const { invocationId } = request;
  const startedAtMs = performance.now();
  const finished = messageFrom(
    worker,
    (message) => message.type === 'finished' && message.invocationId === invocationId,
  );
  send(worker, { type: 'invoke', request });
  const message = await finished;
  const outcome =
    'signal' in message ? workerExit(message) : (message as { outcome: InvocationOutcome }).outcome;
  return {
    ...outcome,
    invocationId,
    logs: worker.lines.filter((line) => line.invocationId === invocationId),
    durationMs: performance.now() - startedAtMs,
  };
}

/** Resolves to what the app registered. */
async function started(
  worker: RuntimeProcess,
  appRoot: string,
): Promise<readonly RegisteredFunction[]> {
  worker.child.on('message', (message: WorkerMessage) => {
    if (message.type === 'log') {
      const { message: text, level, category, ...rest } = message;
      worker.add({ source: 'log', text, raw: text, level, category, ...rest });
    }
  });
  const answered = messageFrom(worker, ({ type }) => type === 'started' || type === 'not-started');
  send(worker, { type: 'start', appRoot });
  const message = await answered;
  if ('signal' in message) {
    throw new Error(workerExit(message).error.message);
  }
  if (message.type !== 'started') {
    throw new Error((message as { error: { message: string } }).error.message);
  }
  return message.functions;
}

function messageFrom(
  worker: RuntimeProcess,
  fits: (message: WorkerMessage) => boolean,
): Promise<WorkerMessage | ProcessEnd> {
  const message = new Promise<WorkerMessage>((resolve) => {
    const see = (candidate: WorkerMessage): void => {
      if (fits(candidate)) {
        worker.child.off('message', see);
        resolve(candidate);
      }
    };
    worker.child.on('message', see);
  });
  return Promise.race([message, worker.ended]);
}

function send(worker: RuntimeProcess, message: HostMessage): void {
  // Whether the worker still listens is known by its end, not by an error here.
  worker.child.send(message, () => {});
}

function workerExit({ exitCode, signal }: ProcessEnd) {
  const message = `the worker exited with ${signal ?? `code ${exitCode}`}`;
  return { ok: false, error: { name: 'WorkerExit', message } } as const;
}

function platformSettings(appRoot: string): Record<string, string> {
  return {
    FUNCTIONS_WORKER_RUNTIME: 'node',
    FUNCTIONS_EXTENSION_VERSION: '~4',
    AzureWebJobsScriptRoot: appRoot,
    WEBSITE_SITE_NAME: 'app-under-test',
    WEBSITE_INSTANCE_ID: '0123456789abcdef',
    REGION_NAME: 'Germany West Central',
  };
}

let code: Promise<string> | undefined;

/** The worker as one piece of JavaScript, since Node 20 does not read TypeScript. */
function workerCode(): Promise<string> {
  code ??= build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    write: false,
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '');
  return code;
}
