import type { Budget } from '../core/budget.ts';
import { BudgetGuard } from '../core/budget-guard.ts';
import { instantOf, type Clock } from '../core/clock.ts';
import type { Leadership } from '../core/leadership.ts';
import type { HeldLease } from '../core/lease-store.ts';
import { parseStoredProgress, serializeProgress } from '../core/progress.ts';
import { Renewer } from '../core/renewer.ts';
import { requireNumber, requireToken } from '../core/requirements.ts';
import { Term, type TermContext } from '../core/term.ts';
import { resolveTiming } from '../core/timing.ts';
import { WorkingLeadership, type TermParts } from '../core/working-leadership.ts';
import { memoryLimits } from '../stores/memory/limits.ts';
import { ManualClock } from './manual-clock.ts';

/** Options of {@link testLeadership}. */
export interface TestLeadershipOptions<Progress> {
  /** A safe integer of at least 1. */
  readonly fencingToken: number;
  /** What an earlier term left behind. Default nothing. */
  readonly progress?: Progress;
  /** At this checkpoint, counted from 1, another has taken over. */
  readonly loseAtCheckpoint?: number;
  /** At this checkpoint, counted from 1, only the reserve of the time budget is left. */
  readonly spendBudgetAtCheckpoint?: number;
  /**
   * Time of the leadership, which expires 10 s after its last renewal; no timer of its own says so,
   * only the next look at it. Default a clock that stands still: a test may be slow, and no
   * `during` times out.
   */
  readonly clock?: Clock;
}

/** A {@link Leadership} that remembers what the work told it. */
export interface TestLeadership<Progress = unknown> extends Leadership<Progress> {
  /**
   * What each checkpoint was given, in order, as a successor would read it; `undefined` for one
   * without progress.
   */
  readonly checkpoints: readonly (Progress | null | undefined)[];
}

/** Reserve of the budget that is spent, in milliseconds. */
const reserveMs = 2_000;

/**
 * A leadership for testing a work function without an election and without a store. It is a real
 * one over a store that always renews, until it ends as the options say:
 *
 * - `loseAtCheckpoint`: `signal` aborts, and the checkpoint and all that follows reject, with a
 *   `LeaseLostError` of reason `taken-over`.
 * - `spendBudgetAtCheckpoint`: the checkpoint rejects with a `BudgetSpentError`. `signal` aborts
 *   with the same error a little later, and only then does `assertLeader` throw: when 1 s has
 *   passed on `clock`; without a `clock`, as soon as the work awaits something that takes time.
 *
 * @throws `RangeError` if `fencingToken` is no token or a checkpoint is not counted from 1.
 * @throws `TypeError` or `RangeError` if `progress` could not have been saved.
 */
export function testLeadership<Progress = unknown>(
  options: TestLeadershipOptions<Progress>,
): TestLeadership<Progress> {
  const fencingToken = requireToken('fencingToken', options.fencingToken);
  requireCount('loseAtCheckpoint', options.loseAtCheckpoint);
  requireCount('spendBudgetAtCheckpoint', options.spendBudgetAtCheckpoint);
  const ownClock = new ManualClock();
  const { clock = ownClock } = options;
  const context = contextOn(clock);
  const term = new Term(context, fencingToken, instantOf(clock));
  const budget = new SpendableBudget(clock);
  const guard = new BudgetGuard(context, budget);
  const renewer = new Renewer(context, term, alwaysRenewed);
  const spend = (): void => {
    budget.spend();
    void guard.watch(term, new AbortController().signal);
    // Moves when no promise reaction is left, so that the work sees the rejection first; moves
    // nobody where the test has brought its own clock.
    void ownClock.advance(reserveMs / 2);
  };
  const parts = { context, term, renewer, budget: guard };
  return new ScriptedLeadership(parts, { ...options, spend });
}

class ScriptedLeadership<Progress>
  extends WorkingLeadership<Progress>
  implements TestLeadership<Progress>
{
  readonly #term: Term;
  readonly #script: TestLeadershipOptions<Progress> & { readonly spend: () => void };
  readonly #checkpoints: (Progress | null | undefined)[] = [];

  constructor(
    parts: TermParts,
    script: TestLeadershipOptions<Progress> & { readonly spend: () => void },
  ) {
    super(parts, copyOf(script.progress) ?? undefined);
    this.#term = parts.term;
    this.#script = script;
  }

  get checkpoints(): readonly (Progress | null | undefined)[] {
    return this.#checkpoints;
  }

  override async checkpoint(progress?: Progress | null): Promise<void> {
    const { loseAtCheckpoint, spendBudgetAtCheckpoint, spend } = this.#script;
    const count = this.#checkpoints.push(copyOf(progress));
    if (count === spendBudgetAtCheckpoint) {
      spend();
    }
    if (count === loseAtCheckpoint) {
      this.#term.lose('taken-over');
    }
    await super.checkpoint(progress);
  }
}

/** Endless until it is spent; then only the reserve is left. */
class SpendableBudget implements Budget {
  readonly reserveMs = reserveMs;
  readonly #clock: Clock;
  #endsAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remainingMs(): number {
    return this.#endsAtMs - this.#clock.monotonicMs();
  }

  spend(): void {
    this.#endsAtMs = this.#clock.monotonicMs() + reserveMs;
  }
}

const alwaysRenewed: HeldLease = {
  marks: [],
  renew: async () => ({ renewed: true }),
  release: async () => ({ released: false, found: { state: 'absent' } }),
};

function contextOn(clock: Clock): TermContext {
  return {
    clock,
    timing: resolveTiming({}, memoryLimits('observed')),
    random: () => 0,
    report: () => {},
    lease: 'test',
    storeName: 'test',
  };
}

/** What a successor reads: work may go on changing the object that it gave. */
function copyOf<Progress>(progress: Progress | null | undefined): Progress | null | undefined {
  if (progress === undefined || progress === null) {
    return progress;
  }
  const parsed = parseStoredProgress<Progress>(serializeProgress(progress), undefined);
  return parsed.usable ? parsed.progress : undefined;
}

function requireCount(name: string, value: number | undefined): void {
  if (value !== undefined) {
    requireNumber(name, value, {
      kind: 'a whole number from 1, the first',
      fits: (count) => Number.isSafeInteger(count) && count >= 1,
    });
  }
}
