import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import type { Job } from '../../jobs/job.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import type { TimerSettings } from './options.ts';
import type { TimerJob } from './timer-job.ts';

/**
 * Most time that a run by HTTP takes, in milliseconds: after 230 s Azure's load balancer answers in the
 * place of the function. What is left is gone on with by the next tick.
 *
 * @see https://learn.microsoft.com/azure/azure-functions/functions-scale#timeout
 */
const maxBudgetMs = 225_000;

/** What is said of a request in which no period is found. */
const noPeriod = { name: 'TypeError', message: 'the body must be JSON with a period, in text' };

/**
 * Makes the function by which a person runs one period.
 *
 * Answers 200 with the outcome if the period was worked for or is complete; 409 with the outcome if it
 * could not be, because another leads, it is not over yet or too many are open; 400 for a request that
 * names no period of the job; 500 with name and message of the error otherwise.
 */
export function manualRun<Cursor>(
  job: Job<Cursor>,
  timerJob: TimerJob<Cursor>,
  { budgetMs, reserveMs }: Pick<TimerSettings, 'budgetMs' | 'reserveMs'>,
): (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit> {
  const invocation = {
    budgetMs: reserveMs < maxBudgetMs ? Math.min(budgetMs, maxBudgetMs) : budgetMs,
    isPastDue: false,
    nominalTimeSource: 'request',
    warnings: [],
  } as const;
  return async (request, context) => {
    const period = await periodIn(request);
    const { functionName } = context;
    try {
      // Also without a period of this job: that fails in the run, which logs each outcome.
      const trigger = { period: period ?? '' };
      const outcome = await timerJob.run(context, { ...invocation, functionName, trigger });
      return { status: statusOf(outcome), jsonBody: outcome };
    } catch (error) {
      if (isPeriodOf(job, period)) {
        return { status: 500, jsonBody: { error: shown(error) } };
      }
      const problem = period === undefined ? noPeriod : shown(error);
      return { status: 400, jsonBody: { error: problem, expected: { period: job.startFrom } } };
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

function shown(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'unknown', message: String(error) };
}
