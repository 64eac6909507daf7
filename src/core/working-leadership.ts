import type { BudgetGuard } from './budget-guard.ts';
import { serializeProgress } from './progress.ts';
import type { Leadership } from './leadership.ts';
import type { Renewer } from './renewer.ts';
import { positiveMs, requireFunction, requireNumber, requireObject } from './requirements.ts';
import { StepMeter } from './step-meter.ts';
import type { Term, TermContext } from './term.ts';
import { timeLimit } from './time-limit.ts';

/** The parts of a term that its work uses. */
export interface TermParts {
  readonly context: TermContext;
  readonly term: Term;
  readonly renewer: Renewer;
  readonly budget: BudgetGuard;
}

/** The {@link Leadership} that is handed to the work. */
export class WorkingLeadership<Progress> implements Leadership<Progress> {
  readonly #parts: TermParts;
  readonly #progress: Progress | undefined;
  readonly #steps: StepMeter;
  readonly #operations = new Set<Promise<unknown>>();

  constructor(parts: TermParts, progress: Progress | undefined) {
    this.#parts = parts;
    this.#steps = new StepMeter(parts.context.clock);
    this.#progress = progress;
  }

  get fencingToken(): number {
    return this.#judged().fencingToken;
  }

  get progress(): Progress | undefined {
    this.#judged();
    return this.#progress;
  }

  get signal(): AbortSignal {
    return this.#judged().signal;
  }

  remainingMs(): number {
    return this.#parts.term.remainingMs();
  }

  assertLeader(): void {
    this.#parts.term.assertLeader();
  }

  /** The term, judged: a timer may be late, and whoever looks must not see one that is over. */
  #judged(): Term {
    const { term } = this.#parts;
    term.judge();
    return term;
  }

  async checkpoint(progress?: Progress | null): Promise<void> {
    const { term, renewer, budget } = this.#parts;
    if (progress !== undefined) {
      // Kept even if the leadership is over: what is done is done, and the release writes it.
      renewer.leave({ progress: progress === null ? null : serializeProgress(progress) });
    }
    term.assertLeader();
    this.#steps.endStep();
    try {
      const spent = budget.check();
      if (spent) {
        await renewer.save();
        term.assertLeader();
        throw spent;
      }
      await renewer.renewIfDue(this.#steps.longestMs);
      term.assertLeader();
    } finally {
      this.#steps.beginStep();
    }
  }

  async during<T>(
    operation: (context: { readonly signal: AbortSignal }) => T | Promise<T>,
    limit: { readonly atMostMs: number },
  ): Promise<T> {
    requireFunction('operation', operation);
    requireObject('limit', limit, 'an object with atMostMs');
    const atMostMs = requireNumber('atMostMs', limit.atMostMs, positiveMs);
    const { term } = this.#parts;
    term.assertLeader();
    const running = this.#run(operation, atMostMs);
    this.#operations.add(running);
    try {
      const value = await running;
      term.assertLeader();
      return value;
    } catch (error) {
      // Why the leadership is over outranks how the operation failed.
      term.assertLeader();
      throw error;
    } finally {
      this.#operations.delete(running);
    }
  }

  /** Waits for every operation and renewal that is under way. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#operations);
    await this.#parts.renewer.settled();
  }

  async #run<T>(
    operation: (context: { readonly signal: AbortSignal }) => T | Promise<T>,
    atMostMs: number,
  ): Promise<T> {
    const { context, term, renewer } = this.#parts;
    const stopRenewing = new AbortController();
    const { limit, clear } = timeLimit({
      clock: context.clock,
      afterMs: atMostMs,
      reason: () => {
        stopRenewing.abort();
        const message = `the operation took longer than ${atMostMs} ms`;
        return new DOMException(message, 'TimeoutError');
      },
      source: term.signal,
    });
    this.#steps.beginCover();
    const renewing = renewer.renewUntil(stopRenewing.signal);
    try {
      return await operation({ signal: limit.signal });
    } finally {
      this.#steps.endCover();
      clear();
      stopRenewing.abort();
      // Not awaited: an operation need not wait for a renewal that the end of the term waits for.
      void renewing;
    }
  }
}
