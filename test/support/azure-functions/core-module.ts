/**
 * Stands in for `@azure/functions-core`: the module that exists only inside Azure's worker and through
 * which the real `@azure/functions` registers functions and hooks.
 */
import { Module } from 'node:module';
import type { InvocationRequest, LogEntry, RegisteredFunction } from './messages.ts';

/** What the worker gives the model about one invocation. */
export interface CoreInvocationContext {
  readonly invocationId: string;
  readonly metadata: RegisteredFunction;
  readonly request: InvocationRequest;
  state: 'preInvocationHooks' | 'invocation' | 'postInvocationHooks' | undefined;
  log(level: LogEntry['level'], category: LogEntry['category'], message: string): void;
}

/** A handler, as it was registered. */
type FunctionCallback = (...args: unknown[]) => unknown;

/** The model's part in one invocation. */
interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<{ returnValue?: object | null }>;
}

/** The model that the app brings. */
interface ProgrammingModel {
  readonly name: string;
  readonly version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel | Promise<InvocationModel>;
  getCapabilities?(known: Record<string, string>): Promise<Record<string, string>>;
}

/** Points at which an app may have its own code called. */
export type HookName = 'appStart' | 'appTerminate' | 'preInvocation' | 'postInvocation';

/** What the app registered. */
export interface Registrations {
  readonly functions: Map<string, { metadata: RegisteredFunction; callback: FunctionCallback }>;
  readonly hooks: Record<HookName, ((context: object) => unknown)[]>;
  model: ProgrammingModel | undefined;
  /** Shared by the hooks of the app's start and end. */
  readonly hookData: object;
  /** Shared by all hooks. */
  readonly appHookData: object;
  /** Nothing more may be registered. */
  isClosed: boolean;
}

class Disposable {
  readonly #undo: () => void;

  constructor(undo: () => void) {
    this.#undo = undo;
  }

  dispose(): void {
    this.#undo();
  }
}

/** Makes `require('@azure/functions-core')` answer with a module that fills the registrations. */
export function injectCoreModule(log: (entry: LogEntry) => void): Registrations {
  const registrations: Registrations = {
    functions: new Map(),
    hooks: { appStart: [], appTerminate: [], preInvocation: [], postInvocation: [] },
    model: undefined,
    hookData: {},
    appHookData: {},
    isClosed: false,
  };
  const core = coreModule(registrations, log);
  const { prototype } = Module;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'require');
  // As the worker does it: for each module that has a `require`, whatever it was bundled from.
  prototype.require = new Proxy(descriptor?.value as NodeJS.Require, {
    apply: (original, module, args) =>
      args[0] === '@azure/functions-core' ? core : Reflect.apply(original, module, args),
  });
  return registrations;
}

function coreModule(registrations: Registrations, log: (entry: LogEntry) => void): object {
  const { functions, hooks } = registrations;
  return {
    version: '3.10.1',
    hostVersion: '4.1036.1',
    Disposable,
    log: (level: LogEntry['level'], category: LogEntry['category'], message: string) =>
      log({ level, category, message }),
    setProgrammingModel: (model: ProgrammingModel) => {
      registrations.model = model;
    },
    getProgrammingModel: () => registrations.model,
    registerFunction: (metadata: RegisteredFunction, callback: FunctionCallback) => {
      if (registrations.isClosed) {
        throw new Error('A function can only be registered during app startup.');
      }
      if (functions.has(metadata.name)) {
        throw new Error(`A function with id "${metadata.name}" has already been registered.`);
      }
      functions.set(metadata.name, { metadata, callback });
      return new Disposable(() => functions.delete(metadata.name));
    },
    registerHook: (name: string, callback: (context: object) => unknown) => {
      if (!isHookName(name, hooks)) {
        throw new RangeError(`Unrecognized hook "${name}"`);
      }
      hooks[name].push(callback);
      return new Disposable(() => {
        hooks[name] = hooks[name].filter((other) => other !== callback);
      });
    },
  };
}

function isHookName(name: string, hooks: Registrations['hooks']): name is HookName {
  return Object.hasOwn(hooks, name);
}
