import type { Budget } from './budget.ts';
import { BudgetSpentError } from './errors.ts';
import type { Term, TermContext } from './term.ts';

/** Ends one term in time. Without a budget it never does. */
export class BudgetGuard {
  readonly #context: TermContext;
  readonly #budget: Budget | undefined;
  #spent: BudgetSpentError | undefined;

  constructor(context: TermContext, budget: Budget | undefined) {
    this.#context = context;
    this.#budget = budget;
  }

  /** The error of a budget that the work was told is spent; `undefined` while it was not. */
  get spent(): BudgetSpentError | undefined {
    return this.#spent;
  }

  /** Tells the work that the budget is spent, if only the reserve is left. */
  check(): BudgetSpentError | undefined {
    if (this.#budget && this.#budget.remainingMs() <= this.#budget.reserveMs) {
      this.#spend();
    }
    return this.#spent;
  }

  /** Ends the leadership when half of the reserve is gone. */
  async watch(term: Term, stop: AbortSignal): Promise<void> {
    const budget = this.#budget;
    if (!budget) {
      return;
    }
    const leftMs = (): number => budget.remainingMs() - budget.reserveMs / 2;
    for (let ms = leftMs(); ms > 0; ms = leftMs()) {
      await this.#context.clock.sleep(ms, stop);
    }
    term.end(this.#spend());
  }

  #spend(): BudgetSpentError {
    const { lease, storeName } = this.#context;
    this.#spent ??= new BudgetSpentError('the time budget is spent', { lease, store: storeName });
    return this.#spent;
  }
}
