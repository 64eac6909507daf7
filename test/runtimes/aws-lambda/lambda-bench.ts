import { defineJob, monthly, type JobDefinition, type JobOutcome } from 'tenure/jobs';
import { lambdaHandler, type LambdaContext, type LambdaHandlerOptions } from 'tenure/aws-lambda';
import { memoryLeaseStore } from 'tenure/memory';
import { ManualClock } from 'tenure/testing';
import type { LeaseStore } from 'tenure';

/** The tick of the tests: October is over, and no other period since `startFrom`. */
export const tick = '2026-11-01T00:05:00Z';
/** How a schedule of EventBridge Scheduler delivers it. */
export const scheduled = {
  scheduledTime: tick,
  executionId: 'd32c5kddcf5bb8c3',
  attemptNumber: '1',
  scheduleArn: 'arn:aws:scheduler:eu-central-1:123456789012:schedule/default/billing',
};

type Line = Record<string, unknown> & { readonly [name in keyof JobOutcome]?: unknown };

/** A handler of a billing job with nothing to bill, and what it told. */
export interface Bench {
  readonly clock: ManualClock;
  readonly store: LeaseStore;
  readonly lines: readonly string[];
  readonly outcomes: readonly JobOutcome[];
  /** The one line there is. */
  readonly line: () => Line;
  /** Of an invocation that begins now and may take a minute, but for the changes. */
  readonly context: (changes?: Partial<LambdaContext>) => LambdaContext;
  readonly handler: ReturnType<typeof lambdaHandler>;
}

export interface BenchOptions extends Partial<LambdaHandlerOptions> {
  readonly run?: JobDefinition<unknown>['run'];
  readonly job?: Partial<JobDefinition<unknown>>;
}

/** Nothing is left to do. */
export const nothingLeft = { unfinished: 0, unknown: 0 };

export function bench({ run, job, ...options }: BenchOptions = {}): Bench {
  const clock = new ManualClock({ wallMs: Date.parse(tick) + 40_000 });
  const store = options.store ?? memoryLeaseStore();
  const lines: string[] = [];
  const outcomes: JobOutcome[] = [];
  const billing = defineJob({
    name: 'billing',
    periods: monthly({ timeZone: 'UTC' }),
    startFrom: '2026-10',
    run: run ?? (() => Promise.resolve(nothingLeft)),
    ...job,
  });
  const handler = lambdaHandler(billing, {
    clock,
    write: (line) => lines.push(line),
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
    store,
  });
  return {
    clock,
    store,
    lines,
    outcomes,
    line: () => {
      const [line, ...others] = lines;
      if (line === undefined || others.length > 0) {
        throw new Error(`there are ${lines.length} lines`);
      }
      return JSON.parse(line);
    },
    context: (changes) => lambdaContext(clock, changes),
    handler,
  };
}

function lambdaContext(clock: ManualClock, changes: Partial<LambdaContext> = {}): LambdaContext {
  const endMs = clock.monotonicMs() + 60_000;
  return {
    awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
    functionName: 'billing-prod',
    functionVersion: '7',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:billing-prod:live',
    getRemainingTimeInMillis: () => endMs - clock.monotonicMs(),
    ...changes,
  };
}
