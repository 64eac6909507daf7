import { boundedCall, boundsOf } from './bounded-call.ts';
import type { Budget } from './budget.ts';
import { BudgetGuard } from './budget-guard.ts';
import { isRetryable } from './errors.ts';
import type { Grant } from './grant.ts';
import { requireJobState, type JobStateSlot, type JobWork } from './job-election.ts';
import type { Look } from './lease-store.ts';
import { parseStoredProgress, type ParseProgress } from './progress.ts';
import { Renewer } from './renewer.ts';
import { settlement, staleTokenOf, type Settlement, type WorkResult } from './settlement.ts';
import { leaseLost, Term, type TermContext } from './term.ts';
import { flappingIn, withRelease } from './term-history.ts';
import { WorkingLeadership } from './working-leadership.ts';

/** What the work is, and what may end it. */
export interface TermWork<Progress, T> {
  readonly work: JobWork<Progress, T>;
  readonly parseProgress: ParseProgress<Progress> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget | undefined;
}

/** How a term ended, and what the next one must know. */
export interface EndedTerm<T> {
  readonly settlement: Settlement<T>;
  /** Marks of what this term may have written. */
  readonly marks: readonly string[];
  /** The record after the release, or another's record that was found; `undefined` if unknown. */
  readonly look: Look | undefined;
  /** The highest token that a guarded resource has seen, if it rejected this term's. */
  readonly highestToken: number | undefined;
}

/** Longest time that the release may take, in milliseconds. */
const releaseLimitMs = 2_000;
/** Longest pause before a failed release is sent again, in milliseconds. */
const releasePauseMs = 250;

/**
 * Runs the work of one term to its end, then releases the lease. Settles only when the work has,
 * and leaves nothing running.
 */
export async function runTerm<Progress, T>(
  context: TermContext,
  grant: Grant,
  { work, parseProgress, signal, budget }: TermWork<Progress, T>,
  onTerm: (term: Term) => void,
): Promise<EndedTerm<T>> {
  const { fencingToken, held, confirmedAt } = grant;
  const term = new Term(context, fencingToken, confirmedAt);
  const guard = new BudgetGuard(context, budget);
  const renewer = new Renewer(context, term, held);
  const progress = usableProgress(context, grant, parseProgress);
  const parts = { context, term, renewer, budget: guard };
  const leadership = new WorkingLeadership<Progress>(parts, progress);
  onTerm(term);
  context.report({ type: 'acquired', fencingToken, remainingMs: term.remainingMs() });
  const flapping = flappingIn(grant.history, context.clock.wallMs());
  if (flapping) {
    context.report({ type: 'flapping', ...flapping });
  }

  const stopWatching = watch(term, guard, signal);
  const slot: JobStateSlot = {
    stored: grant.before?.jobState,
    leave: (text) => renewer.leave({ jobState: requireJobState(text) }),
  };
  const result = await settle(() => work(leadership, slot));
  const { spent } = guard;
  const over = term.judge() ?? spent;
  term.lose('settled');
  await stopWatching();
  await leadership.idle();
  const look = renewer.found ?? (await release(context, grant, renewer));
  const stale = result.returned ? undefined : staleTokenOf(result.error, fencingToken);
  return {
    settlement: settlement(result, { fencingToken, over, spent }),
    marks: held.marks,
    look,
    highestToken: stale?.highestToken,
  };
}

/** Starts everything that may end the leadership from outside; returns how to stop it. */
function watch(
  term: Term,
  guard: BudgetGuard,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  const stop = new AbortController();
  const onAbort = (): void => term.lose('aborted', signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) {
    onAbort();
  }
  const watchers = [
    term.watchDeadline(stop.signal),
    term.watchOverdue(stop.signal),
    guard.watch(term, stop.signal),
  ];
  const stopped = Promise.allSettled(watchers);
  return async () => {
    signal?.removeEventListener('abort', onAbort);
    stop.abort();
    await stopped;
  };
}

async function settle<T>(work: () => T | Promise<T>): Promise<WorkResult<T>> {
  try {
    return { returned: true, value: await work() };
  } catch (error) {
    return { returned: false, error };
  }
}

function usableProgress<Progress>(
  { report }: TermContext,
  { before, fencingToken }: Grant,
  parse: ParseProgress<Progress> | undefined,
): Progress | undefined {
  const parsed = parseStoredProgress(before?.progress, parse);
  if (parsed.usable) {
    return parsed.progress;
  }
  const { error } = parsed;
  report({ type: 'foreign-progress', fencingToken, ...(error === undefined ? {} : { error }) });
  return undefined;
}

/** Frees the record if it is still this term's. Never rejects: the work's result comes first. */
async function release(
  context: TermContext,
  { held, history, fencingToken }: Grant,
  renewer: Renewer,
): Promise<Look | undefined> {
  const { clock, timing, report } = context;
  const final = { ...renewer.checkpoint, history: withRelease(history) };
  const endMs = clock.monotonicMs() + releaseLimitMs;
  for (;;) {
    const bounds = boundsOf(context, { writes: true, leftMs: endMs - clock.monotonicMs() });
    try {
      const result = await boundedCall(bounds, (call) => held.release(final, call));
      const error = result.released
        ? {}
        : { error: leaseLost(context, fencingToken, 'taken-over') };
      report({ type: 'released', fencingToken, ...error });
      return result.released ? result.look : result.found;
    } catch (error) {
      const pauseMs = Math.min(releasePauseMs, timing.retryPeriodMs);
      if (!isRetryable(error) || clock.monotonicMs() + pauseMs >= endMs) {
        report({ type: 'released', fencingToken, error });
        return undefined;
      }
      await clock.sleep(pauseMs);
    }
  }
}
