import type { LeaseRow } from './demo-store.ts';
import type { Journal } from './journal.ts';

/** One holding of the lease. */
export interface Term {
  readonly scheduler: string;
  readonly fencingToken: number;
  /**
   * `released` by its holder; `taken-over` by another after silence; `expired` if it was not
   * released and no other took it over: its holder acquired anew, or nobody did.
   */
  readonly endedBy: 'released' | 'taken-over' | 'expired';
}

interface OpenTerm {
  readonly scheduler: string;
  readonly fencingToken: number;
  lastWriteMs: number;
  endedBy: Term['endedBy'] | undefined;
}

/** Reads the terms of a lease off its record, which it is shown after each write. */
export class TermLog {
  readonly #journal: Journal;
  readonly #terms: OpenTerm[] = [];
  #failoverMs: number | null = null;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Last write of the first term that was not released to the next acquisition. */
  get failoverMs(): number | null {
    return this.#failoverMs;
  }

  list(): readonly Term[] {
    return this.#terms.map(({ scheduler, fencingToken, endedBy = 'expired' }) => ({
      scheduler,
      fencingToken,
      endedBy,
    }));
  }

  /** Takes down what a write left behind. */
  saw(row: LeaseRow, atMs: number): void {
    const term = this.#terms.at(-1);
    if (term === undefined || row.fencingToken !== term.fencingToken) {
      this.#begin(row, atMs);
      return;
    }
    term.lastWriteMs = atMs;
    if (row.released && term.endedBy === undefined) {
      term.endedBy = 'released';
      const { scheduler, fencingToken } = term;
      this.#journal.record({ type: 'released', scheduler, fencingToken });
    }
  }

  #begin({ holder, fencingToken }: LeaseRow, atMs: number): void {
    const before = this.#terms.at(-1);
    if (before !== undefined && before.endedBy === undefined) {
      before.endedBy = holder === before.scheduler ? 'expired' : 'taken-over';
      this.#failoverMs ??= Math.round(atMs - before.lastWriteMs);
    }
    this.#terms.push({ scheduler: holder, fencingToken, lastWriteMs: atMs, endedBy: undefined });
    this.#journal.record({ type: 'acquired', scheduler: holder, fencingToken });
  }
}
