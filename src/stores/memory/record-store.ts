import type { StoreCall, StoreLimits } from '../../core/lease-store.ts';
import type {
  RecordStore,
  RecordWrite,
  RecordWriteResult,
  StoredRecord,
} from '../../core/record-store.ts';
import { memoryLimits } from './limits.ts';

/** The reference `RecordStore`: linearizable because nothing in a call is asynchronous. */
export class MemoryRecordStore implements RecordStore {
  readonly name = 'memory';
  readonly limits: StoreLimits = memoryLimits('observed');
  readonly #records = new Map<string, StoredRecord>();

  async read(lease: string, call: StoreCall): Promise<StoredRecord | undefined> {
    call.signal.throwIfAborted();
    return this.#records.get(lease);
  }

  async write(lease: string, write: RecordWrite, call: StoreCall): Promise<RecordWriteResult> {
    call.signal.throwIfAborted();
    const found = this.#records.get(lease);
    if (!holds(write, found)) {
      return { written: false, found };
    }
    this.#records.set(lease, apply(write, found));
    return { written: true };
  }
}

function holds(write: RecordWrite, found: StoredRecord | undefined): boolean {
  if (!found) {
    return write.replaces === 'absent';
  }
  const replaceable =
    found.version === write.version ||
    (write.replaces !== 'absent' && write.replaces.includes(found.version));
  return replaceable && isWithin(write, found);
}

function isWithin({ within, released }: RecordWrite, found: StoredRecord): boolean {
  return (
    !within ||
    (found.record.holder === within.holder &&
      found.record.fencingToken === within.fencingToken &&
      (released || !found.released))
  );
}

function apply(write: RecordWrite, found: StoredRecord | undefined): StoredRecord {
  return {
    version: write.version,
    released: write.released,
    record: {
      holder: write.holder,
      fencingToken: write.fencingToken,
      leaseDurationMs: write.leaseDurationMs,
      progress:
        write.progress === undefined ? found?.record.progress : (write.progress ?? undefined),
      jobState:
        write.jobState === undefined ? found?.record.jobState : (write.jobState ?? undefined),
      history: write.history ?? found?.record.history ?? [],
    },
  };
}
