/**
 * What really happened at the store, seen by the proxies in front of it and not claimed by anyone.
 *
 * @module
 */
import { deferred, type Deferred } from './deferred.ts';
import type { DemoStore } from './demo-store.ts';
import { operationOf, type Exchange, type ProxiedRequest } from './http-proxy.ts';
import type { Journal } from './journal.ts';
import { TermLog, type Term } from './term-log.ts';

/** Counts and terms of one run. */
export interface AuditResult {
  readonly staleWritesRejected: number;
  readonly staleWritesAccepted: number;
  /** Last write of a term that was not released to the next acquisition; `null` if none was. */
  readonly failoverMs: number | null;
  readonly terms: readonly Term[];
}

/** Options of {@link StoreAudit}. */
export interface StoreAuditOptions {
  readonly store: Pick<DemoStore, 'leaseTable' | 'chargesTable' | 'readLease'>;
  readonly journal: Journal;
  /** Milliseconds since an arbitrary origin. */
  readonly nowMs: () => number;
}

const writes: ReadonlySet<string | undefined> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/**
 * Judges each write by its fencing token.
 *
 * A write is stale if the store has seen a higher token before, in the lease or in any charge row.
 * That is stricter than the guarantee, which is about one row at a time. "Before" is exact: writes
 * reach the store one at a time, and after each one of the lease its row is read back, so the order
 * in which the store applied them is known.
 */
export class StoreAudit {
  readonly #options: StoreAuditOptions;
  readonly #turns = new WeakMap<ProxiedRequest, Deferred>();
  readonly #terms: TermLog;
  readonly #failures: unknown[] = [];
  #lastTurn: Promise<void> = Promise.resolve();
  #judged: Promise<unknown> = Promise.resolve();
  #staleWritesRejected = 0;
  #staleWritesAccepted = 0;
  #highestToken = 0;

  constructor(options: StoreAuditOptions) {
    this.#options = options;
    this.#terms = new TermLog(options.journal);
  }

  /** Resolves when `request` may go to the store; reads need not wait. */
  async turnOf(request: ProxiedRequest): Promise<void> {
    if (!writes.has(operationOf(request))) {
      return;
    }
    const before = this.#lastTurn;
    const turn = deferred();
    this.#turns.set(request, turn);
    this.#lastTurn = turn.promise;
    await before;
  }

  /** Takes down an exchange that the store has answered, and lets the next write go. */
  observe(scheduler: string, exchange: Exchange): void {
    const turn = this.#turns.get(exchange.request);
    if (turn === undefined) {
      return;
    }
    const atMs = this.#options.nowMs();
    const judged = this.#judge(scheduler, exchange, atMs)
      .catch((error: unknown) => this.#failures.push(error))
      .finally(turn.resolve);
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
      failoverMs: this.#terms.failoverMs,
      terms: this.#terms.list(),
    };
  }

  async #judge(scheduler: string, exchange: Exchange, atMs: number): Promise<void> {
    const { store } = this.#options;
    const write = writeIn(exchange.request.body);
    if (write.table === store.leaseTable && exchange.status === 200) {
      // The request says what was wanted, in expressions; the row says what came of it.
      const row = await store.readLease();
      if (row !== undefined) {
        this.#terms.saw(row, atMs);
        this.#highestToken = Math.max(this.#highestToken, row.fencingToken);
      }
    }
    if (write.table === store.chargesTable) {
      this.#judgeCharge(scheduler, write, exchange);
    }
  }

  #judgeCharge(scheduler: string, write: Write, { status, responseBody }: Exchange): void {
    const { journal } = this.#options;
    const { customerId, fencingToken } = write;
    const highestToken = this.#highestToken;
    const stale = fencingToken !== undefined && fencingToken < highestToken;
    const accepted = status === 200;
    // Any other answer, such as a throttled request, says nothing about fencing.
    if (!accepted && !(stale && responseBody.includes('ConditionalCheckFailedException'))) {
      return;
    }
    if (stale) {
      this.#staleWritesAccepted += accepted ? 1 : 0;
      this.#staleWritesRejected += accepted ? 0 : 1;
    }
    this.#highestToken = Math.max(highestToken, (accepted && fencingToken) || 0);
    const seen = { customerId, fencingToken, accepted, highestToken, stale };
    journal.record({ type: 'row', scheduler, ...seen });
  }
}

/** The parts of a DynamoDB write request that are judged. */
interface Write {
  readonly table: string | undefined;
  readonly customerId: string;
  readonly fencingToken: number | undefined;
}

interface WriteBody {
  readonly TableName?: string;
  readonly Item?: {
    readonly customerId?: { readonly S?: string };
    readonly fencingToken?: { readonly N?: string };
  };
}

function writeIn(body: string): Write {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a request of our own schedulers
  const { TableName, Item } = JSON.parse(body) as WriteBody;
  const token = Item?.fencingToken?.N;
  return {
    table: TableName,
    customerId: Item?.customerId?.S ?? '',
    fencingToken: token === undefined ? undefined : Number(token),
  };
}
