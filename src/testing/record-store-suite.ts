import type { StoreCall } from '../core/lease-store.ts';
import {
  maxVersions,
  type RecordStore,
  type RecordWrite,
  type RecordWriteResult,
  type StoredRecord,
} from '../core/record-store.ts';
import { newUuid } from '../core/uuid.ts';
import type { RawLease, TestApi } from './lease-store-suite/suite-case.ts';
import { creation, release, renewal, takeOver } from './record-writes.ts';

/** What the suite must know of the store under test. */
export interface RecordStoreSuiteOptions {
  /** Makes a store. Called once per test; all of them may share one table or map. */
  readonly createStore: () => RecordStore | Promise<RecordStore>;
  /** Reads what is stored by another way than the store's own code; `undefined` if nothing is. */
  readonly readRaw: (lease: string) => Promise<RawLease | undefined>;
}

/**
 * Registers the tests of a `RecordStore` that only the order of single writes can show: requests
 * that arrive late, as they were sent. For all the rest pass `recordLeaseStore(store)` to
 * {@link leaseStoreSuite}.
 */
export function recordStoreSuite(api: TestApi, options: RecordStoreSuiteOptions): void {
  const { describe, it, expect } = api;
  describe('RecordStore contract', () => {
    for (const [name, run] of Object.entries(cases)) {
      it(name, async () => {
        await run(new RecordBench(await options.createStore(), options, expect));
      });
    }
  });
}

/** What one test works with: the writes of one lease. */
class RecordBench {
  readonly expect: TestApi['expect'];
  readonly #store: RecordStore;
  readonly #options: RecordStoreSuiteOptions;
  readonly #lease: string = `tenure-suite-${newUuid()}`;

  constructor(store: RecordStore, options: RecordStoreSuiteOptions, expect: TestApi['expect']) {
    this.#store = store;
    this.#options = options;
    this.expect = expect;
  }

  /** Sends a write that must be applied; returns its version. */
  async applied(write: RecordWrite): Promise<string> {
    const { written } = await this.#send(write);
    this.expect(written).toEqual(true);
    const stored = await this.#read();
    const { holder, fencingToken, released } = write;
    this.expect(stored && [stored.version, stored.released]).toEqual([write.version, released]);
    const raw = await this.#options.readRaw(this.#lease);
    this.expect(raw && [raw.holder, raw.fencingToken, raw.released]).toEqual([
      holder,
      fencingToken,
      released,
    ]);
    return write.version;
  }

  /** Sends a write that must be refused, say what is stored and change nothing. */
  async refused(write: RecordWrite): Promise<void> {
    const [before, rawBefore] = await this.#snapshot();
    const result = await this.#send(write);
    this.expect(result.written).toEqual(false);
    if (!result.written) {
      this.expect(result.found?.version ?? 'nothing').toEqual(before?.version ?? 'nothing');
    }
    this.expect(await this.#snapshot()).toEqual([before, rawBefore]);
  }

  /** Sends a write that was applied already: it succeeds and changes nothing. */
  async repeated(write: RecordWrite): Promise<void> {
    const before = await this.#snapshot();
    this.expect((await this.#send(write)).written).toEqual(true);
    this.expect(await this.#snapshot()).toEqual(before);
  }

  /** Sends writes at the same time; returns those that were applied. */
  async together(writes: readonly RecordWrite[]): Promise<readonly RecordWrite[]> {
    const results = await Promise.all(writes.map((write) => this.#send(write)));
    return writes.filter((_, index) => results[index]?.written);
  }

  #send(write: RecordWrite): Promise<RecordWriteResult> {
    return this.#store.write(this.#lease, write, unbounded());
  }

  #read(): Promise<StoredRecord | undefined> {
    return this.#store.read(this.#lease, unbounded());
  }

  async #snapshot(): Promise<[StoredRecord | undefined, RawLease | undefined]> {
    return [await this.#read(), await this.#options.readRaw(this.#lease)];
  }
}

function unbounded(): StoreCall {
  return { signal: new AbortController().signal };
}

const cases: Readonly<Record<string, (bench: RecordBench) => Promise<void>>> = {
  'replaces whichever of the named versions is stored': async (bench) => {
    const first = await bench.applied(creation());
    const others = Array.from({ length: maxVersions - 1 }, newUuid);
    const second = await bench.applied(renewal([...others, first]));
    const third = await bench.applied(renewal([second, ...others]));
    await bench.applied(release([first, third]));
  },
  'refuses a write that does not name the stored version': async (bench) => {
    await bench.refused(renewal([newUuid()]));
    const first = await bench.applied(creation());
    await bench.refused(creation({ holder: 'b' }));
    await bench.refused(takeOver(newUuid()));
    await bench.refused(renewal([newUuid()]));
    await bench.refused(release([newUuid()]));
    await bench.applied(takeOver(first));
  },
  'applies a write once, however often it arrives': async (bench) => {
    const write = creation();
    const first = await bench.applied(write);
    await bench.repeated(write);
    const renew = renewal([first], { progress: '1', jobState: '2' });
    const second = await bench.applied(renew);
    await bench.repeated(renew);
    const free = release([second], { progress: null, jobState: null });
    const third = await bench.applied(free);
    await bench.repeated(free);
    const take = takeOver(third, { progress: undefined, jobState: undefined });
    await bench.applied(take);
    await bench.repeated(take);
  },
  'refuses a creation that arrives again after a renewal': async (bench) => {
    const write = creation();
    const first = await bench.applied(write);
    await bench.applied(renewal([first], { progress: '1' }));
    await bench.refused(write);
  },
  'refuses a takeover that arrives again after a renewal': async (bench) => {
    const take = takeOver(await bench.applied(creation()));
    const second = await bench.applied(take);
    const within = { holder: 'b', fencingToken: 34 };
    await bench.applied(renewal([second], { ...within, within }));
    await bench.refused(take);
  },
  'refuses a renewal that arrives after a newer one': async (bench) => {
    const first = await bench.applied(creation());
    const late = renewal([first], { progress: '"older"' });
    await bench.applied(renewal([first, late.version], { progress: '"newer"' }));
    await bench.refused(late);
  },
  'refuses a renewal that arrives after the release of its term': async (bench) => {
    const first = await bench.applied(creation());
    const late = renewal([first], { progress: '"older"' });
    await bench.applied(release([first, late.version]));
    await bench.refused(late);
  },
  'refuses a renewal and a release that arrive after a takeover': async (bench) => {
    const first = await bench.applied(creation());
    const late = renewal([first], { progress: '"older"' });
    await bench.applied(takeOver(first));
    await bench.refused(late);
    await bench.refused(release([first, late.version]));
  },
  'accepts a renewal that arrives late but before the next, which names it': async (bench) => {
    const first = await bench.applied(creation());
    const late = renewal([first], { progress: '"older"' });
    const next = renewal([first, late.version], { progress: '"newer"' });
    await bench.applied(late);
    await bench.applied(next);
    await bench.refused(late);
  },
  'refuses a write within another holder, another token or a released record': async (bench) => {
    const seen = [await bench.applied(creation())];
    await bench.refused(renewal(seen, { within: { holder: 'b', fencingToken: 33 } }));
    await bench.refused(renewal(seen, { within: { holder: 'a', fencingToken: 34 } }));
    await bench.refused(release(seen, { within: { holder: 'b', fencingToken: 33 } }));
    await bench.refused(release(seen, { within: { holder: 'a', fencingToken: 34 } }));
    const free = await bench.applied(release(seen));
    await bench.refused(renewal([free]));
  },
  'applies one of many writes that name the same version': async (bench) => {
    const first = await bench.applied(creation());
    const writes = Array.from({ length: 8 }, (_, index) =>
      takeOver(first, { fencingToken: 34 + index }),
    );
    const applied = await bench.together(writes);
    bench.expect(applied.length).toEqual(1);
    for (const write of applied) {
      await bench.repeated(write);
    }
  },
};
