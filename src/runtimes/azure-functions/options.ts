import type { RetryOptions } from '@azure/functions';
import { describeValue } from '../../core/describe-value.ts';
import { positiveMs, requireNumber, requireObject } from '../../core/requirements.ts';
import type { Job } from '../../jobs/job.ts';
import {
  requireFunctionSettings,
  type FunctionOptions,
  type FunctionSettings,
} from '../shared/options.ts';
import type { AzurePlace } from './identity.ts';

/** How a person may run one period by name; see {@link RegisterTimerOptions.manual}. */
export interface ManualRunOptions {
  /**
   * Which key a request must carry: `admin` the master key of the app, `function` one of this function.
   */
  readonly authLevel: 'admin' | 'function';
}

/**
 * Options of `registerTimer`: those of a job's runner, and how Azure is to run it. The end of the app
 * waits for `reserveMs` at most.
 */
export interface RegisterTimerOptions extends FunctionOptions {
  /**
   * When to look what is due: an NCRONTAB expression of six fields, seconds first, such as
   * `0 *\/5 * * * *`, or the app setting that has one, such as `%BILLING_SCHEDULE%`. Often is right:
   * a tick with nothing due costs one read, and what a tick could not do waits for the next one.
   */
  readonly schedule: string;
  /**
   * Time that one invocation may take, in milliseconds. Required, since a function in Node cannot ask
   * how much it has left: less than `functionTimeout` in host.json, by a fifth for example.
   */
  readonly budgetMs: number;
  /** Where the app runs; part of the identity, which is how people find the holder of a lease. */
  readonly where?: AzurePlace;
  /** Name of the function. Default the name of the job. */
  readonly functionName?: string;
  /** Lets the host repeat an invocation that failed. Default: the next tick does. */
  readonly retry?: RetryOptions;
  /**
   * Registers another function, `<functionName>-manual`, that takes `{ "period": "2026-10" }` by HTTP
   * POST. A run of the timer by hand cannot say which period is meant: the host passes it no input.
   * A request takes at most 225 s, and `reserveMs` must be less. Default `false`.
   */
  readonly manual?: false | ManualRunOptions;
}

/** {@link RegisterTimerOptions}, checked and with defaults. */
export interface TimerSettings extends FunctionSettings {
  readonly functionName: string;
  readonly schedule: string;
  readonly budgetMs: number;
  readonly where: AzurePlace;
  readonly retry: RetryOptions | undefined;
  readonly manual: ManualRunSettings | undefined;
}

/** {@link ManualRunOptions}, and how long a request may take. */
interface ManualRunSettings extends ManualRunOptions {
  readonly budgetMs: number;
}

/**
 * Most time that a run by HTTP takes, in milliseconds: after 230 s Azure's load balancer answers in the
 * place of the function. What is left is gone on with by the next tick.
 *
 * @see https://learn.microsoft.com/azure/azure-functions/functions-scale#timeout
 */
const maxManualRunMs = 225_000;
const authLevels: readonly string[] = ['admin', 'function'];
const sixFields = /^\S+(?:\s+\S+){5}$/;
const appSetting = /%[^%\s]+%/;
/** What the host takes for the name of a function. */
const functionNames = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/;

/** @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed. */
export function requireSettings<Cursor>(
  job: Job<Cursor>,
  options: RegisterTimerOptions,
): TimerSettings {
  requireObject('options', options, 'an object with store, schedule and budgetMs');
  const { schedule, budgetMs, where = {}, functionName, retry, manual, ...shared } = options;
  const settings = requireFunctionSettings(job, shared);
  const { reserveMs } = settings;
  return {
    ...settings,
    functionName: requireFunctionName(functionName ?? job.name),
    schedule: requireSchedule(schedule),
    budgetMs: requireBudgetMs(budgetMs, reserveMs),
    where: requireWhere(where),
    retry: retry === undefined ? undefined : requireObject('retry', retry),
    manual: requireManual(manual, { budgetMs, reserveMs }),
  };
}

function requireSchedule(schedule: string): string {
  if (typeof schedule !== 'string' || !(sixFields.test(schedule) || appSetting.test(schedule))) {
    throw new TypeError(
      `schedule must be an NCRONTAB expression of six fields, seconds first, such as 0 */5 * * * *, or an app setting such as %SCHEDULE%, got ${describeValue(schedule)}`,
    );
  }
  return schedule;
}

function requireBudgetMs(budgetMs: number, reserveMs: number): number {
  requireNumber('budgetMs', budgetMs, positiveMs);
  if (budgetMs <= reserveMs) {
    throw new RangeError(
      `budgetMs (${budgetMs}) must exceed reserveMs (${reserveMs}), or nothing is left to work in`,
    );
  }
  return budgetMs;
}

function requireFunctionName(name: string): string {
  if (typeof name !== 'string' || !functionNames.test(name)) {
    throw new RangeError(
      `functionName, by default the name of the job, must be a letter and up to 127 letters, digits or any of _ -, got ${describeValue(name)}`,
    );
  }
  return name;
}

function requireWhere(where: AzurePlace): AzurePlace {
  requireObject('where', where, 'an object with region, app and version');
  const { region, app, version } = where;
  for (const [name, value] of Object.entries({ region, app, version })) {
    if (value !== undefined && typeof value !== 'string') {
      throw new TypeError(`where.${name} must be a string, got ${describeValue(value)}`);
    }
  }
  return where;
}

function requireManual(
  manual: false | ManualRunOptions = false,
  { budgetMs, reserveMs }: Pick<TimerSettings, 'budgetMs' | 'reserveMs'>,
): ManualRunSettings | undefined {
  if (manual === false) {
    return undefined;
  }
  const { authLevel } = requireObject('manual', manual, 'false or an object with authLevel');
  // An anonymous request would let anyone start a run.
  if (!authLevels.includes(authLevel)) {
    throw new TypeError(
      `manual.authLevel must be 'admin' or 'function', got ${describeValue(authLevel)}`,
    );
  }
  if (reserveMs >= maxManualRunMs) {
    throw new RangeError(
      `reserveMs must be less than ${maxManualRunMs} where manual is set, since Azure waits no longer for a request, got ${reserveMs}`,
    );
  }
  return { authLevel, budgetMs: Math.min(budgetMs, maxManualRunMs) };
}
