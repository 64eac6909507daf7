import type { RetryOptions } from '@azure/functions';
import { systemClock, type Clock } from '../../core/clock.ts';
import { describeValue } from '../../core/describe-value.ts';
import type { Wait } from '../../core/election.ts';
import {
  optionalFunction,
  positiveMs,
  requireClock,
  requireName,
  requireNumber,
  requireObject,
  requireStore,
  requireWait,
} from '../../core/requirements.ts';
import { resolveTiming } from '../../core/timing.ts';
import type { JobRunnerOptions } from '../../jobs/job-runner.ts';
import type { AzurePlace } from './identity.ts';

/** How a person may run one period by name; see {@link RegisterTimerOptions.manual}. */
export interface ManualRunOptions {
  /**
   * Which key a request must carry: `admin` the master key of the app, `function` one of this function.
   */
  readonly authLevel: 'admin' | 'function';
}

/** Options of `registerTimer`: those of a job's runner, and how Azure is to run it. */
export interface RegisterTimerOptions extends Omit<JobRunnerOptions, 'identity'> {
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
  /**
   * What must be left of the budget for the work to wind down and for the release, in milliseconds;
   * and how long the end of the app waits for that. Default 5 000.
   */
  readonly reserveMs?: number;
  /** How long to wait for a lease that another holds. Default `one-lease`. */
  readonly wait?: Wait;
  /** Name of the environment, such as `prod`; part of the outcome events. Default `default`. */
  readonly environment?: string;
  /** Where the app runs; part of the identity, which is how people find the holder of a lease. */
  readonly where?: AzurePlace;
  /** Name of the function. Default the name of the job. */
  readonly functionName?: string;
  /** Lets the host repeat an invocation that failed. Default: the next tick does. */
  readonly retry?: RetryOptions;
  /**
   * Registers another function, `<functionName>-manual`, that takes `{ "period": "2026-10" }` by HTTP
   * POST. A run of the timer by hand cannot say which period is meant: the host passes it no input.
   * Default `false`.
   */
  readonly manual?: false | ManualRunOptions;
}

/** {@link RegisterTimerOptions}, checked and with defaults. */
export interface TimerSettings {
  readonly functionName: string;
  readonly schedule: string;
  readonly budgetMs: number;
  readonly reserveMs: number;
  readonly wait: Wait;
  readonly environment: string;
  readonly where: AzurePlace;
  readonly retry: RetryOptions | undefined;
  readonly manual: ManualRunOptions | undefined;
  readonly onOutcome: JobRunnerOptions['onOutcome'];
  readonly clock: Clock;
  readonly leaseDurationMs: number;
  readonly runner: Omit<JobRunnerOptions, 'identity' | 'onOutcome'>;
}

const authLevels: readonly string[] = ['admin', 'function'];
const sixFields = /^\S+(?:\s+\S+){5}$/;
const appSetting = /%[^%\s]+%/;
/** What the host takes for the name of a function. */
const functionNames = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/;

/** @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed. */
export function requireSettings(jobName: string, options: RegisterTimerOptions): TimerSettings {
  requireObject('options', options, 'an object with store, schedule and budgetMs');
  const { schedule, budgetMs, reserveMs = 5_000, wait = 'one-lease', ...others } = options;
  const { environment = 'default', where = {}, functionName, retry, manual, ...rest } = others;
  const { onOutcome, ...runner } = rest;
  requireWait(wait);
  return {
    functionName: requireFunctionName(functionName ?? jobName),
    schedule: requireSchedule(schedule),
    ...requireBudgets(budgetMs, reserveMs),
    wait,
    environment: requireName('environment', environment),
    where: requireWhere(where),
    retry: retry === undefined ? undefined : requireObject('retry', retry),
    manual: requireManual(manual),
    onOutcome: optionalFunction('onOutcome', onOutcome),
    clock: requireClock(runner.clock ?? systemClock),
    leaseDurationMs: resolveTiming(runner.timing ?? {}, requireStore(runner.store).limits)
      .leaseDurationMs,
    runner,
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

function requireBudgets(
  budgetMs: number,
  reserveMs: number,
): Pick<TimerSettings, 'budgetMs' | 'reserveMs'> {
  requireNumber('budgetMs', budgetMs, positiveMs);
  requireNumber('reserveMs', reserveMs, {
    kind: '0 or more milliseconds',
    fits: (ms) => Number.isFinite(ms) && ms >= 0,
  });
  if (budgetMs <= reserveMs) {
    throw new RangeError(
      `budgetMs (${budgetMs}) must exceed reserveMs (${reserveMs}), or nothing is left to work in`,
    );
  }
  return { budgetMs, reserveMs };
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

function requireManual(manual: false | ManualRunOptions = false): ManualRunOptions | undefined {
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
  return manual;
}
