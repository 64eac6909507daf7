/**
 * What really happened at the store, seen by the proxies in front of it and not claimed by anyone.
 *
 * @module
 */
import { deferred, type Deferred } from './deferred.ts';
import type { DemoStore, StoreWrite } from './demo-store.ts';
import type { Exchange, ProxiedRequest } from './http-proxy.ts';
import type { Journal } from './journal.ts';
import { TermLog, type Term } from './term-log.ts';

/** Counts and terms of one run. */
export interface AuditResult {
  readonly staleWritesRejected: number;
  readonly staleWritesAccepted: number;
  /**
   * Writes that were accepted although the lease had a newer leader, of rows that no newer leader had
   * touched. No failure: a row compares tokens, and had nothing to compare with.
   */
  readonly lateCreations: number;
  /** Last write of a term that was not released to the next acquisition; `null` if none was. */
  readonly failoverMs: number | null;
  readonly terms: readonly Term[];
}

/** Options of {@link StoreAudit}. */
export interface StoreAuditOptions {
  readonly store: Pick<DemoStore, 'traffic' | 'readLease'>;
  readonly journal: Journal;
  /** Milliseconds since an arbitrary origin. */
  readonly nowMs: () => number;
}

/**
 * Judges each write by its fencing token, as the guarantee does: one row at a time.
 *
 * A write is stale if its row has been written under a higher token before. A write under a lower
 * token than the lease has had, to a row that nobody has written under a higher one, is late: the row
 * cannot know, so that is counted apart. "Before" is exact: writes reach the store one at a time, and
 * after each one of the lease its record is read back, so the order in which the store applied them
 * is known.
 */
export class StoreAudit {
  readonly #options: StoreAuditOptions;
  readonly #turns = new WeakMap<ProxiedRequest, Turn>();
  readonly #terms: TermLog;
  readonly #failures: unknown[] = [];
  #lastTurn: Promise<void> = Promise.resolve();
  #judged: Promise<unknown> = Promise.resolve();
  #staleWritesRejected = 0;
  #staleWritesAccepted = 0;
  #lateCreations = 0;
  #highestOfLease = 0;
  /** By customer: a run bills one period. */
  readonly #highestOfRow = new Map<string, number>();

  constructor(options: StoreAuditOptions) {
    this.#options = options;
    this.#terms = new TermLog(options.journal);
  }

  /** Resolves when `request` may go to the store; reads need not wait. */
  async turnOf(request: ProxiedRequest): Promise<void> {
    const write = this.#options.store.traffic.writeIn(request);
    if (write === undefined) {
      return;
    }
    const before = this.#lastTurn;
    const end = deferred();
    this.#turns.set(request, { write, end });
    this.#lastTurn = end.promise;
    await before;
  }

  /** Takes down an exchange that the store has answered, and lets the next write go. */
  observe(scheduler: string, exchange: Exchange): void {
    const turn = this.#turns.get(exchange.request);
    if (turn === undefined) {
      return;
    }
    const atMs = this.#options.nowMs();
    const judged = this.#judge(scheduler, turn.write, { exchange, atMs })
      .catch((error: unknown) => this.#failures.push(error))
      .finally(turn.end.resolve);
    this.#judged = Promise.all([this.#judged, judged]);
  }

  /**
   * Counts what the store has answered so far.
   *
   * @throws what kept a write from being judged, if anything did: a count that may be too low proves
   *   nothing.
   */
  async result(): Promise<AuditResult> {
    await this.#judged;
    if (this.#failures.length > 0) {
      throw this.#failures[0];
    }
    return {
      staleWritesRejected: this.#staleWritesRejected,
      staleWritesAccepted: this.#staleWritesAccepted,
      lateCreations: this.#lateCreations,
      failoverMs: this.#terms.failoverMs,
      terms: this.#terms.list(),
    };
  }

  async #judge(
    scheduler: string,
    write: StoreWrite,
    { exchange, atMs }: { readonly exchange: Exchange; readonly atMs: number },
  ): Promise<void> {
    const { store } = this.#options;
    const verdict = store.traffic.verdictOn(exchange);
    if (write.of === 'lease' && verdict === 'applied') {
      // The request says what was wanted, in expressions; the record says what came of it.
      const row = await store.readLease();
      if (row !== undefined) {
        this.#terms.saw(row, atMs);
        this.#highestOfLease = Math.max(this.#highestOfLease, row.fencingToken);
      }
    }
    // Any other answer, such as to a throttled request, says nothing about fencing.
    if (write.of === 'charge' && verdict !== 'neither') {
      this.#judgeCharge(scheduler, write, verdict === 'applied');
    }
  }

  #judgeCharge(
    scheduler: string,
    { customerId, fencingToken }: ChargeWrite,
    accepted: boolean,
  ): void {
    const highestToken = this.#highestOfRow.get(customerId) ?? 0;
    // Without leases there are no tokens, and nothing is stale or late.
    const token = fencingToken ?? Number.POSITIVE_INFINITY;
    const stale = token < highestToken;
    const late = !stale && token < this.#highestOfLease;
    if (accepted) {
      this.#highestOfRow.set(customerId, Math.max(highestToken, fencingToken ?? 0));
      this.#staleWritesAccepted += stale ? 1 : 0;
      this.#lateCreations += late ? 1 : 0;
    } else if (stale) {
      this.#staleWritesRejected += 1;
    } else {
      return;
    }
    const seen = { customerId, fencingToken, accepted, highestToken, stale, late };
    this.#options.journal.record({ type: 'row', scheduler, ...seen });
  }
}

type ChargeWrite = Extract<StoreWrite, { readonly of: 'charge' }>;

/** A write on its way, and what ends its turn. */
interface Turn {
  readonly write: StoreWrite;
  readonly end: Deferred;
}
