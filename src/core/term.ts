import { setMaxListeners } from 'node:events';
import { instantOf, type Clock, type Instant } from './clock.ts';
import { LeaseLostError, type BudgetSpentError, type LossReason } from './errors.ts';
import type { Report } from './observer.ts';
import type { Timing } from './timing.ts';
import { elapsedMs, remainingMs } from './validity.ts';

/** What a term needs to know of its election. */
export interface TermContext {
  readonly clock: Clock;
  readonly timing: Timing;
  readonly random: () => number;
  readonly report: Report;
  readonly lease: string;
  /** Name of the store, for messages. */
  readonly storeName: string;
}

const lossMessages: Readonly<Record<LossReason, string>> = {
  'taken-over': 'the record is no longer of this term',
  expired: 'not renewed before the renew deadline',
  aborted: 'aborted by the caller',
  settled: 'the work has settled',
};

/** The error of a term that is over. */
export function leaseLost(
  { lease, storeName }: Pick<TermContext, 'lease' | 'storeName'>,
  fencingToken: number,
  reason: LossReason,
  cause?: unknown,
): LeaseLostError {
  const context = { lease, store: storeName, fencingToken };
  return new LeaseLostError(
    reason,
    lossMessages[reason],
    cause === undefined ? context : { ...context, cause },
  );
}

/** Whether this process leads, for one term: true until it is over, and then never again. */
export class Term {
  readonly fencingToken: number;
  readonly #context: TermContext;
  readonly #controller = abortController();
  #confirmedAt: Instant;
  #over: LeaseLostError | BudgetSpentError | undefined;
  #lastFailure: unknown;

  /** @param confirmedAt - The moment from which the acquiring write counts. */
  constructor(context: TermContext, fencingToken: number, confirmedAt: Instant) {
    this.#context = context;
    this.fencingToken = fencingToken;
    this.#confirmedAt = confirmedAt;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The moment from which the last confirmed write counts. */
  get confirmedAt(): Instant {
    return this.#confirmedAt;
  }

  /**
   * Judges on the clock, which ends a leadership whose deadline has passed. Returns why it is over;
   * `undefined` while it is not.
   */
  judge(): LeaseLostError | BudgetSpentError | undefined {
    this.remainingMs();
    return this.#over;
  }

  /** Judges, as {@link judge}. Milliseconds to the renew deadline; 0 when the leadership is over. */
  remainingMs(): number {
    if (this.#over) {
      return 0;
    }
    const { clock, timing } = this.#context;
    const leftMs = remainingMs(this.#confirmedAt, instantOf(clock), timing);
    if (leftMs > 0) {
      return leftMs;
    }
    this.lose('expired', this.#lastFailure);
    return 0;
  }

  /** @throws why the leadership is over. */
  assertLeader(): void {
    const over = this.judge();
    if (over) {
      throw over;
    }
  }

  /** Extends the leadership, unless it is over by now or renewed later. Returns whether it did. */
  confirm(countsFrom: Instant): boolean {
    if (this.remainingMs() <= 0 || countsFrom.monotonicMs < this.#confirmedAt.monotonicMs) {
      return false;
    }
    this.#confirmedAt = countsFrom;
    this.#lastFailure = undefined;
    return true;
  }

  /** Remembers why the last renewal failed, for the error of a leadership that expires. */
  renewalFailed(error: unknown): void {
    this.#lastFailure = error;
  }

  /** Ends the leadership with a {@link LeaseLostError}. */
  lose(reason: LossReason, cause?: unknown): void {
    this.end(leaseLost(this.#context, this.fencingToken, reason, cause));
  }

  /** Ends the leadership. The first reason stays. */
  end(over: LeaseLostError | BudgetSpentError): void {
    if (this.#over) {
      return;
    }
    this.#over = over;
    if (over.code === 'LEASE_LOST' && over.reason !== 'settled') {
      const { fencingToken } = this;
      this.#context.report({ type: 'lost', fencingToken, reason: over.reason, error: over });
    }
    this.#controller.abort(over);
  }

  /** Ends the leadership at the renew deadline, for code that only listens to the signal. */
  async watchDeadline(stop: AbortSignal): Promise<void> {
    for (let leftMs = this.remainingMs(); leftMs > 0; leftMs = this.remainingMs()) {
      await this.#context.clock.sleep(leftMs, stop);
    }
  }

  /** Reports work that still runs when another may lead by now. */
  async watchOverdue(stop: AbortSignal): Promise<void> {
    const { clock, timing, report } = this.#context;
    const leftMs = (): number =>
      timing.leaseDurationMs - elapsedMs(this.#confirmedAt, instantOf(clock));
    for (let ms = leftMs(); ms > 0; ms = leftMs()) {
      await clock.sleep(ms, stop);
    }
    const overdueMs = timing.leaseDurationMs - timing.renewDeadlineMs - leftMs();
    report({ type: 'work-overdue', fencingToken: this.fencingToken, overdueMs });
  }
}

/** Many operations and workers may listen to one leadership; Node would call more than ten a leak. */
function abortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
