import { boundedCall, boundsOf } from './bounded-call.ts';
import { instantOf } from './clock.ts';
import { hasCode } from './errors.ts';
import { nextToken } from './fencing-token.ts';
import type { Grant } from './grant.ts';
import type { AcquireResult, Bid, LeaseStore, Look } from './lease-store.ts';
import {
  candidacy,
  leaderView,
  observed,
  type Candidacy,
  type Observation,
} from './observation.ts';
import type { LeaderView } from './outcome.ts';
import type { TermContext } from './term.ts';
import { withNewTerm } from './term-history.ts';
import { newUuid } from './uuid.ts';
import { countsFrom, elapsedMs } from './validity.ts';

/** Where a candidate stands, beside what a term needs to know. */
export interface CandidateContext extends TermContext {
  readonly leaseStore: LeaseStore;
  /** The lowest token that may be minted. */
  readonly minimumToken: number;
  /** First token where nobody ever held the lease; above the wall clock if absent. */
  readonly firstToken: number | undefined;
}

/** Most own marks that are remembered; forgetting one costs a wait, never safety. */
const maxMarks = 128;
/** How often one bid is sent while its outcome is unknown. */
const maxSends = 3;

/** What one process knows of a lease, over all its terms, and its attempts to acquire it. */
export class Candidate {
  readonly #context: CandidateContext;
  #observation: Observation | undefined;
  #endedMarks: readonly string[] = [];
  #floor: number;

  constructor(context: CandidateContext) {
    this.#context = context;
    this.#floor = context.minimumToken - 1;
  }

  /** The leader as it was seen last. */
  get leader(): LeaderView | undefined {
    const { clock, leaseStore } = this.#context;
    const { expiry } = leaseStore.limits;
    return this.#observation && leaderView(this.#observation, clock.monotonicMs(), expiry);
  }

  /** What may be done about the record as it was seen last; `undefined` before the first look. */
  get candidacy(): Candidacy | undefined {
    const { clock, leaseStore } = this.#context;
    const { expiry } = leaseStore.limits;
    return (
      this.#observation &&
      candidacy(this.#observation, this.#endedMarks, clock.monotonicMs(), expiry)
    );
  }

  /** Looks at the record. */
  async look(signal: AbortSignal | undefined): Promise<Look> {
    const { lease, leaseStore } = this.#context;
    const bounds = boundsOf(this.#context, { writes: false, signal });
    const look = await boundedCall(bounds, (call) => leaseStore.look(lease, call));
    this.#observe(look);
    return look;
  }

  /**
   * Bids once for a record that is open to bids. `undefined` if another was faster; what stands
   * there now has then been observed.
   */
  async bid(holder: string, signal: AbortSignal | undefined): Promise<Grant | undefined> {
    const { clock, timing } = this.#context;
    const bid = this.#nextBid(holder);
    const sentAt = instantOf(clock);
    let result: AcquireResult;
    try {
      result = await this.#send(bid, signal);
    } catch (error) {
      // It may have been applied, or may still be: whatever it wrote is nobody's.
      this.#remember([bid.attemptId]);
      if (signal?.aborted || hasCode(error, 'OUTCOME_UNKNOWN')) {
        await this.#abandon(bid);
        // The caller may have aborted meanwhile, and then that is the answer.
        signal?.throwIfAborted();
      }
      throw error;
    }
    if (!result.acquired) {
      this.#observe(result.found);
      return undefined;
    }
    const repliedAt = instantOf(clock);
    const confirmedAt = countsFrom({ sentAt, repliedAt });
    if (elapsedMs(confirmedAt, repliedAt) >= timing.renewDeadlineMs) {
      // Frozen on the way: the term is over before it began, and the next bid replaces it.
      this.#remember(result.held.marks);
      return undefined;
    }
    const { look, history, fencingToken } = bid;
    this.raiseFloor(fencingToken);
    const before = look.state === 'absent' ? undefined : look.record;
    return { held: result.held, fencingToken, confirmedAt, before, history };
  }

  /** Takes note of a term that has ended: its marks, and the record as it then was, if known. */
  ended(marks: readonly string[], look: Look | undefined): void {
    this.#remember(marks);
    this.#observation = undefined;
    if (look) {
      this.#observe(look);
    }
  }

  #remember(marks: readonly string[]): void {
    this.#endedMarks = [...this.#endedMarks, ...marks].slice(-maxMarks);
  }

  /** No token up to this one is minted any more. */
  raiseFloor(token: number): void {
    this.#floor = Math.max(this.#floor, token);
  }

  #observe(look: Look): void {
    const before = this.leader;
    if (look.state !== 'absent') {
      // A record that is deleted or restored must not bring back a token that was in use.
      this.raiseFloor(look.record.fencingToken ?? 0);
    }
    this.#observation = observed(this.#observation, look, this.#context.clock.monotonicMs());
    const { leader } = this;
    if (before?.holder !== leader?.holder || before?.fencingToken !== leader?.fencingToken) {
      this.#context.report({ type: 'leader-changed', leader });
    }
  }

  #nextBid(holder: string): Bid {
    const { clock, timing, lease, storeName, firstToken } = this.#context;
    const look: Look = this.#observation?.look ?? { state: 'absent' };
    const wallMs = clock.wallMs();
    const floors = { floor: this.#floor, firstToken, wallMs };
    const fencingToken = nextToken(look, floors, { lease, store: storeName });
    const history = look.state === 'absent' ? [] : look.record.history;
    return {
      attemptId: newUuid(),
      look,
      holder,
      fencingToken,
      leaseDurationMs: timing.leaseDurationMs,
      history: withNewTerm(history, { fencingToken, holder, startedMs: Math.floor(wallMs) }),
      endedMarks: this.#endedMarks,
    };
  }

  /** Sends the same bid until its outcome is known, or there is no point any more. */
  async #send(bid: Bid, signal: AbortSignal | undefined): Promise<AcquireResult> {
    const { clock, timing, lease, leaseStore } = this.#context;
    const startMs = clock.monotonicMs();
    // What a term has left when it is won must suffice for its first renewal.
    const limitMs = timing.renewDeadlineMs - timing.requestTimeoutMs;
    let unknown: unknown;
    for (let sends = 1; ; sends += 1) {
      const leftMs = startMs + limitMs - clock.monotonicMs();
      const bounds = boundsOf(this.#context, { writes: true, signal, leftMs });
      try {
        return await boundedCall(bounds, (call) => leaseStore.acquire(lease, bid, call));
      } catch (error) {
        const again = hasCode(error, 'OUTCOME_UNKNOWN');
        unknown ??= again ? error : undefined;
        const spentMs = clock.monotonicMs() - startMs;
        if (!again || sends === maxSends || spentMs >= limitMs) {
          signal?.throwIfAborted();
          // That a repeat did nothing, or was not sent, says nothing about the sends before it.
          throw unknown ?? error;
        }
      }
    }
  }

  /** Frees what a bid may have won, if the store answers. */
  async #abandon(bid: Bid): Promise<void> {
    const { lease, leaseStore } = this.#context;
    const bounds = boundsOf(this.#context, { writes: true });
    try {
      await boundedCall(bounds, (call) => leaseStore.abandon(lease, bid, call));
    } catch {
      // It then expires; and to this process it is an ended term of its own.
    }
  }
}
