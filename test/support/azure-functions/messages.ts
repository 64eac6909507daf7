/** What a function app registered, as its host sees it. */
export interface RegisteredFunction {
  readonly name: string;
  /** By name, as the host gets them. */
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly retryOptions?: unknown;
}

/** One trigger, input or output of a function. */
export interface Binding {
  readonly type: string;
  readonly direction: string;
  readonly [property: string]: unknown;
}

/** Data on its way between host and worker; of the protocol's kinds, those that timers use. */
export interface TypedData {
  readonly json?: string;
  readonly string?: string;
  readonly int?: number;
  readonly double?: number;
}

/** Which attempt of one invocation this is, where the function has a retry policy. */
export interface RetryContext {
  /** 0 at the first attempt. */
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly exception?: { readonly message: string; readonly source?: string };
}

/** What the host asks a worker to run. */
export interface InvocationRequest {
  readonly invocationId: string;
  readonly functionId: string;
  readonly inputData: readonly { readonly name: string; readonly data: TypedData }[];
  readonly triggerMetadata: Readonly<Record<string, TypedData>>;
  readonly traceContext: {
    readonly traceParent: string;
    readonly traceState: string;
    readonly attributes: Readonly<Record<string, string>>;
  };
  readonly retryContext: RetryContext | null;
}

/** An error as the host reports it. */
interface WorkerError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** What came of one invocation. */
export type InvocationOutcome =
  | { readonly ok: true; readonly returnValue?: TypedData | null }
  | { readonly ok: false; readonly error: WorkerError };

/** Levels that the model knows. */
type LogLevel = 'trace' | 'debug' | 'information' | 'warning' | 'error' | 'critical' | 'none';

/** Host to worker. */
export type HostMessage =
  | { readonly type: 'start'; readonly appRoot: string }
  | { readonly type: 'invoke'; readonly request: InvocationRequest }
  | { readonly type: 'terminate' };

/** Worker to host. */
export type WorkerMessage =
  | { readonly type: 'started'; readonly functions: readonly RegisteredFunction[] }
  | { readonly type: 'not-started'; readonly error: WorkerError }
  | ({ readonly type: 'log' } & LogEntry)
  | {
      readonly type: 'finished';
      readonly invocationId: string;
      readonly outcome: InvocationOutcome;
    };

/** One entry of the log. */
export interface LogEntry {
  readonly level: LogLevel;
  /** Whether the function said it, or the model about the function. */
  readonly category: 'user' | 'system' | 'customMetric';
  readonly message: string;
  readonly invocationId?: string;
}
