import { isDeepStrictEqual } from 'node:util';
import { systemClock, type Clock } from '../core/clock.ts';
import { positiveMs, requireNumber, requireObject } from '../core/requirements.ts';
import { hasCode, LedgerEntryInvalidError } from '../core/errors.ts';
import { invalidEntry } from './record-text.ts';
import { idempotencyKeyOf, hashOf, requireKey } from './ledger-key.ts';
import type {
  Effect,
  Finding,
  Ledger,
  LedgerEntry,
  OnceOptions,
  OnceOutcome,
  ReconcileResult,
} from './ledger.ts';
import { entryOf } from './ledger-entry.ts';
import { LedgerRecords } from './ledger-records.ts';
import { isUnfinished, type LedgerStore } from './ledger-store.ts';
import { OnceRunner } from './once.ts';
import { requireLedgerStore, requireOnce, requireResult, requireStatus } from './requirements.ts';
import { settled } from './transitions.ts';

/** Options of {@link createLedger}. */
export interface LedgerOptions {
  /** Where it is kept, such as `dynamoDbLedgerStore({ client, tableName })`. */
  readonly store: LedgerStore;
  /** Default: the clock of the system. Only its wall clock judges the age of attempts. */
  readonly clock?: Clock;
  /** Bounds one call of the store, in milliseconds. Default 2 000. */
  readonly requestTimeoutMs?: number;
  /** How long a call is repeated that got no usable answer, in milliseconds. Default 5 000. */
  readonly retryForMs?: number;
}

/**
 * A ledger of effects, for downstreams that cannot check fencing tokens. Make one per process, at
 * module scope in a function: concurrent calls share, and what a store outage kept from being
 * recorded is recorded later, only within one ledger.
 *
 * Each effect takes place once if the downstream honours its idempotency key for as long as
 * `keyHonouredForMs` says; otherwise never twice without an `unknown` entry left for a person first;
 * provided that clocks agree, and no process is stopped between the last check and its request,
 * within one hour.
 *
 * @throws `TypeError` or `RangeError` naming the option that does not fit.
 */
export function createLedger(options: LedgerOptions): Ledger {
  requireObject('options', options, 'an object with store');
  const { clock = systemClock, requestTimeoutMs = 2_000, retryForMs = 5_000 } = options;
  const records = new LedgerRecords(requireLedgerStore(options.store), {
    clock,
    requestTimeoutMs: requireNumber('requestTimeoutMs', requestTimeoutMs, positiveMs),
    retryForMs: requireNumber('retryForMs', retryForMs, positiveMs),
  });
  return new StoredLedger(records, clock);
}

/** A call of `once` under way. */
interface CallUnderWay {
  readonly requestHash: string;
  readonly fencingToken: number;
  readonly outcome: Promise<OnceOutcome>;
}

class StoredLedger implements Ledger {
  readonly #records: LedgerRecords;
  readonly #runner: OnceRunner;
  readonly #underWay = new Map<string, CallUnderWay>();

  constructor(records: LedgerRecords, clock: Clock) {
    this.#records = records;
    this.#runner = new OnceRunner(records, clock);
  }

  async once(options: OnceOptions, effect: Effect): Promise<OnceOutcome> {
    requireOnce(options, effect);
    const { keyHonouredForMs, leadership } = options;
    const key = requireKey(options.key);
    const id = idempotencyKeyOf(key);
    const call = { id, key, requestHash: hashOf(options.request), keyHonouredForMs, leadership };
    leadership.assertLeader();
    for (;;) {
      const first = this.#underWay.get(id);
      // Another request must be compared with what is stored. A failure of another term is not ours.
      if (first === undefined) {
        return this.#track(id, call.requestHash, leadership.fencingToken, () =>
          this.#runner.run(call, effect),
        );
      }
      const shared = first.requestHash === call.requestHash;
      if (shared && first.fencingToken === leadership.fencingToken) {
        return first.outcome;
      }
      const outcome = await first.outcome.catch(() => undefined);
      // What is unknown to another term is still to be asked for under this one.
      if (shared && outcome !== undefined && outcome.status !== 'unknown') {
        return outcome;
      }
    }
  }

  async *unfinished({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<
    LedgerEntry,
    void
  > {
    const invalid: unknown[] = [];
    for await (const id of this.#records.unfinishedIds(signal)) {
      const entry = await this.#unfinishedEntry(id, signal).catch((error: unknown) => {
        if (!hasCode(error, 'LEDGER_ENTRY_INVALID')) {
          throw error;
        }
        // One that nobody can read must not hide the others.
        const { storeName: store } = this.#records;
        invalid.push(
          new LedgerEntryInvalidError(`entry ${id} cannot be read`, { store, cause: error }),
        );
        return undefined;
      });
      if (entry !== undefined) {
        yield entry;
      }
    }
    if (invalid.length > 0) {
      throw invalid.length === 1
        ? invalid[0]
        : new AggregateError(invalid, `${invalid.length} entries of the ledger are not valid`);
    }
  }

  async #unfinishedEntry(
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<LedgerEntry | undefined> {
    const stored = await this.#records.read(id, signal);
    // Between the list and this look it may have been settled.
    if (stored === undefined || !isUnfinished(stored.record.state)) {
      return undefined;
    }
    const entry = entryOf(stored);
    if (entry?.idempotencyKey !== id) {
      throw invalidEntry('its key belongs elsewhere', this.#records.storeName);
    }
    return entry;
  }

  async reconcile(entry: LedgerEntry, finding: Finding): Promise<ReconcileResult> {
    const { status } = finding;
    requireStatus(status);
    const result = requireResult(finding.result);
    const id = idempotencyKeyOf(requireKey(entry.key));
    const { meaning, stored } = await this.#records.change(id, (found) => {
      const record = found?.record;
      if (record === undefined || !isUnfinished(record.state) || found?.version !== entry.version) {
        const same = record?.state === status && isDeepStrictEqual(record.result, result);
        return { write: undefined, meaning: same };
      }
      return { write: settled(record, { status, result }), meaning: true };
    });
    const current = stored && entryOf(stored);
    return meaning && current
      ? { reconciled: true, entry: current }
      : { reconciled: false, found: current };
  }

  #track(
    id: string,
    requestHash: string,
    fencingToken: number,
    run: () => Promise<OnceOutcome>,
  ): Promise<OnceOutcome> {
    const outcome = run().finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { requestHash, fencingToken, outcome });
    return outcome;
  }
}
