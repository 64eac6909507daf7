import type { Budget } from './budget.ts';
import type { Candidate, CandidateContext } from './candidate.ts';
import type { Wait } from './election.ts';
import { isRetryable } from './errors.ts';
import type { Grant } from './grant.ts';
import type { Outcome } from './outcome.ts';
import { jittered } from './timing.ts';

/** How a candidate stands. */
export interface StandOptions {
  readonly holder: string;
  readonly wait: Wait;
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget | undefined;
}

type FollowReason = Exclude<Extract<Outcome<never>, { status: 'followed' }>['reason'], 'busy'>;

/** A lease that was won, or why not. */
export type StandResult =
  | { readonly won: true; readonly grant: Grant }
  | { readonly won: false; readonly reason: FollowReason };

/**
 * Stands for the lease once: looks, waits as long as it may, and bids as soon as the record is
 * open to bids.
 *
 * @throws a store error that the wait did not outlast, or that is not retryable.
 */
export async function stand(
  candidate: Candidate,
  context: CandidateContext,
  options: StandOptions,
): Promise<StandResult> {
  const attempt = new Attempt(candidate, context, options);
  for (;;) {
    const result = await attempt.next();
    if (result) {
      return result;
    }
  }
}

/**
 * Stands until the lease is won.
 *
 * @throws as {@link stand}.
 */
export async function standUntilWon(
  candidate: Candidate,
  context: CandidateContext,
  options: Pick<StandOptions, 'holder' | 'signal'>,
): Promise<Grant> {
  for (;;) {
    const endless = { ...options, wait: Infinity, budget: undefined };
    const result = await stand(candidate, context, endless);
    if (result.won) {
      return result.grant;
    }
  }
}

/** One candidate's stand: what it has seen in this call, and until when it may wait. */
class Attempt {
  readonly #candidate: Candidate;
  readonly #context: CandidateContext;
  readonly #options: StandOptions;
  readonly #waitEndMs: number;
  /** Whether the observation was made in this call, so that a refused bid was a lost race. */
  #fresh = false;
  #raced = false;
  /** Until when failed looks are outlasted: as long as the wait for a silent holder may last. */
  #patientUntilMs = Number.NEGATIVE_INFINITY;

  constructor(candidate: Candidate, context: CandidateContext, options: StandOptions) {
    this.#candidate = candidate;
    this.#context = context;
    this.#options = options;
    const { wait } = options;
    const allowedMs = typeof wait === 'number' ? wait : wait === 'none' ? 0 : Infinity;
    this.#waitEndMs = context.clock.monotonicMs() + allowedMs;
  }

  /** One look or bid, and the pause after it; `undefined` means that there is more to do. */
  async next(): Promise<StandResult | undefined> {
    const { holder, signal } = this.#options;
    try {
      if (!this.#candidate.candidacy?.open) {
        await this.#candidate.look(signal);
        this.#fresh = true;
      }
      if (!this.#candidate.candidacy?.open) {
        return await this.#follow();
      }
      const grant = await this.#candidate.bid(holder, signal);
      if (grant) {
        return { won: true, grant };
      }
      // What a bid from an older look met is that look's successor, not a race.
      this.#raced = this.#fresh;
      this.#fresh = true;
      return this.#raced && this.#options.wait === 'none' ? this.#followed('held') : undefined;
    } catch (error) {
      await this.#outlast(error);
      return undefined;
    }
  }

  /** Waits for the next look, unless there is nothing to wait for. */
  async #follow(): Promise<StandResult | undefined> {
    const { wait, signal } = this.#options;
    const { clock, timing } = this.#context;
    const state = this.#candidate.candidacy;
    if (!state || state.open) {
      return undefined;
    }
    if (wait === 'none' || (wait === 'one-lease' && state.alive)) {
      return this.#followed('held');
    }
    const leftMs = this.#leftMs();
    if (leftMs <= 0) {
      return this.#followed(wait === 'one-lease' ? 'cannot-age' : 'held');
    }
    const { agesInMs } = state;
    this.#patientUntilMs = clock.monotonicMs() + agesInMs + timing.retryPeriodMs;
    await clock.sleep(this.#pauseMs(agesInMs, leftMs), signal);
    // Whoever won the race has held the lease since, and that is what the wait has met.
    this.#raced = false;
    return undefined;
  }

  /**
   * How long to wait for the next look or, if the record comes of age first, for the bid: neither a
   * later look nor a slow one that was sent just before may delay that.
   */
  #pauseMs(agesInMs: number, leftMs: number): number {
    const { timing, random, leaseStore } = this.#context;
    const pauseMs = Math.min(jittered(timing.retryPeriodMs, random), leftMs);
    // Where the store judges, only a look shows that the lease has expired.
    const lookMs = leaseStore.limits.expiry === 'observed' ? timing.requestTimeoutMs : 0;
    return agesInMs > 0 && agesInMs <= Math.min(pauseMs + lookMs, leftMs) ? agesInMs : pauseMs;
  }

  /** A store that fails while this waits may answer the next look. */
  async #outlast(error: unknown): Promise<void> {
    const { wait, signal } = this.#options;
    const { clock, timing, random, report } = this.#context;
    const waits = wait === 'one-lease' || typeof wait === 'number';
    const leftMs = Math.min(this.#leftMs(), this.#patientUntilMs - clock.monotonicMs());
    if (!waits || !isRetryable(error) || leftMs <= 0) {
      throw error;
    }
    report({ type: 'attempt-failed', error });
    await clock.sleep(Math.min(jittered(timing.retryPeriodMs, random), leftMs), signal);
  }

  /** What is left of the wait, in milliseconds: never more than the budget less its reserve. */
  #leftMs(): number {
    const { budget } = this.#options;
    const budgetMs = budget ? budget.remainingMs() - budget.reserveMs : Infinity;
    return Math.min(this.#waitEndMs - this.#context.clock.monotonicMs(), budgetMs);
  }

  #followed(reason: FollowReason): StandResult {
    return { won: false, reason: this.#raced ? 'lost-race' : reason };
  }
}
