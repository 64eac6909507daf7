import type { Clock } from '../core/clock.ts';
import { LedgerRequestChangedError, StaleTokenError } from '../core/errors.ts';
import type { Leadership } from '../core/leadership.ts';
import { newUuid } from '../core/uuid.ts';
import { entryOf } from './ledger-entry.ts';
import type { Changed, LedgerRecords } from './ledger-records.ts';
import type { StoredEntry } from './ledger-store.ts';
import type { Effect, OnceOutcome } from './ledger.ts';
import { isNotSent, NotSentError } from './not-sent-error.ts';
import { invalidEntry } from './record-text.ts';
import { requireResult, requireStatus } from './requirements.ts';
import { begin, end, isKeyHonoured, isSettled, type Begun, type Ending } from './transitions.ts';

/** One call of `once`, checked. */
export interface OnceCall {
  /** Under this the record is stored; also the idempotency key. */
  readonly id: string;
  readonly key: readonly string[];
  readonly requestHash: string;
  readonly keyHonouredForMs: number;
  readonly leadership: Pick<Leadership, 'fencingToken' | 'assertLeader'>;
}

/** How an attempt ended, and what its caller is told once that is on record. */
interface Ended {
  readonly ending: Ending;
  /** What the effect rejected with, or what was wrong with its outcome. */
  readonly error?: unknown;
  /** Whether the caller is told by a rejection with `error`. */
  readonly rejects: boolean;
}

/** Makes attempts: on record first, then the checks and the effect, then its outcome on record. */
export class OnceRunner {
  readonly #records: LedgerRecords;
  readonly #clock: Clock;
  /** Endings that a store outage kept from being recorded, by record and attempt. */
  readonly #unrecorded = new Map<string, Map<string, Ending>>();

  constructor(records: LedgerRecords, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  async run(call: OnceCall, effect: Effect): Promise<OnceOutcome> {
    for (const [attemptId, ending] of this.#unrecorded.get(call.id) ?? []) {
      await this.#end(call.id, attemptId, ending);
    }
    const attemptId = newUuid();
    const { meaning, stored } = await this.#begin(call, attemptId);
    if (meaning !== 'begun' || stored === undefined) {
      return this.#withoutEffect(call, meaning, stored);
    }
    const ended = await this.#attempt(call, stored, effect);
    return this.#conclude(call, attemptId, ended);
  }

  async #begin(call: OnceCall, attemptId: string): Promise<Changed<Begun>> {
    const { id, key, keyHonouredForMs, leadership, requestHash } = call;
    const { fencingToken } = leadership;
    const attempt = { attemptId, fencingToken, startedMs: this.#clock.wallMs() };
    try {
      return await this.#records.change(id, (found) => {
        const nowMs = this.#clock.wallMs();
        return begin(found?.record, { key, requestHash, attempt, keyHonouredForMs, nowMs });
      });
    } catch (error) {
      // It may be on record all the same, and only this process knows that nothing was sent.
      this.#remember(id, attemptId, { status: 'not-sent' });
      throw error;
    }
  }

  #withoutEffect(
    { leadership }: OnceCall,
    meaning: Begun,
    stored: StoredEntry | undefined,
  ): OnceOutcome {
    const store = this.#records.storeName;
    if (meaning === 'stale') {
      throw this.#stale(leadership.fencingToken, stored);
    }
    if (meaning === 'changed') {
      throw new LedgerRequestChangedError(
        'the ledger has an entry under this key for another request; a request that differs needs a key of its own',
        { store },
      );
    }
    const outcome = stored && outcomeOf(stored);
    if (meaning === 'foreign' || outcome === undefined) {
      throw invalidEntry('it is that of another key', store);
    }
    return outcome;
  }

  /** Checks and effect are one stretch of code: no `await` may come between them. */
  async #attempt(call: OnceCall, stored: StoredEntry, effect: Effect): Promise<Ended> {
    try {
      call.leadership.assertLeader();
      this.#assertKeyHonoured(call, stored);
    } catch (error) {
      return { ending: { status: 'not-sent' }, error, rejects: true };
    }
    try {
      return endedBy(await effect({ idempotencyKey: call.id }));
    } catch (error) {
      return isNotSent(error)
        ? { ending: { status: 'not-sent' }, error, rejects: true }
        : { ending: { status: 'unknown' }, error, rejects: false };
    }
  }

  #assertKeyHonoured({ keyHonouredForMs }: OnceCall, { record }: StoredEntry): void {
    const nowMs = this.#clock.wallMs();
    if (keyHonouredForMs > 0 && !isKeyHonoured(record, { keyHonouredForMs, nowMs })) {
      throw new NotSentError('the idempotency key may not be honoured any more');
    }
  }

  async #conclude(call: OnceCall, attemptId: string, ended: Ended): Promise<OnceOutcome> {
    const { ending, error, rejects } = ended;
    const { meaning: recorded, stored } = await this.#end(call.id, attemptId, ending).catch(
      (failure: unknown) => {
        throw rejects ? error : failure;
      },
    );
    if (rejects) {
      throw error;
    }
    return recorded || (stored && isSettled(stored.record))
      ? outcomeOr(error, stored)
      : this.#superseded(call, ended, stored);
  }

  /** What the caller is told if the entry is gone, or that of a newer attempt. */
  #superseded(
    { leadership }: OnceCall,
    { ending, error }: Ended,
    stored: StoredEntry | undefined,
  ): OnceOutcome {
    if (stored && stored.record.fencingToken > leadership.fencingToken) {
      throw this.#stale(leadership.fencingToken, stored, error);
    }
    // The newer attempt is of this very term: what the downstream said stands.
    return 'result' in ending ? ending : outcomeOr(error, stored);
  }

  async #end(id: string, attemptId: string, ending: Ending): Promise<Changed<boolean>> {
    try {
      const changed = await this.#records.change(id, (found) =>
        end(found?.record, attemptId, ending),
      );
      if (changed.stored === undefined && ending.status !== 'not-sent') {
        // Deleted, or hidden by an answer that was not the store's: `done` must not be told while
        // nothing is on record. The ending is kept for the next call in this process.
        throw invalidEntry(
          'it is gone, although an attempt was under way',
          this.#records.storeName,
        );
      }
      this.#forget(id, attemptId);
      return changed;
    } catch (error) {
      this.#remember(id, attemptId, ending);
      throw error;
    }
  }

  #remember(id: string, attemptId: string, ending: Ending): void {
    const endings = this.#unrecorded.get(id) ?? new Map<string, Ending>();
    this.#unrecorded.set(id, endings.set(attemptId, ending));
  }

  #forget(id: string, attemptId: string): void {
    const endings = this.#unrecorded.get(id);
    if (endings?.delete(attemptId) && endings.size === 0) {
      this.#unrecorded.delete(id);
    }
  }

  #stale(fencingToken: number, stored: StoredEntry | undefined, cause?: unknown): StaleTokenError {
    const highestToken = stored?.record.fencingToken ?? fencingToken;
    const context = { store: this.#records.storeName, fencingToken, highestToken };
    return new StaleTokenError(
      `fencing token ${fencingToken} is stale: the ledger has seen ${highestToken} under this key`,
      cause === undefined ? context : { ...context, cause },
    );
  }
}

/** What the caller is told about an entry; `undefined` if it is as if there were none. */
function outcomeOf(stored: StoredEntry, error?: unknown): OnceOutcome | undefined {
  const { record } = stored;
  if (isSettled(record)) {
    return { status: record.state, result: record.result };
  }
  const entry = entryOf(stored);
  return entry && { status: 'unknown', entry, ...(error === undefined ? {} : { error }) };
}

function outcomeOr(error: unknown, stored: StoredEntry | undefined): OnceOutcome {
  const outcome = stored && outcomeOf(stored, error);
  if (outcome === undefined) {
    throw error;
  }
  return outcome;
}

/** The outcome of an effect. It has taken place, so one that does not fit is recorded, then told. */
function endedBy(outcome: unknown): Ended {
  const { status, result } = membersOf(outcome);
  try {
    requireStatus(status);
  } catch (error) {
    return { ending: { status: 'unknown' }, error, rejects: true };
  }
  try {
    return { ending: { status, result: requireResult(result) }, rejects: false };
  } catch (error) {
    return { ending: { status, result: undefined }, error, rejects: true };
  }
}

function membersOf(value: unknown): { readonly status?: unknown; readonly result?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
