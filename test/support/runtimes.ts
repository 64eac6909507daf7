import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Major versions of Node that functions are deployed on. */
export type NodeMajor = 22 | 24;

/** One Node that functions run on in tests, usable here or not. */
export interface FunctionRuntime<Major extends NodeMajor | undefined = NodeMajor | undefined> {
  readonly name: string;
  /** `undefined`: the Node that runs the tests. */
  readonly nodeMajor: Major;
  /** Why tests on it are skipped here; `undefined` if it can be started. */
  readonly skipReason: string | undefined;
}

const installed = (path: string): string =>
  fileURLToPath(new URL(`../servers/node_modules/${path}`, import.meta.url));

const remedy = 'run npm ci in test/servers, on Linux x64';

/** The program of AWS's runtime interface client. */
export const lambdaRuntimeClient: string = installed('aws-lambda-ric/index.mjs');

/** The executable of Node in this version, or of the Node that runs the tests. */
export function nodeExecutable(nodeMajor: NodeMajor | undefined): string {
  return nodeMajor === undefined ? process.execPath : installed(`node-${nodeMajor}/bin/node`);
}

/** Runtimes of AWS Lambda: the real runtime interface client on the Node of each managed runtime. */
export const lambdaRuntimes: readonly FunctionRuntime<NodeMajor>[] = ([22, 24] as const).map(
  (nodeMajor) => ({
    name: `Lambda's runtime client on Node ${nodeMajor}`,
    nodeMajor,
    skipReason: missingNode(nodeMajor) ?? missingRuntimeClient(),
  }),
);

/** What the real `@azure/functions` runs on: the Node of the tests, and those of the cloud. */
export const functionsRuntimes: readonly FunctionRuntime[] = ([undefined, 22, 24] as const).map(
  (nodeMajor) => ({
    name: `Azure Functions' model on ${nodeMajor === undefined ? 'this Node' : `Node ${nodeMajor}`}`,
    nodeMajor,
    skipReason: missingNode(nodeMajor),
  }),
);

/** The name of a test group, with the reason where the group is skipped. */
export function runtimeTitle({ name, skipReason }: FunctionRuntime): string {
  return skipReason === undefined ? name : `${name} (skipped: ${skipReason})`;
}

function missingNode(nodeMajor: NodeMajor | undefined): string | undefined {
  return existsSync(nodeExecutable(nodeMajor))
    ? undefined
    : `Node ${nodeMajor} is not installed: ${remedy}`;
}

function missingRuntimeClient(): string | undefined {
  // The addon is compiled when the package is installed, by its scripts.
  return existsSync(installed('aws-lambda-ric/rapid-client.node'))
    ? undefined
    : `aws-lambda-ric is not compiled: ${remedy}, with cmake, g++ and make`;
}
