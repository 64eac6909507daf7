import type { RecordStore, RecordWrite, StoredRecord, TextWrite } from 'tenure';

/** What is wrong with a store. Each is given what a right store would do. */
export interface Mistake {
  readonly holds?: (right: boolean, write: RecordWrite, found: StoredRecord | undefined) => boolean;
  readonly apply?: (
    right: StoredRecord,
    write: RecordWrite,
    found: StoredRecord | undefined,
  ) => StoredRecord;
  /** Which record a lease name stands for. */
  readonly keyOf?: (lease: string) => string;
  /** What is told of a refused write. */
  readonly found?: (right: StoredRecord | undefined) => StoredRecord | undefined;
  readonly ignoresSignals?: boolean;
  /** Whether other writes may come between the check of a condition and the write. */
  readonly isInterrupted?: boolean;
  /** Whether a write is only remembered and never stored. */
  readonly forgets?: (write: RecordWrite) => boolean;
  readonly limits?: Partial<RecordStore['limits']>;
}

/** A record store that does everything right but for one mistake. */
export class BreakableRecords implements RecordStore {
  readonly name = 'breakable';
  readonly limits: RecordStore['limits'];
  readonly #mistake: Mistake;
  /** What the store shows. */
  readonly #shown = new Map<string, StoredRecord>();
  /** What is stored. */
  readonly #stored = new Map<string, StoredRecord>();

  constructor(mistake: Mistake) {
    this.#mistake = mistake;
    this.limits = {
      expiry: 'observed',
      minDurationMs: 1,
      maxDurationMs: 2_147_483_647,
      granularityMs: 1,
      ...mistake.limits,
    };
  }

  async read(...[lease, call]: Parameters<RecordStore['read']>): ReturnType<RecordStore['read']> {
    this.#checkSignal(call);
    return this.#shown.get(this.#keyOf(lease));
  }

  async write(
    ...[lease, write, call]: Parameters<RecordStore['write']>
  ): ReturnType<RecordStore['write']> {
    this.#checkSignal(call);
    const { holds, apply, found: told, isInterrupted, forgets } = this.#mistake;
    const key = this.#keyOf(lease);
    const found = this.#shown.get(key);
    const right = isAllowed(write, found);
    if (!(holds?.(right, write, found) ?? right)) {
      return { written: false, found: told ? told(found) : found };
    }
    if (isInterrupted) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const next = merged(write, found);
    const stored = apply?.(next, write, found) ?? next;
    this.#shown.set(key, stored);
    if (!forgets?.(write)) {
      this.#stored.set(key, stored);
    }
    return { written: true };
  }

  /** What is stored, whatever the store shows. */
  raw(lease: string): StoredRecord | undefined {
    return this.#stored.get(this.#keyOf(lease));
  }

  #keyOf(lease: string): string {
    return this.#mistake.keyOf?.(lease) ?? lease;
  }

  #checkSignal({ signal }: { readonly signal: AbortSignal }): void {
    if (!this.#mistake.ignoresSignals) {
      signal.throwIfAborted();
    }
  }
}

function isAllowed(write: RecordWrite, found: StoredRecord | undefined): boolean {
  const { replaces, version, within, released } = write;
  if (!found) {
    return replaces === 'absent';
  }
  const isExpected =
    found.version === version || (replaces !== 'absent' && replaces.includes(found.version));
  const isWithin =
    !within ||
    (found.record.holder === within.holder &&
      found.record.fencingToken === within.fencingToken &&
      (released || !found.released));
  return isExpected && isWithin;
}

function merged(write: RecordWrite, found: StoredRecord | undefined): StoredRecord {
  const { version, released, holder, fencingToken, leaseDurationMs } = write;
  const before = found?.record;
  const progress = newest(write.progress, before?.progress);
  const jobState = newest(write.jobState, before?.jobState);
  const history = write.history ?? before?.history ?? [];
  const record = { holder, fencingToken, leaseDurationMs, progress, jobState, history };
  return { version, released, record };
}

function newest(written: TextWrite, stored: string | undefined): string | undefined {
  return written === undefined ? stored : (written ?? undefined);
}
