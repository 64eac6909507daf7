import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HookName, Registrations } from './core-module.ts';
import type { RegisteredFunction } from './messages.ts';

/**
 * Loads an app by the `main` of its package.json and runs its `appStart` hooks, as Azure's worker does.
 *
 * @returns what it registered.
 * @throws Error if the entry point fails, or registers nothing: the worker reports the latter as an app
 * without functions.
 */
export async function startApp(
  registrations: Registrations,
  appRoot: string,
): Promise<RegisteredFunction[]> {
  const manifest = JSON.parse(await readFile(join(appRoot, 'package.json'), 'utf8')) as {
    main?: string;
    type?: string;
  };
  const { main, type } = manifest;
  if (main === undefined) {
    throw new Error('package.json names no entry point: set "main"');
  }
  try {
    await load(join(appRoot, main), type === 'module');
  } catch (error) {
    throw new Error(`Worker was unable to load entry point "${main}": ${toError(error).message}`, {
      cause: error,
    });
  }
  await runHooks(registrations, 'appStart', {
    hookData: registrations.hookData,
    appHookData: registrations.appHookData,
    functionAppDirectory: appRoot,
  });
  await registrations.model?.getCapabilities?.({ WorkerStatus: 'true' });
  registrations.isClosed = true;
  const functions = [...registrations.functions.values()].map(({ metadata }) => metadata);
  if (functions.length === 0) {
    throw new Error(
      `"${main}" registered no function: either it calls no app.timer, or the bundle replaced ` +
        "require('@azure/functions-core'), which must reach Node's own require",
    );
  }
  return functions;
}

/** Calls the hooks of one kind, one after the other. */
export async function runHooks(
  { hooks }: Registrations,
  name: HookName,
  context: object,
): Promise<void> {
  for (const hook of hooks[name]) {
    await hook(context);
  }
}

/** The error that was thrown, or one that says what was. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

async function load(file: string, isModuleByDefault: boolean): Promise<void> {
  if (!existsSync(file)) {
    throw new Error('File does not exist');
  }
  const isModule = file.endsWith('.mjs') || (isModuleByDefault && !file.endsWith('.cjs'));
  if (isModule) {
    await import(pathToFileURL(file).href);
  } else {
    createRequire(file)(file);
  }
}
