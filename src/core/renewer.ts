import { boundedCall, boundsOf } from './bounded-call.ts';
import { instantOf, type Instant } from './clock.ts';
import { hasCode } from './errors.ts';
import type { HeldLease, CheckpointWrite, Look } from './lease-store.ts';
import type { Term, TermContext } from './term.ts';
import { jittered } from './timing.ts';
import { countsFrom, elapsedMs, hasRoomForStep, isRenewalDue } from './validity.ts';

/** Renews one term. At most one renewal is under way; whoever needs one shares it. */
export class Renewer {
  readonly #context: TermContext;
  readonly #term: Term;
  readonly #held: HeldLease;
  #underWay: Promise<void> | undefined;
  /** After a failure no attempt is made before this monotonic time. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #checkpoint: CheckpointWrite = {};
  #saved: CheckpointWrite = {};
  #found: Look | undefined;

  constructor(context: TermContext, term: Term, held: HeldLease) {
    this.#context = context;
    this.#term = term;
    this.#held = held;
  }

  /** The newest that was left, which the next renewal or the release writes. */
  get checkpoint(): CheckpointWrite {
    return this.#checkpoint;
  }

  /** Leaves something for successors, beside what was left before. */
  leave(checkpoint: CheckpointWrite): void {
    this.#checkpoint = { ...this.#checkpoint, ...checkpoint };
  }

  /** Another's record, where a renewal found one. */
  get found(): Look | undefined {
    return this.#found;
  }

  /**
   * Renews if it is due. Without a usable answer it returns while there is room for one more step,
   * else tries again each retry period until the renew deadline.
   *
   * @throws why the leadership is over.
   */
  async renewIfDue(longestStepMs: number): Promise<void> {
    const { clock, timing } = this.#context;
    const { signal } = this.#term;
    if (!isRenewalDue(this.#term.confirmedAt, instantOf(clock), longestStepMs, timing)) {
      return;
    }
    for (;;) {
      if (this.#pausedForMs() <= 0 && (await this.#attempt())) {
        return;
      }
      this.#term.assertLeader();
      if (hasRoomForStep(this.#term.confirmedAt, instantOf(clock), longestStepMs, timing)) {
        return;
      }
      await clock.sleep(this.#pausedForMs(), signal);
    }
  }

  /** Renews whenever it is due, until `stop` aborts or the leadership is over. Never rejects. */
  async renewUntil(stop: AbortSignal): Promise<void> {
    const { clock, timing } = this.#context;
    while (!stop.aborted && !this.#term.judge()) {
      const heldForMs = elapsedMs(this.#term.confirmedAt, instantOf(clock));
      const waitMs = Math.max(timing.renewIntervalMs - heldForMs, this.#pausedForMs());
      if (waitMs > 0) {
        await clock.sleep(waitMs, stop).catch(() => {});
      } else {
        await this.#attempt();
      }
    }
  }

  /** Writes what no renewal has written yet, if the store answers. Never rejects. */
  async save(): Promise<void> {
    // One that is under way was sent with what was newest then.
    await this.#underWay;
    const { progress, jobState } = this.#checkpoint;
    const isSaved = progress === this.#saved.progress && jobState === this.#saved.jobState;
    if (!isSaved && !this.#term.judge()) {
      await this.#attempt();
    }
  }

  /** Waits for a renewal that is under way. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  #pausedForMs(): number {
    return this.#pausedUntilMs - this.#context.clock.monotonicMs();
  }

  /** Makes one attempt or joins the one under way. Resolves to whether the term was renewed. */
  async #attempt(): Promise<boolean> {
    const before = this.#term.confirmedAt;
    this.#underWay ??= this.#renew().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
    return this.#term.confirmedAt !== before;
  }

  async #renew(): Promise<void> {
    const { clock, report } = this.#context;
    const term = this.#term;
    const { fencingToken } = term;
    const sentAt = instantOf(clock);
    const headroomMs = term.remainingMs();
    if (headroomMs <= 0) {
      // Woken late: a request of a term that is over would only keep its successor waiting.
      return;
    }
    const checkpoint = this.#checkpoint;
    let isConfirmed = false;
    const renewed = (): void => {
      if (!isConfirmed && term.confirm(countsFrom({ sentAt, repliedAt: instantOf(clock) }))) {
        isConfirmed = true;
        report({ type: 'renewed', fencingToken, headroomMs });
      }
    };
    try {
      const bounds = boundsOf(this.#context, { writes: true, leftMs: headroomMs });
      const result = await boundedCall(bounds, (call) =>
        this.#held.renew(checkpoint, { ...call, renewed }),
      );
      if (!result.renewed) {
        this.#found = result.found;
        term.lose('taken-over');
        return;
      }
      this.#saved = checkpoint;
      this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
      renewed();
    } catch (error) {
      this.#failed(error, sentAt);
    }
  }

  #failed(error: unknown, sentAt: Instant): void {
    const { timing, random, report } = this.#context;
    const term = this.#term;
    if (hasCode(error, 'LEASE_RECORD_INVALID')) {
      term.lose('taken-over', error);
      return;
    }
    // Everything else, a refusal too, may pass before the deadline: permissions flicker.
    term.renewalFailed(error);
    this.#pausedUntilMs = sentAt.monotonicMs + jittered(timing.retryPeriodMs, random);
    const { fencingToken } = term;
    report({ type: 'renewal-failed', fencingToken, remainingMs: term.remainingMs(), error });
  }
}
