import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { shownError } from '../../jobs/shown-error.ts';
import type { TimerJob } from './timer-job.ts';

/**
 * Makes the function by which a person runs one period.
 *
 * Answers 200 with the outcome if the period was worked for or is complete; 409 with the outcome if it
 * could not be, because another leads, it is not over yet or too many are open; 400 for a request that
 * names no period of the job; 500 with name and message of the error otherwise.
 *
 * @param budgetMs - Time that one request may take.
 */
export function manualRun<Cursor>(
  job: Job<Cursor>,
  timerJob: TimerJob<Cursor>,
  budgetMs: number,
): (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit> {
  return async (request, context) => {
    const period = await periodIn(request);
    try {
      const outcome = await timerJob.run(context, {
        trigger: () => ({ period: requirePeriod(period) }),
        budgetMs,
        functionName: context.functionName,
        nominalTimeSource: 'request',
        isPastDue: false,
        warnings: [],
      });
      return { status: statusOf(outcome), jsonBody: outcome };
    } catch (thrown) {
      const { name, message } = shownError(thrown);
      const error = { name, message };
      return isPeriodOf(job, period)
        ? { status: 500, jsonBody: { error } }
        : { status: 400, jsonBody: { error, expected: { period: job.startFrom } } };
    }
  };
}

async function periodIn(request: HttpRequest): Promise<string | undefined> {
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    return undefined;
  }
  const period: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'period') : undefined;
  return typeof period === 'string' ? period : undefined;
}

/** The body itself is not shown: it may be of any length, and have anything in it. */
function requirePeriod(period: string | undefined): string {
  if (period === undefined) {
    throw new TypeError('the body must be JSON with a period, in text');
  }
  return period;
}

function isPeriodOf({ periods }: Pick<Job, 'periods'>, period: string | undefined): boolean {
  if (period === undefined) {
    return false;
  }
  try {
    periods.parse(period);
    return true;
  } catch {
    return false;
  }
}

function statusOf({ status, reason }: JobOutcome): number {
  return status === 'led' || reason === 'already-complete' ? 200 : 409;
}
