import { instantOf } from '../../src/core/clock.ts';
import type { LeaseLostError } from '../../src/core/errors.ts';
import type * as TermModule from '../../src/core/term.ts';
import { remainingMs } from '../../src/core/validity.ts';

type TermParts = ConstructorParameters<typeof TermModule.Term>;
type Over = ReturnType<TermModule.Term['judge']>;

/** A term that judges the clock anew each time, as if nothing had been decided before. */
export function withRevivableTerm(actual: typeof TermModule): typeof TermModule {
  class RevivableTerm extends actual.Term {
    readonly #context: TermParts[0];
    #confirmed: TermParts[2];
    #isEnded = false;

    constructor(...parts: TermParts) {
      super(...parts);
      [this.#context, , this.#confirmed] = parts;
    }

    override get confirmedAt(): TermParts[2] {
      return this.#confirmed;
    }

    override judge(): Over {
      return super.judge() ?? (this.remainingMs() > 0 ? undefined : this.#expired());
    }

    override confirm(countsFrom: TermParts[2]): boolean {
      this.#confirmed = countsFrom;
      return true;
    }

    override end(over: NonNullable<Over>): void {
      this.#isEnded = true;
      super.end(over);
    }

    override remainingMs(): number {
      const { clock, timing } = this.#context;
      const leftMs = remainingMs(this.#confirmed, instantOf(clock), timing);
      return this.#isEnded ? 0 : Math.max(0, leftMs);
    }

    #expired(): LeaseLostError {
      return actual.leaseLost(this.#context, this.fencingToken, 'expired');
    }
  }
  return { ...actual, Term: RevivableTerm };
}
