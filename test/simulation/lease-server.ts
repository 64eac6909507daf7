import type { LeaseStore, Look } from '../../src/core/lease-store.ts';
import type { RecordStore, StoredRecord } from '../../src/core/record-store.ts';
import type { Request } from './history.ts';
import type { SimProcess } from './sim-process.ts';

/** The name of the lease of every schedule. */
export const leaseName = 'lease';

/** A call that nothing aborts: what a client gives up goes on at the store. */
export const unbounded = { signal: new AbortController().signal };

/** The store's side: handles requests one after the other and keeps the log of what it did. */
export class LeaseServer {
  readonly #look: () => Promise<Look>;
  readonly #storeMs: () => number;

  constructor(look: () => Promise<Look>, storeMs: () => number) {
    this.#look = look;
    this.#storeMs = storeMs;
  }

  /** Handles one copy of a request. No other event happens before it is done. */
  async handle<T>(
    { history }: SimProcess,
    { request, delivery }: { readonly request: Request; readonly delivery: number },
    run: () => Promise<T>,
    isGranted: (value: T) => boolean,
  ): Promise<T> {
    const storeMs = this.#storeMs();
    const before = await this.#look();
    const value = await run();
    const after = await this.#look();
    const atMs = history.nowMs;
    const granted = isGranted(value);
    history.add({ type: 'commit', atMs, storeMs, request, delivery, before, after, granted });
    return value;
  }
}

/** Reads what a table holds, as a look. */
export async function lookAtRecord(records: RecordStore): Promise<Look> {
  return lookOf(await records.read(leaseName, unbounded));
}

/** Reads what a store that judges expiry holds. */
export function lookAtLease(store: LeaseStore): Promise<Look> {
  return store.look(leaseName, unbounded);
}

/** What a stored record is to a candidate; the simulation's own words for it. */
export function lookOf(stored: StoredRecord | undefined): Look {
  if (!stored) {
    return { state: 'absent' };
  }
  const { version, released, record } = stored;
  return { state: released ? 'free' : 'held', version, mark: version, record };
}
