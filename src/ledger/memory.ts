import type { StoreCall } from '../core/lease-store.ts';
import { requireTime } from '../core/require-time.ts';
import {
  isUnfinished,
  type LedgerPage,
  type LedgerStore,
  type LedgerWrite,
  type LedgerWriteResult,
  type StoredEntry,
} from './ledger-store.ts';
import { requirePageSize } from './place.ts';
import { decodeRecord, encodeRecord } from './record-text.ts';

/**
 * Keeps a ledger in this process, for tests. It is gone when the process ends.
 *
 * @param options - `pageSize`: how many records one page of the list looks at. Default 100.
 * @throws `RangeError` if `pageSize` does not fit.
 */
export function memoryLedgerStore(options: { readonly pageSize?: number } = {}): LedgerStore {
  return new MemoryLedgerStore(requirePageSize(options.pageSize) ?? 100);
}

class MemoryLedgerStore implements LedgerStore {
  readonly name = 'memory';
  readonly #pageSize: number;
  // As text, so that nobody who holds a record can change what is stored.
  readonly #texts = new Map<string, { readonly version: string; readonly text: string }>();

  constructor(pageSize: number) {
    this.#pageSize = pageSize;
  }

  async read(id: string, call: StoreCall): Promise<StoredEntry | undefined> {
    requireTime('the call', call.signal, { store: this.name });
    return this.#find(id);
  }

  async write(id: string, write: LedgerWrite, call: StoreCall): Promise<LedgerWriteResult> {
    requireTime('the call', call.signal, { store: this.name });
    const { writeId, record, replaces } = write;
    const found = this.#find(id);
    if (found?.version !== replaces && found?.version !== writeId) {
      return { written: false, found };
    }
    this.#texts.set(id, { version: writeId, text: encodeRecord(record) });
    return { written: true, version: writeId };
  }

  async listUnfinished(from: string | undefined, call: StoreCall): Promise<LedgerPage> {
    requireTime('the call', call.signal, { store: this.name });
    const ids = [...this.#texts.keys()].toSorted().filter((id) => from === undefined || id > from);
    const looked = ids.slice(0, this.#pageSize);
    return {
      ids: looked.filter((id) => isUnfinished(this.#find(id)?.record.state)),
      next: ids.length > this.#pageSize ? looked.at(-1) : undefined,
    };
  }

  #find(id: string): StoredEntry | undefined {
    const stored = this.#texts.get(id);
    return stored && { version: stored.version, record: decodeRecord(stored.text, this.name) };
  }
}
