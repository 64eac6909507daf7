import { describeValue } from '../core/describe-value.ts';
import {
  optionalFunction,
  requireFunction,
  requireName,
  requireNumber,
  requireObject,
} from '../core/requirements.ts';
import type { CatchUp, Job, JobDefinition } from './job.ts';
import type { Periods } from './periods/periods.ts';

const maxNameLength = 64;
const catchUps: readonly CatchUp[] = ['all', 'latest', 'none'];

/**
 * Describes a job: what to do for each period, and for which periods.
 *
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed.
 */
export function defineJob<Cursor = unknown>(definition: JobDefinition<Cursor>): Job<Cursor> {
  requireObject('definition', definition, 'an object with name, periods, startFrom and run');
  const { catchUp = 'all', maxPeriodsPerRun = 7, parseCursor, reconcile, run } = definition;
  const name = requireJobName(definition.name);
  const periods = requirePeriods(definition.periods);
  if (!catchUps.includes(catchUp)) {
    throw new TypeError(`catchUp must be 'all', 'latest' or 'none', got ${describeValue(catchUp)}`);
  }
  return {
    name,
    lease: requireName('lease', definition.lease ?? name),
    periods,
    startFrom: requireStart(periods, definition.startFrom),
    catchUp,
    maxPeriodsPerRun: requireNumber('maxPeriodsPerRun', maxPeriodsPerRun, {
      kind: 'a whole number from 1',
      fits: (count) => Number.isSafeInteger(count) && count >= 1,
    }),
    parseCursor: optionalFunction('parseCursor', parseCursor),
    run: requireFunction('run', run),
    reconcile: optionalFunction('reconcile', reconcile),
  };
}

/** @throws `TypeError` if this was not made by {@link defineJob}. */
export function requireJob<Cursor>(job: Job<Cursor>): Job<Cursor> {
  requireObject('job', job, 'what defineJob returns');
  if (typeof job.lease !== 'string' || typeof job.maxPeriodsPerRun !== 'number') {
    throw new TypeError(`job must be what defineJob returns, got ${describeValue(job)}`);
  }
  return job;
}

function requireJobName(name: string): string {
  requireName('name', name);
  if (name.length > maxNameLength) {
    throw new RangeError(`name must have 1 to ${maxNameLength} characters, got ${name.length}`);
  }
  return name;
}

function requirePeriods(periods: Periods): Periods {
  requireObject('periods', periods, 'periods, such as monthly() returns');
  for (const method of ['parse', 'next', 'dueFromMs'] as const) {
    requireFunction(`periods.${method}`, periods[method]);
  }
  return periods;
}

function requireStart(periods: Periods, startFrom: string): string {
  if (typeof startFrom !== 'string') {
    throw new TypeError(
      `startFrom must be the name of the first period to work for, got ${describeValue(startFrom)}`,
    );
  }
  try {
    return periods.parse(startFrom);
  } catch (cause) {
    throw new RangeError(`startFrom: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
