import { instantOf } from '../../src/core/clock.ts';
import { LeaseLostError } from '../../src/core/errors.ts';
import type * as TermModule from '../../src/core/term.ts';
import { remainingMs } from '../../src/core/validity.ts';

type TermParts = ConstructorParameters<typeof TermModule.Term>;
type Over = TermModule.Term['over'];

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

    override get over(): Over {
      return super.over ?? (this.remainingMs() > 0 ? undefined : this.#expired());
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
      const { lease, store } = this.#context;
      const { fencingToken } = this;
      return new LeaseLostError('expired', 'not renewed', { lease, store, fencingToken });
    }
  }
  return { ...actual, Term: RevivableTerm };
}
