import type { CheckpointWrite, Look } from '../../src/core/lease-store.ts';

export type OperationKind = 'look' | 'acquire' | 'renew' | 'release' | 'guarded write';

/** What a request asks for. */
export interface Operation extends CheckpointWrite {
  readonly kind: OperationKind;
  readonly fencingToken?: number | undefined;
  /** Holder that a request names. */
  readonly holder?: string | undefined;
  /** Mark that the record carries if the request is applied, where the request decides that. */
  readonly mark?: string | undefined;
  /** Version of the record that an acquire rests on. */
  readonly basis?: string | undefined;
}

/** A request as it was sent. */
export interface Request {
  readonly id: number;
  readonly process: string;
  readonly identity: string;
  readonly operation: Operation;
  readonly sentAtMs: number;
  /** For how long the sender had known the version that its acquire rests on, by its own clock. */
  readonly knownForMs: number;
}

/** A lease request at the moment at which the store handled it. */
export interface Commit {
  readonly type: 'commit';
  readonly atMs: number;
  /** The store's own monotonic clock. */
  readonly storeMs: number;
  readonly request: Request;
  /** 1 for the first copy of the request that arrived. */
  readonly delivery: number;
  readonly before: Look;
  readonly after: Look;
  /** What the store answered: whether the request is as good as applied. */
  readonly granted: boolean;
}

/** A write at the moment at which the guarded resource decided about it. */
export interface GuardedWrite {
  readonly type: 'guarded';
  readonly atMs: number;
  readonly request: Request;
  readonly highestBefore: number;
  readonly highestAfter: number;
  readonly accepted: boolean;
}

/** Anything else. */
type Note =
  | { readonly type: 'sent'; readonly atMs: number; readonly request: Request }
  | { readonly type: 'answered'; readonly atMs: number; readonly request: Request }
  | {
      readonly type: 'fault';
      readonly atMs: number;
      readonly process: string;
      readonly what: string;
    }
  | {
      readonly type: 'report';
      readonly atMs: number;
      readonly process: string;
      readonly event: string;
      readonly fencingToken: number | undefined;
      readonly detail: string;
    }
  | {
      readonly type: 'settled';
      readonly atMs: number;
      readonly process: string;
      readonly call: 'lead' | 'campaign';
      /** How it settled, or the error. */
      readonly outcome: string;
      /** Whether its caller had aborted it by then. */
      readonly aborted: boolean;
      /** What was still going on: sleeps, store calls, listeners on the caller's signal. */
      readonly leftovers: number;
    }
  | {
      readonly type: 'revived';
      readonly atMs: number;
      readonly process: string;
      readonly fencingToken: number;
    };

export type HistoryEntry = Commit | GuardedWrite | Note;

/** When one process claimed to lead in one term, as far as it was asked. */
export interface Belief {
  readonly process: string;
  readonly fencingToken: number;
  readonly renewDeadlineMs: number;
  readonly firstAtMs: number;
  lastAtMs: number;
  /** Longest time, by its own clock, since the last write that got an answer was sent. */
  longestAgeMs: number;
  isOver: boolean;
}

/** All that happened in one schedule, in order. Written by the simulation, never by the election. */
export class History {
  readonly entries: HistoryEntry[] = [];
  readonly #beliefs = new Map<string, Belief>();
  readonly #counts = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get beliefs(): readonly Belief[] {
    return [...this.#beliefs.values()];
  }

  /** How often each kind of fault happened. */
  get faultCounts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  get nowMs(): number {
    return this.#now();
  }

  add(entry: HistoryEntry): void {
    this.entries.push(entry);
  }

  fault(process: string, what: string): void {
    this.count(what.replace(/ (for|by) .*/u, ''));
    this.add({ type: 'fault', atMs: this.#now(), process, what });
  }

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  believes(
    {
      name,
      timing,
    }: { readonly name: string; readonly timing: { readonly renewDeadlineMs: number } },
    fencingToken: number,
    ageMs: number,
  ): void {
    const atMs = this.#now();
    const key = `${name} ${fencingToken}`;
    const belief = this.#beliefs.get(key);
    if (!belief) {
      const { renewDeadlineMs } = timing;
      const first = { process: name, fencingToken, renewDeadlineMs, firstAtMs: atMs };
      this.#beliefs.set(key, { ...first, lastAtMs: atMs, longestAgeMs: ageMs, isOver: false });
      return;
    }
    belief.lastAtMs = atMs;
    belief.longestAgeMs = Math.max(belief.longestAgeMs, ageMs);
    if (belief.isOver) {
      belief.isOver = false;
      this.add({ type: 'revived', atMs, process: name, fencingToken });
    }
  }

  isOver(process: string, fencingToken: number): void {
    const belief = this.#beliefs.get(`${process} ${fencingToken}`);
    if (belief) {
      belief.isOver = true;
    }
  }
}
