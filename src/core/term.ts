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
  readonly store: string;
}

/** Whether this process leads, for one term: true until it is over, and then never again. */
export class Term {
  readonly fencingToken: number;
  readonly #context: TermContext;
  readonly #controller = new AbortController();
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

  /** Why the leadership is over, judged on the clock; `undefined` while it is not. */
  get over(): LeaseLostError | BudgetSpentError | undefined {
    this.remainingMs();
    return this.#over;
  }

  /** Milliseconds to the renew deadline; 0 when the leadership is over. */
  remainingMs(): number {
    if (this.#over) {
      return 0;
    }
    const { clock, timing } = this.#context;
    const leftMs = remainingMs(this.#confirmedAt, instantOf(clock), timing);
    if (leftMs > 0) {
      return leftMs;
    }
    this.lose('expired', 'not renewed before the renew deadline', this.#lastFailure);
    return 0;
  }

  /** @throws why the leadership is over. */
  assertLeader(): void {
    const { over } = this;
    if (over) {
      throw over;
    }
  }

  /** Extends the leadership, unless it is over by now. Returns whether it did. */
  confirm(countsFrom: Instant): boolean {
    if (this.remainingMs() <= 0) {
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
  lose(reason: LossReason, message: string, cause?: unknown): void {
    const { lease, store } = this.#context;
    const context = { lease, store, fencingToken: this.fencingToken };
    this.end(
      new LeaseLostError(reason, message, cause === undefined ? context : { ...context, cause }),
    );
  }

  /** Ends the leadership. The first reason stays. */
  end(over: LeaseLostError | BudgetSpentError): void {
    if (this.#over) {
      return;
    }
    this.#over = over;
    if (over instanceof LeaseLostError && over.reason !== 'settled') {
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
