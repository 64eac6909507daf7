import { randomBytes, randomUUID } from 'node:crypto';
import type { Binding, InvocationRequest, RegisteredFunction, RetryContext } from './messages.ts';

/** When a timer ran and runs, as the host keeps it; times as ISO strings. */
interface ScheduleStatus {
  /** Start of the last invocation. */
  readonly last: string;
  /** The tick that is being run: the host moves it on only after the handler. */
  readonly next: string;
  readonly lastUpdated: string;
}

/** What the host says about one tick. */
export interface TimerTick {
  /** `null` is what the host sends for a timer with `useMonitor: false`, though its type says otherwise. */
  readonly scheduleStatus: ScheduleStatus | null;
  /** Default false. */
  readonly isPastDue?: boolean;
  /** Whether the schedule follows daylight saving. Default true. */
  readonly adjustForDst?: boolean;
  /** Default: none, as for a function without a retry policy. */
  readonly retryContext?: RetryContext;
}

/** The function's timer, and what it is called. */
function timerOf(registered: RegisteredFunction): [name: string, binding: Binding] {
  const timer = Object.entries(registered.bindings).find(([, { type }]) => type === 'timerTrigger');
  if (timer === undefined) {
    throw new TypeError(`the function ${registered.name} has no timer trigger`);
  }
  return timer;
}

/**
 * The schedule of a timer, with `%NAME%` replaced by the app setting of that name, as the host does it.
 *
 * @throws Error if the setting is missing: the host reports the function as being in error.
 */
export function scheduleOf(
  registered: RegisteredFunction,
  settings: Readonly<Record<string, string>>,
): string {
  const [, { schedule }] = timerOf(registered);
  return String(schedule).replaceAll(/%([^%]+)%/g, (reference, name: string) => {
    const value = settings[name];
    if (value === undefined) {
      throw new Error(
        `The '${registered.name}' function is in error: '${reference}' does not resolve to a value.`,
      );
    }
    return value;
  });
}

/** The request that the host sends a worker for one tick: its own JSON, with .NET's names. */
export function timerRequest(registered: RegisteredFunction, tick: TimerTick): InvocationRequest {
  const { scheduleStatus: status, isPastDue = false, adjustForDst = true } = tick;
  const [name] = timerOf(registered);
  const data = {
    json: JSON.stringify({
      Schedule: { AdjustForDST: adjustForDst },
      ScheduleStatus:
        status === null
          ? null
          : { Last: status.last, LastUpdated: status.lastUpdated, Next: status.next },
      IsPastDue: isPastDue,
    }),
  };
  const trace = [randomBytes(16), randomBytes(8)].map((bytes) => bytes.toString('hex'));
  return {
    invocationId: randomUUID(),
    functionId: registered.name,
    inputData: [{ name, data }],
    triggerMetadata: { [name]: data },
    traceContext: { traceParent: `00-${trace.join('-')}-00`, traceState: '', attributes: {} },
    retryContext: tick.retryContext ?? null,
  };
}
