import {
  LeaseRecordInvalidError,
  OutcomeUnknownError,
  type AcquireResult,
  type Bid,
  type HeldLease,
  type LeaseRecord,
  type LeaseStore,
  type CheckpointWrite,
  type Look,
  type RecordStore,
  type RecordWrite,
  type RecordWriteResult,
  type ReleaseResult,
  type RenewResult,
  type StoreCall,
  type StoredRecord,
  type StoreLimits,
} from 'tenure';
import { MemoryRecordStore } from '../../src/stores/memory/record-store.ts';

export type Operation = 'look' | 'acquire' | 'renew' | 'release' | 'abandon';

/** What happens to one call; `apply` does what the store would have done. */
export type Fault = (apply: () => Promise<unknown>, call: StoreCall) => Promise<unknown>;

export const failsWith =
  (error: unknown): Fault =>
  () =>
    Promise.reject(error);

export const losesReply: Fault = async (apply) => {
  await apply();
  throw new OutcomeUnknownError('the reply was lost', { store: 'scripted' });
};

/** Never answers, and does not listen to its signal either. */
export const hangs: Fault = () => new Promise(() => {});

/** Is applied, and never answers. */
export const hangsAfterwards: Fault = async (apply) => {
  await apply();
  return new Promise(() => {});
};

interface LoggedCall extends CheckpointWrite {
  readonly operation: Operation;
  readonly atMs: number;
  readonly bid?: Bid;
}

/** Counts the calls of a `LeaseStore` and lets some of them fail. */
export class ScriptedStore implements LeaseStore {
  readonly name = 'scripted';
  readonly limits: StoreLimits;
  readonly calls: LoggedCall[] = [];
  /** Calls without an answer so far, but for those that hang by script. */
  underWay = 0;
  readonly #store: LeaseStore;
  readonly #clock: { monotonicMs(): number };
  readonly #next = new Map<Operation, Fault[]>();
  readonly #all = new Map<Operation, Fault>();

  constructor(store: LeaseStore, clock: { monotonicMs(): number }) {
    this.#store = store;
    this.#clock = clock;
    this.limits = store.limits;
  }

  /** Lets the next calls of one operation meet these faults, one each. */
  next(operation: Operation, ...faults: readonly Fault[]): void {
    this.#next.set(operation, [...(this.#next.get(operation) ?? []), ...faults]);
  }

  /** Lets every call of these operations meet one fault, until `undefined` ends it. */
  every(operations: readonly Operation[], fault: Fault | undefined): void {
    for (const operation of operations) {
      if (fault) {
        this.#all.set(operation, fault);
      } else {
        this.#all.delete(operation);
      }
    }
  }

  count(operation: Operation): number {
    return this.calls.filter((call) => call.operation === operation).length;
  }

  /** Operations in the order in which they were called. */
  get operations(): readonly Operation[] {
    return this.calls.map(({ operation }) => operation);
  }

  look(lease: string, call: StoreCall): Promise<Look> {
    return this.#run({ operation: 'look' }, call, (inner) => this.#store.look(lease, inner));
  }

  async acquire(lease: string, bid: Bid, call: StoreCall): Promise<AcquireResult> {
    const result = await this.#run({ operation: 'acquire', bid }, call, (inner) =>
      this.#store.acquire(lease, bid, inner),
    );
    return result.acquired ? { acquired: true, held: this.#wrap(result.held) } : result;
  }

  abandon(lease: string, bid: Bid, call: StoreCall): Promise<void> {
    return this.#run({ operation: 'abandon', bid }, call, (inner) =>
      this.#store.abandon(lease, bid, inner),
    );
  }

  #wrap(held: HeldLease): HeldLease {
    const run = this.#run.bind(this);
    return {
      get marks() {
        return held.marks;
      },
      renew: (checkpoint, call): Promise<RenewResult> =>
        run({ operation: 'renew', ...checkpoint }, call, (inner) => held.renew(checkpoint, inner)),
      release: (final, call): Promise<ReleaseResult> => {
        const { history: _, ...checkpoint } = final;
        return run({ operation: 'release', ...checkpoint }, call, (inner) =>
          held.release(final, inner),
        );
      },
    };
  }

  async #run<T>(
    entry: Omit<LoggedCall, 'atMs'>,
    call: StoreCall,
    apply: (call: StoreCall) => Promise<T>,
  ): Promise<T> {
    const { operation } = entry;
    this.calls.push({ ...entry, atMs: this.#clock.monotonicMs() });
    const fault = this.#next.get(operation)?.shift() ?? this.#all.get(operation);
    // What is applied late or in secret must not see that the caller has stopped waiting.
    const unbounded = { signal: new AbortController().signal };
    this.underWay += fault === hangs || fault === hangsAfterwards ? 0 : 1;
    try {
      return (await (fault ? fault(() => apply(unbounded), call) : apply(call))) as T;
    } finally {
      this.underWay -= 1;
    }
  }
}

const strangers: LeaseRecord = {
  holder: 'stranger',
  fencingToken: 1,
  leaseDurationMs: 15_000,
  progress: undefined,
  jobState: undefined,
  history: [],
};

/** Records that a test can delete, break and rewrite behind everybody's back. */
export class RawRecords implements RecordStore {
  readonly name = 'memory';
  readonly limits: StoreLimits = new MemoryRecordStore().limits;
  #records = new MemoryRecordStore();
  #broken = false;

  async read(lease: string, call: StoreCall): Promise<StoredRecord | undefined> {
    this.#requireIntact(lease);
    return this.#records.read(lease, call);
  }

  async write(lease: string, write: RecordWrite, call: StoreCall): Promise<RecordWriteResult> {
    this.#requireIntact(lease);
    return this.#records.write(lease, write, call);
  }

  /** Deletes everything. */
  delete(): void {
    this.#records = new MemoryRecordStore();
  }

  /** Makes what is stored unreadable, or readable again. */
  break(broken = true): void {
    this.#broken = broken;
  }

  /** What is stored now. */
  stored(lease = 'orders'): Promise<StoredRecord | undefined> {
    return this.#records.read(lease, { signal: new AbortController().signal });
  }

  /** Writes over what is stored, whatever it is. */
  async overwrite(change: Partial<RecordWrite>, lease = 'orders'): Promise<void> {
    const before = await this.stored(lease);
    const { holder, fencingToken = 1, leaseDurationMs } = before?.record ?? strangers;
    await this.#records.write(
      lease,
      {
        version: crypto.randomUUID(),
        replaces: before ? [before.version] : 'absent',
        released: before?.released === true,
        holder,
        fencingToken,
        leaseDurationMs,
        progress: undefined,
        jobState: undefined,
        history: undefined,
        ...change,
      },
      { signal: new AbortController().signal },
    );
  }

  #requireIntact(lease: string): void {
    if (this.#broken) {
      const context = { lease, store: this.name };
      throw new LeaseRecordInvalidError('malformed', 'no lease record is stored', context);
    }
  }
}
