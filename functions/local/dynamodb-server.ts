/**
 * dynalite in this process: the DynamoDB API over memory, for tests and the local run.
 *
 * @module
 */
import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import { dirname, sep } from 'node:path';
import { listenOnLoopback } from './listen.ts';

/** Options of {@link startDynalite}. */
export interface DynaliteOptions {
  /**
   * Whether a failed condition carries the item when the request asks for it with
   * `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'`, as DynamoDB does. Default `false`: dynalite
   * itself ignores the parameter, and so do other emulators.
   */
  readonly returnItemOnFailedCondition?: boolean;
}

/** A running server. */
export interface DynamoDbEmulator {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Destroys every connection and drops all tables. */
  close(): Promise<void>;
}

/** The part of dynalite's modules that is used here. */
interface Dynalite {
  readonly createServer: (options: {
    readonly createTableMs: number;
    readonly deleteTableMs: number;
    readonly updateTableMs: number;
  }) => Server;
  /** `checkConditional` gives the answer to a failed condition, or nothing. */
  readonly checks: {
    checkConditional: (
      request: { readonly ReturnValuesOnConditionCheckFailure?: string },
      existing: object | undefined,
    ) => { body: object } | undefined;
  };
  /** Of the operations that take a condition: the parameters that they know. */
  readonly validations: readonly { readonly types: Record<string, unknown> }[];
}

/** Starts an empty dynalite on a free port of 127.0.0.1; tables are active as soon as created. */
export async function startDynalite(options: DynaliteOptions = {}): Promise<DynamoDbEmulator> {
  const { createServer } = options.returnItemOnFailedCondition ? patchedDynalite() : loadDynalite();
  const server = createServer({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  return {
    endpoint: await listenOnLoopback(server),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

const require = createRequire(import.meta.url);
const load: (module: string) => unknown = require;

function loadDynalite(): Dynalite {
  const modules = {
    createServer: load('dynalite'),
    checks: load('dynalite/db'),
    validations: ['putItem', 'updateItem', 'deleteItem'].map((operation) =>
      load(`dynalite/validations/${operation}`),
    ),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- dynalite has no types
  return modules as Dynalite;
}

let patched: Dynalite | undefined;

/**
 * A copy of dynalite whose failed conditions carry the item.
 *
 * The patch changes module state, so it is made on a second copy of the modules: servers with and
 * without it run side by side in one process.
 */
function patchedDynalite(): Dynalite {
  if (patched === undefined) {
    const original = forgetDynalite();
    patched = loadDynalite();
    forgetDynalite();
    Object.assign(require.cache, original);
    returnItems(patched);
  }
  return patched;
}

function returnItems({ checks, validations }: Dynalite): void {
  const check = checks.checkConditional;
  checks.checkConditional = (request, existing) => {
    const failure = check(request, existing);
    if (failure && existing && request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') {
      failure.body = { ...failure.body, Item: existing };
    }
    return failure;
  };
  for (const { types } of validations) {
    // Without a type, dynalite drops the parameter before the condition is checked.
    types['ReturnValuesOnConditionCheckFailure'] = { type: 'String', enum: ['ALL_OLD', 'NONE'] };
  }
}

/** Takes dynalite's own modules out of the cache, so that the next `require` loads a new copy. */
function forgetDynalite(): NodeJS.Dict<NodeJS.Module> {
  const home = dirname(require.resolve('dynalite')) + sep;
  const forgotten: NodeJS.Dict<NodeJS.Module> = {};
  for (const [path, module] of Object.entries(require.cache)) {
    if (path.startsWith(home)) {
      forgotten[path] = module;
      delete require.cache[path];
    }
  }
  return forgotten;
}
