import type { Bid, HeldLease, LeaseStore, Look, StoreCall } from '../../core/lease-store.ts';
import { withRelease } from '../../core/term-history.ts';
import { newUuid } from '../../core/uuid.ts';
import type { LeaseStoreSuiteOptions, RawLease, TestApi } from './suite-case.ts';

/** What a test says of a bid; the rest is filled in. */
export type BidChange = Partial<Bid>;

/** A term that was won, and how. */
export interface WonTerm {
  readonly bid: Bid;
  readonly held: HeldLease;
}

/** What one test of a suite works with. Its own lease name makes it independent of the others. */
export class SuiteBench {
  readonly store: LeaseStore;
  readonly expect: TestApi['expect'];
  readonly lease: string = `tenure-suite-${newUuid()}`;
  readonly leaseDurationMs: number;
  readonly #options: LeaseStoreSuiteOptions;

  private constructor(
    store: LeaseStore,
    options: LeaseStoreSuiteOptions,
    expect: TestApi['expect'],
  ) {
    this.store = store;
    this.#options = options;
    this.expect = expect;
    const { minDurationMs, maxDurationMs, granularityMs } = store.limits;
    const usual = 15_000;
    const fits = minDurationMs <= usual && usual <= maxDurationMs && usual % granularityMs === 0;
    this.leaseDurationMs = options.leaseDurationMs ?? (fits ? usual : minDurationMs);
  }

  static async create(
    options: LeaseStoreSuiteOptions,
    expect: TestApi['expect'],
  ): Promise<SuiteBench> {
    return new SuiteBench(await options.createStore(), options, expect);
  }

  /** For one call, which the time limit of the test runner bounds. */
  get call(): StoreCall {
    return { signal: new AbortController().signal };
  }

  /** Whether the store judges expiry itself, as the options of the suite have it. */
  get expires(): boolean {
    return this.#options.passLease !== undefined;
  }

  look(lease: string = this.lease): Promise<Look> {
    return this.store.look(lease, this.call);
  }

  /** A bid by `a` with token 33, unless `change` says otherwise. */
  bid(look: Look, change: BidChange = {}): Bid {
    const { holder = 'a', fencingToken = 33 } = change;
    return {
      attemptId: newUuid(),
      look,
      holder,
      fencingToken,
      leaseDurationMs: this.leaseDurationMs,
      history: [{ fencingToken, holder: holder.slice(0, 40) }],
      endedMarks: [],
      ...change,
    };
  }

  /** Looks, bids and must win. */
  async acquire(change: BidChange = {}, lease: string = this.lease): Promise<WonTerm> {
    return this.win(this.bid(await this.look(lease), change), lease);
  }

  /** Waits until the holder has been silent for long enough, and takes over. */
  async takeOver(change: BidChange = {}): Promise<WonTerm> {
    await this.passLease();
    return this.acquire({ holder: 'b', fencingToken: 34, ...change });
  }

  /** Sends a bid that must win. */
  async win(bid: Bid, lease: string = this.lease): Promise<WonTerm> {
    const result = await this.store.acquire(lease, bid, this.call);
    if (!result.acquired) {
      throw new Error(`the bid of ${bid.holder} was refused: found ${describeLook(result.found)}`);
    }
    return { bid, held: result.held };
  }

  /** Sends a bid that must be refused, and checks that it found what is stored. */
  async lose(bid: Bid): Promise<void> {
    const before = await this.raw();
    const result = await this.store.acquire(this.lease, bid, this.call);
    this.expect(result.acquired).toEqual(false);
    if (!result.acquired) {
      this.expect(holderOf(result.found)).toEqual(holderOf(await this.look()));
    }
    this.expect(await this.raw()).toEqual(before);
  }

  /** Gives up what `term` holds. */
  async release({ bid, held }: WonTerm): Promise<void> {
    const history = withRelease(bid.history);
    const result = await held.release({ progress: undefined, history }, this.call);
    this.expect(result.released).toEqual(true);
  }

  /** Lets a whole lease pass, or part of it, where the store judges expiry. */
  async passLease(part: number = 1): Promise<void> {
    await this.#options.passLease?.(Math.ceil(this.leaseDurationMs * part));
  }

  /** What is stored, read past the store. */
  async raw(lease: string = this.lease): Promise<unknown> {
    const found = await this.#options.readRaw(lease);
    return found ? rawOf(found) : 'nothing';
  }

  /** Checks what is stored, read past the store. */
  async expectStored(expected: Partial<RawLease>, lease: string = this.lease): Promise<void> {
    const nothing = { progress: undefined, jobState: undefined };
    const usual = { holder: 'a', fencingToken: 33, released: false, ...nothing };
    this.expect(await this.raw(lease)).toEqual(rawOf({ ...usual, ...expected }));
  }
}

/** What a look shows, without what differs from store to store. */
export function shown(look: Look): unknown {
  if (look.state === 'absent') {
    return { state: 'absent' };
  }
  const { holder, fencingToken, leaseDurationMs, progress, jobState } = look.record;
  return {
    state: look.state,
    holder,
    fencingToken: fencingToken ?? null,
    leaseDurationMs,
    progress: progress ?? null,
    jobState: jobState ?? null,
  };
}

/** The version of a look. */
export function versionOf(look: Look): string {
  return look.state === 'absent' ? '' : look.version;
}

function holderOf(look: Look): unknown {
  return look.state === 'absent'
    ? 'nobody'
    : [look.record.holder, look.record.fencingToken ?? null];
}

function describeLook(look: Look): string {
  return look.state === 'absent'
    ? 'nothing'
    : `${look.state}, holder ${look.record.holder}, token ${look.record.fencingToken}`;
}

/** Without `undefined`, about which the runners' ideas of equality differ. */
function rawOf({ holder, fencingToken, released: free, progress, jobState }: RawLease): unknown {
  return {
    holder,
    fencingToken: fencingToken ?? null,
    released: free,
    progress: progress ?? null,
    jobState: jobState ?? null,
  };
}
