import { StoreUnavailableError } from '../core/errors.ts';
import { newUuid } from '../core/uuid.ts';
import type { LedgerRecord, LedgerStore, LedgerWrite, StoredEntry } from './ledger-store.ts';
import { patientCall, type PatientCall, type Patience } from './patient-calls.ts';
import type { Step } from './transitions.ts';

/** What a change came to. */
export interface Changed<Meaning> {
  readonly meaning: Meaning;
  /** What is stored now. */
  readonly stored: StoredEntry | undefined;
}

/** Ids are idempotency keys, which are UUIDs. */
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** More changes than this by others, one between each read and write, are no coincidence. */
const maxConflicts = 32;

/** The records of a store, changed by asking a pure function until its answer is what is stored. */
export class LedgerRecords {
  readonly storeName: string;
  readonly #store: LedgerStore;
  readonly #patience: Patience;

  constructor(store: LedgerStore, patience: Patience) {
    this.storeName = store.name;
    this.#store = store;
    this.#patience = patience;
  }

  read(id: string, signal?: AbortSignal): Promise<StoredEntry | undefined> {
    return this.#call({ writes: false, signal, make: (call) => this.#store.read(id, call) });
  }

  /** @param decide - Asked again, about what is found, each time that somebody else was faster. */
  async change<Meaning>(
    id: string,
    decide: (stored: StoredEntry | undefined) => Step<Meaning>,
  ): Promise<Changed<Meaning>> {
    let stored = await this.read(id);
    for (let conflicts = 0; conflicts < maxConflicts; conflicts += 1) {
      const { meaning, write } = decide(stored);
      if (write === undefined) {
        return { meaning, stored };
      }
      const result = await this.#write(id, write, stored?.version);
      if (result.written) {
        return { meaning, stored: { version: result.version, record: write } };
      }
      stored = result.found;
    }
    throw new StoreUnavailableError(`others changed the entry ${maxConflicts} times in a row`, {
      store: this.storeName,
    });
  }

  /** Ids of unfinished records, with a patient call for each page. */
  async *unfinishedIds(signal: AbortSignal | undefined): AsyncGenerator<string, void> {
    let from: string | undefined;
    do {
      const start = from;
      const page = await this.#call({
        writes: false,
        signal,
        make: (call) => this.#store.listUnfinished(start, call),
      });
      // What is no id belongs to a ledger whose prefix begins with this one's.
      yield* page.ids.filter((id) => isId.test(id));
      from = page.next;
    } while (from !== undefined);
  }

  #write(
    id: string,
    record: LedgerRecord,
    replaces: string | undefined,
  ): ReturnType<LedgerStore['write']> {
    const write: LedgerWrite = { writeId: newUuid(), record, replaces };
    return this.#call({ writes: true, make: (call) => this.#store.write(id, write, call) });
  }

  #call<T>(call: Omit<PatientCall<T>, 'store'>): Promise<T> {
    return patientCall(this.#patience, { ...call, store: this.storeName });
  }
}
