import { nodeExecutable, lambdaRuntimeClient, type NodeMajor } from '../runtimes.ts';
import { telemetryDescriptor } from './telemetry-log.ts';

/** Which function a sandbox runs, and on what. */
export interface LambdaFunctionOptions {
  readonly nodeMajor: NodeMajor;
  /** Folder with the code, as unpacked from its zip: `LAMBDA_TASK_ROOT` and the working directory. */
  readonly taskRoot: string;
  /** File and export, such as `index.handler`. */
  readonly handler: string;
  /**
   * Environment of the function, besides what Lambda sets: nothing is inherited from the tests. May
   * replace what Lambda sets, such as the made-up credentials.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `function-under-test`. */
  readonly functionName?: string;
  /** Default `$LATEST`. */
  readonly functionVersion?: string;
  /** Default `eu-central-1`. */
  readonly region?: string;
  /** Default `123456789012`. */
  readonly accountId?: string;
  /** Told to the function, not enforced. Default 128. */
  readonly memoryMb?: number;
}

/** The same with every default filled in. */
export type LambdaFunction = Required<LambdaFunctionOptions>;

/** Fills in the defaults. */
export function resolveFunction(options: LambdaFunctionOptions): LambdaFunction {
  return {
    env: {},
    functionName: 'function-under-test',
    functionVersion: '$LATEST',
    region: 'eu-central-1',
    accountId: '123456789012',
    memoryMb: 128,
    ...options,
  };
}

/** The ARN that an invocation names: with the version only where one was published. */
export function functionArn(about: LambdaFunction): string {
  const { region, accountId, functionName, functionVersion } = about;
  const qualifier = functionVersion === '$LATEST' ? '' : `:${functionVersion}`;
  return `arn:aws:lambda:${region}:${accountId}:function:${functionName}${qualifier}`;
}

/** The command that Lambda starts the function with. */
export function runtimeCommand({ nodeMajor, handler }: LambdaFunction): [string, ...string[]] {
  // The managed runtime of Node 22 has these features switched off.
  const flags =
    nodeMajor === 22 ? ['--no-experimental-require-module', '--no-experimental-detect-module'] : [];
  return [nodeExecutable(nodeMajor), ...flags, lambdaRuntimeClient, handler];
}

/**
 * The environment that Lambda gives the function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function functionEnvironment(
  about: LambdaFunction,
  runtimeApi: string,
): Record<string, string | undefined> {
  return {
    PATH: process.env['PATH'],
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    LAMBDA_TASK_ROOT: about.taskRoot,
    _HANDLER: about.handler,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    _LAMBDA_TELEMETRY_LOG_FD: String(telemetryDescriptor),
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${about.nodeMajor}.x`,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_FUNCTION_NAME: about.functionName,
    AWS_LAMBDA_FUNCTION_VERSION: about.functionVersion,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(about.memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${about.functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `2026/11/30/[${about.functionVersion}]0123456789abcdef`,
    AWS_REGION: about.region,
    AWS_DEFAULT_REGION: about.region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_SESSION_TOKEN: 'test',
    ...about.env,
  };
}
