import { defineJob, monthly, type Job, type JobDefinition, type JobOutcome } from 'tenure/jobs';
import { registerTimer, type RegisterTimerOptions } from 'tenure/azure-functions';
import { memoryLeaseStore } from 'tenure/memory';
import { ManualClock } from 'tenure/testing';
import { injectCoreModule, type Registrations } from '../../support/azure-functions/core-module.ts';
import type {
  InvocationRequest,
  LogEntry,
  RegisteredFunction,
  RetryContext,
} from '../../support/azure-functions/messages.ts';
import { runInvocation } from '../../support/azure-functions/run-invocation.ts';
import { timerRequest } from '../../support/azure-functions/timer-trigger.ts';

/** Midnight, when October is over. */
const november = '2026-11-01T00:00:00Z';

const logged: LogEntry[] = [];
/** What the apps of a test file register, on the real `@azure/functions`. */
export const registrations: Registrations = injectCoreModule((entry) => void logged.push(entry));

/** An outcome event, as it is logged. */
type Line = Omit<JobOutcome, 'durationMs'> &
  Readonly<Record<string, unknown>> & { readonly figures: Readonly<Record<string, number>> };

/** What one invocation came to. */
export interface Ended {
  readonly ok: boolean;
  /** What the function returned; for HTTP, the response. */
  readonly returned: unknown;
  readonly error: { readonly name: string; readonly message: string } | undefined;
  /** Everything that the function logged. */
  readonly entries: readonly LogEntry[];
  /** The only outcome event. */
  readonly line: Line;
}

/** What the host says about a tick. */
export interface Tick {
  /** Default midnight on 1 November 2026. */
  readonly next?: string | null;
  readonly isPastDue?: boolean;
  readonly invocationId?: string;
  readonly retryContext?: RetryContext;
}

export type RunOf = JobDefinition<unknown>['run'];

export const nothingLeft = { unfinished: 0, unknown: 0 };

/** One function app: a job on a store, at a time that the test moves. */
export class AppBench {
  readonly clock: ManualClock = new ManualClock({ wallMs: Date.parse(november) });
  readonly store = memoryLeaseStore();
  /** Periods that were worked for. */
  readonly worked: string[] = [];

  /** A job named `billing` that has nothing left to do after `run`. */
  job(run?: RunOf, more: Partial<JobDefinition<unknown>> = {}): Job {
    return defineJob({
      name: 'billing',
      periods: monthly({ timeZone: 'UTC' }),
      startFrom: '2026-10',
      run: async (jobRun) => {
        this.worked.push(jobRun.period);
        return (await run?.(jobRun)) ?? nothingLeft;
      },
      ...more,
    });
  }

  readonly #registerTimer: typeof registerTimer;

  /** @param register - Where it comes from a copy of the module that nothing else uses. */
  constructor(register: typeof registerTimer = registerTimer) {
    this.#registerTimer = register;
  }

  /** Registers the job in an app that has nothing else. */
  register(job: Job, options: Partial<RegisterTimerOptions> = {}): void {
    registrations.functions.clear();
    this.#registerTimer(job, {
      store: this.store,
      clock: this.clock,
      random: () => 0,
      schedule: '0 */5 * * * *',
      budgetMs: 240_000,
      where: { region: 'westeurope', app: 'billing-prod', version: '1.2.0' },
      ...options,
    });
  }

  /** Runs the timer for one tick, as the worker does it. */
  tick(tick: Tick = {}, name = 'billing'): Promise<Ended> {
    const { next = november, isPastDue = false, retryContext } = tick;
    const last = '2026-10-31T23:55:00Z';
    const request = timerRequest(registered(name), {
      scheduleStatus: next === null ? null : { last, lastUpdated: last, next },
      isPastDue,
      ...(retryContext && { retryContext }),
    });
    return invoke(tick.invocationId === undefined ? request : { ...request, ...idOf(tick) });
  }

  /** Sends a request to the function for manual runs. */
  post(body: string, name = 'billing-manual'): Promise<Ended> {
    const trigger = Object.keys(registered(name).bindings).find((key) => key.startsWith('http'));
    const url = `https://app.example/api/${name}`;
    const http = {
      method: 'POST',
      url,
      headers: {},
      query: {},
      params: {},
      body: { string: body },
    };
    const request = timerRequest(registered('billing'), { scheduleStatus: null });
    const inputData = [{ name: trigger, data: { http } }] as unknown;
    return invoke({
      ...request,
      functionId: name,
      inputData,
      triggerMetadata: {},
    } as InvocationRequest);
  }
}

/** A function of the app. */
export function registered(name: string): RegisteredFunction {
  const found = registrations.functions.get(name);
  if (!found) {
    throw new Error(`there is no function ${name}`);
  }
  return found.metadata;
}

async function invoke(request: InvocationRequest): Promise<Ended> {
  const entries: LogEntry[] = [];
  const outcome = await runInvocation(registrations, request, (entry) => void entries.push(entry));
  const own = entries.filter(({ category }) => category === 'user');
  const lines = own.filter(({ message }) => message.startsWith('{'));
  if (lines.length !== 1 || own.length !== 1) {
    throw new Error(`one line was to be logged, got ${JSON.stringify(own)}`);
  }
  return {
    ok: outcome.ok,
    returned: outcome.ok ? valueOf(outcome.returnValue) : undefined,
    error: outcome.ok ? undefined : outcome.error,
    entries: own,
    line: JSON.parse(lines[0]?.message ?? '') as Line,
  };
}

/** A response, as the model hands it to the worker. */
interface HttpData {
  readonly statusCode: string;
  readonly body: { readonly bytes: Uint8Array };
}

function valueOf(data: unknown): unknown {
  const { json, http } = data as { json?: string; http?: HttpData };
  if (http) {
    const body: unknown = JSON.parse(Buffer.from(http.body.bytes).toString());
    return { status: Number(http.statusCode), body };
  }
  return json === undefined ? undefined : JSON.parse(json);
}

function idOf({ invocationId }: Tick): Partial<InvocationRequest> {
  return invocationId === undefined ? {} : { invocationId };
}
