import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  startRuntimeProcess,
  type ProcessEnd,
  type RuntimeLine,
  type RuntimeProcess,
} from '../runtime-process.ts';
import {
  functionArn,
  functionEnvironment,
  resolveFunction,
  runtimeCommand,
  type LambdaFunctionOptions,
} from './function-environment.ts';
import {
  startRuntimeApi,
  type FunctionError,
  type FunctionOutcome,
  type RuntimeApi,
} from './runtime-api.ts';
import { readTelemetry, telemetryDescriptor } from './telemetry-log.ts';

/** What to run, and how its environment behaves. */
export interface LambdaSandboxOptions extends LambdaFunctionOptions {
  /** Time limit of one invocation in milliseconds. Default 3000. */
  readonly timeoutMs?: number;
  /** Whether the process stands still while no invocation runs, as on Lambda. Default true. */
  readonly freezesBetweenInvocations?: boolean;
}

/** Identity of one invocation. */
interface InvokeOptions {
  /** The same id again is how Lambda retries an asynchronous event. Default: a new one. */
  readonly requestId?: string;
}

/** What came of one invocation. */
type LambdaResult = {
  readonly requestId: string;
  /** What was written from the delivery of the event until the runtime asked for the next, or ended. */
  readonly lines: readonly RuntimeLine[];
  /** From the delivery of the event to the answer, or to the end of the process. */
  readonly durationMs: number;
} & FunctionOutcome;

/** One execution environment: one process, one invocation at a time, reused while it lives. */
export interface LambdaSandbox {
  readonly pid: number | undefined;
  /** Why the code could not be loaded; every invocation answers with it then. */
  readonly initError: FunctionError | undefined;
  readonly lines: readonly RuntimeLine[];
  /**
   * Delivers an event and resolves when the runtime asks for the next one, or has ended: to the handler's
   * result, to its error, to `Sandbox.Timedout` or to `Runtime.ExitError`.
   *
   * @throws Error if an invocation is under way, or the process has ended: start another sandbox.
   */
  invoke(event: unknown, options?: InvokeOptions): Promise<LambdaResult>;
  /** Resolves to the first line that fits, earlier ones included; rejects if the process ends without one. */
  waitForLine(fits: (line: RuntimeLine) => boolean): Promise<RuntimeLine>;
  /** Stops the process in mid-run; the time limit goes on. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Ends the process at once, as the loss of its machine would; harmless if it has ended. */
  kill(): Promise<void>;
  /** Ends whatever is left; harmless if nothing is. */
  close(): Promise<void>;
}

/** Time that Lambda gives the code to load. */
const initTimeoutMs = 10_000;

interface Invocation {
  readonly startedAtMs: number;
  readonly limit: NodeJS.Timeout;
  readonly finish: () => void;
  isLate: boolean;
  outcome?: FunctionOutcome;
  answeredAtMs?: number;
}

/**
 * Starts the real runtime interface client on the chosen Node, against a Runtime API of the tests, and
 * resolves when the code is loaded, or has failed to load.
 *
 * The real service also limits memory and processor, mounts the code read-only, retries asynchronous
 * events and starts another sandbox where one is lost: none of this happens here.
 */
export async function startLambdaSandbox(options: LambdaSandboxOptions): Promise<LambdaSandbox> {
  const { timeoutMs = 3000, freezesBetweenInvocations = true, ...rest } = options;
  const about = resolveFunction(rest);
  const api = await startRuntimeApi();
  const runtime = startRuntimeProcess({
    command: runtimeCommand(about),
    cwd: about.taskRoot,
    env: functionEnvironment(about, api.address),
    extra: 'pipe',
  });
  readTelemetry(runtime.child.stdio[telemetryDescriptor] as Readable, runtime.add);
  const sandbox = new Sandbox({
    api,
    runtime,
    arn: functionArn(about),
    timeoutMs,
    freezesBetweenInvocations,
  });
  try {
    await sandbox.initialise();
  } catch (error) {
    await api.close();
    throw error;
  }
  return sandbox;
}

interface SandboxParts {
  readonly api: RuntimeApi;
  readonly runtime: RuntimeProcess;
  readonly arn: string;
  readonly timeoutMs: number;
  readonly freezesBetweenInvocations: boolean;
}

class Sandbox implements LambdaSandbox {
  readonly #parts: SandboxParts;
  #initError: FunctionError | undefined;
  #current: Invocation | undefined;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
  }

  get pid(): number | undefined {
    return this.#parts.runtime.child.pid;
  }

  get initError(): FunctionError | undefined {
    return this.#initError;
  }

  get lines(): readonly RuntimeLine[] {
    return this.#parts.runtime.lines;
  }

  async initialise(): Promise<void> {
    const { api, runtime } = this.#parts;
    const ready = new Promise<void>((resolve) => {
      api.attend({
        waits: () => void this.#rest().then(resolve),
        answered: (outcome) => this.#answered(outcome),
        failedToInitialise: (error) => {
          this.#initError = error;
        },
      });
    });
    const limit = setTimeout(() => {
      this.#initError = timedOut('INIT', initTimeoutMs);
      void runtime.kill();
    }, initTimeoutMs);
    const end = await Promise.race([ready, runtime.ended]).finally(() => clearTimeout(limit));
    if (end !== undefined) {
      this.#initError ??= exited('INIT', end);
    }
  }

  async invoke(
    event: unknown,
    { requestId = randomUUID() }: InvokeOptions = {},
  ): Promise<LambdaResult> {
    const { runtime, timeoutMs } = this.#parts;
    if (this.#initError !== undefined) {
      const { lines } = this;
      return { ok: false, error: this.#initError, requestId, lines, durationMs: 0 };
    }
    if (this.#current !== undefined || runtime.hasEnded()) {
      const reason = this.#current === undefined ? 'has ended' : 'runs another invocation';
      throw new Error(`this sandbox ${reason}: start another one`);
    }
    const firstLine = this.lines.length;
    const { invocation, finished } = this.#deliver(event, requestId);
    const end = await Promise.race([finished, runtime.ended]);
    clearTimeout(invocation.limit);
    this.#current = undefined;
    const error = (): FunctionError =>
      end === undefined || invocation.isLate
        ? timedOut(requestId, timeoutMs)
        : exited(requestId, end);
    return {
      ...(invocation.outcome ?? { ok: false, error: error() }),
      requestId,
      lines: this.lines.slice(firstLine),
      durationMs: (invocation.answeredAtMs ?? performance.now()) - invocation.startedAtMs,
    };
  }

  waitForLine(fits: (line: RuntimeLine) => boolean): Promise<RuntimeLine> {
    return this.#parts.runtime.waitForLine(fits);
  }

  freeze(): Promise<void> {
    return this.#parts.runtime.freeze();
  }

  thaw(): void {
    this.#parts.runtime.thaw();
  }

  async kill(): Promise<void> {
    await this.#parts.runtime.kill();
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#parts.api.close();
  }

  #deliver(event: unknown, requestId: string): { invocation: Invocation; finished: Promise<void> } {
    const { api, runtime, arn, timeoutMs } = this.#parts;
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const limit = setTimeout(() => {
      invocation.isLate = true;
      void runtime.kill();
    }, timeoutMs);
    const startedAtMs = performance.now();
    const invocation: Invocation = { startedAtMs, limit, finish, isLate: false };
    this.#current = invocation;
    runtime.thaw();
    api.deliver({ requestId, event, deadlineMs: Date.now() + timeoutMs, functionArn: arn });
    return { invocation, finished };
  }

  #answered(outcome: FunctionOutcome): void {
    if (this.#current !== undefined) {
      this.#current.outcome = outcome;
      this.#current.answeredAtMs = performance.now();
    }
  }

  /** The runtime is done with what it had, and asks for more. */
  async #rest(): Promise<void> {
    const { runtime, freezesBetweenInvocations } = this.#parts;
    clearTimeout(this.#current?.limit);
    if (freezesBetweenInvocations) {
      await runtime.freeze();
    }
    // What was logged before the runtime asked is in the pipe: one turn of the loop reads it.
    await new Promise((resolve) => setImmediate(resolve));
    this.#current?.finish();
  }
}

function timedOut(requestId: string, afterMs: number): FunctionError {
  const seconds = (afterMs / 1000).toFixed(2);
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  };
}

function exited(requestId: string, { exitCode, signal }: ProcessEnd): FunctionError {
  const status = signal === null ? `exit status ${exitCode}` : `signal: ${nameOf(signal)}`;
  const how = exitCode === 0 ? 'without providing a reason' : `with error: ${status}`;
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: `RequestId: ${requestId} Error: Runtime exited ${how}`,
  };
}

function nameOf(signal: NodeJS.Signals): string {
  const named: Partial<Record<NodeJS.Signals, string>> = {
    SIGKILL: 'killed',
    SIGTERM: 'terminated',
    SIGABRT: 'aborted',
    SIGSEGV: 'segmentation fault',
  };
  return named[signal] ?? signal;
}
