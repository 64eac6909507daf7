import { requireBudget, type Budget } from './budget.ts';
import { Candidate, type CandidateContext } from './candidate.ts';
import { systemClock } from './clock.ts';
import type { Election, ElectionOptions, LeadOptions, SignalOptions } from './election.ts';
import type { Grant } from './grant.ts';
import { defaultIdentity } from './identity.ts';
import type { JobElection, JobWork } from './job-election.ts';
import { labelled } from './labelled.ts';
import type { Work } from './leadership.ts';
import type { LeaseRecord, PastTerm } from './lease-store.ts';
import { reporterFor } from './observer.ts';
import type { LeaderView, Outcome } from './outcome.ts';
import { isAbortOf, outlasting } from './outlast.ts';
import type { ParseProgress } from './progress.ts';
import { systemRandom } from './random.ts';
import {
  optionalFunction,
  requireClock,
  requireFunction,
  requireName,
  requireObject,
  requireSignal,
  requireStore,
  requireToken,
  requireWait,
} from './requirements.ts';
import { runTerm } from './run-term.ts';
import { stand, standUntilWon } from './stand.ts';
import type { Term } from './term.ts';
import { jittered, resolveTiming } from './timing.ts';

/**
 * Makes this process a candidate for one lease. Made once per process, at module scope in a
 * function: what it has seen of other holders adds up over invocations.
 *
 * @throws `TypeError` or `RangeError` that names the wrong option, its value and what is allowed.
 */
export function createElection<Progress = unknown>(
  options: ElectionOptions<Progress>,
): Election<Progress> {
  return new StoreElection(requireObject('options', options, 'an object with store and lease'));
}

/**
 * As {@link createElection}, for a job.
 *
 * @throws as {@link createElection}.
 */
export function createJobElection(options: ElectionOptions<unknown>): JobElection {
  const election = new StoreElection(options);
  return {
    identity: election.identity,
    look: (signal) => election.look(signal),
    lead: (work, leadOptions) => election.leadJob(work, leadOptions),
  };
}

class StoreElection<Progress> implements Election<Progress> {
  readonly identity: string;
  readonly #context: CandidateContext;
  readonly #candidate: Candidate;
  readonly #parseProgress: ParseProgress<Progress> | undefined;
  #busy = false;
  #leading: { readonly term: Term; readonly grant: Grant } | undefined;

  constructor(options: ElectionOptions<Progress>) {
    const { identity = defaultIdentity(), parseProgress } = options;
    this.identity = requireName('identity', identity);
    this.#parseProgress = optionalFunction('parseProgress', parseProgress);
    this.#context = contextOf(options, this.identity);
    this.#candidate = new Candidate(this.#context);
  }

  async lead<T>(work: Work<Progress, T>, options: LeadOptions = {}): Promise<Outcome<T>> {
    requireObject('options', options);
    requireFunction('work', work);
    return this.leadJob((leadership) => work(leadership), options);
  }

  /** As {@link lead}, for work that also keeps state of a job in the record. */
  async leadJob<T>(work: JobWork<Progress, T>, options: LeadOptions): Promise<Outcome<T>> {
    const { wait = 'one-lease', signal, label } = options;
    requireWait(wait);
    const budget = options.budget === undefined ? undefined : requireBudget(options.budget);
    const holder = labelled(this.identity, label);
    requireSignal(signal)?.throwIfAborted();
    if (this.#busy) {
      return { status: 'followed', reason: 'busy' };
    }
    this.#busy = true;
    try {
      const stood = await stand(this.#candidate, this.#context, { holder, wait, signal, budget });
      if (stood.won) {
        return await this.#run(stood.grant, work, { signal, budget });
      }
      const { leader } = this.#candidate;
      return { status: 'followed', reason: stood.reason, ...(leader ? { leader } : {}) };
    } finally {
      this.#busy = false;
    }
  }

  async *campaign<T>(
    work: Work<Progress, T>,
    options: SignalOptions = {},
  ): AsyncGenerator<Outcome<T>, void, undefined> {
    requireFunction('work', work);
    const signal = signalIn(options);
    const { clock, timing, random } = this.#context;
    try {
      for (;;) {
        yield await this.#nextTerm(work, signal);
        await clock.sleep(jittered(timing.retryPeriodMs, random), signal);
      }
    } catch (error) {
      if (!isAbortOf(signal, error)) {
        throw error;
      }
    }
  }

  async leader(options: SignalOptions = {}): Promise<LeaderView | undefined> {
    const look = await this.#candidate.look(signalIn(options));
    const { leader } = this.#candidate;
    const leads =
      look.state !== 'absent' &&
      this.#leading?.grant.held.marks.includes(look.mark) === true &&
      this.#leading.term.remainingMs() > 0;
    return leader && leads ? { ...leader, state: 'alive' } : leader;
  }

  async *observe(
    options: SignalOptions = {},
  ): AsyncGenerator<LeaderView | undefined, void, undefined> {
    const { clock, timing, random } = this.#context;
    const signal = signalIn(options);
    let last: string | undefined;
    try {
      for (;;) {
        const view = await outlasting(this.#context, signal, () => this.leader(options));
        const leader = view?.state === 'expired' ? undefined : view;
        const key = leader ? `${leader.fencingToken} ${leader.holder}` : '';
        if (key !== last) {
          last = key;
          yield leader;
        }
        await clock.sleep(jittered(timing.retryPeriodMs, random), signal);
      }
    } catch (error) {
      if (!isAbortOf(signal, error)) {
        throw error;
      }
    }
  }

  async history(options: SignalOptions = {}): Promise<readonly PastTerm[]> {
    const record = await this.look(signalIn(options));
    return record?.history ?? [];
  }

  /** Reads the record once; `undefined` if there is none. */
  async look(signal: AbortSignal | undefined): Promise<LeaseRecord | undefined> {
    const look = await this.#candidate.look(signal);
    return look.state === 'absent' ? undefined : look.record;
  }

  /** Stands until a term is won, and runs it. */
  async #nextTerm<T>(
    work: Work<Progress, T>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<T>> {
    signal?.throwIfAborted();
    const { clock, timing } = this.#context;
    while (this.#busy) {
      await clock.sleep(timing.retryPeriodMs, signal);
    }
    this.#busy = true;
    try {
      const options = { holder: this.identity, signal };
      const grant = await outlasting(this.#context, signal, () =>
        standUntilWon(this.#candidate, this.#context, options),
      );
      const only: JobWork<Progress, T> = (leadership) => work(leadership);
      return await this.#run(grant, only, { signal, budget: undefined });
    } finally {
      this.#busy = false;
    }
  }

  async #run<T>(
    grant: Grant,
    work: JobWork<Progress, T>,
    limits: { readonly signal: AbortSignal | undefined; readonly budget: Budget | undefined },
  ): Promise<Outcome<T>> {
    const run = { ...limits, work, parseProgress: this.#parseProgress };
    try {
      const ended = await runTerm(this.#context, grant, run, (term) => {
        this.#leading = { term, grant };
      });
      this.#candidate.ended(ended.marks, ended.look);
      this.#candidate.raiseFloor(ended.highestToken ?? 0);
      if ('thrown' in ended.settlement) {
        throw ended.settlement.thrown;
      }
      return ended.settlement.outcome;
    } finally {
      this.#leading = undefined;
    }
  }
}

function signalIn(options: SignalOptions): AbortSignal | undefined {
  return requireSignal(requireObject('options', options).signal);
}

function contextOf<Progress>(
  options: ElectionOptions<Progress>,
  identity: string,
): CandidateContext {
  const { clock = systemClock, random = systemRandom, minimumToken = 1, firstToken } = options;
  const store = requireStore(options.store);
  const lease = requireName('lease', options.lease);
  return {
    clock: requireClock(clock),
    random: requireFunction('random', random),
    timing: resolveTiming(options.timing ?? {}, store.limits),
    report: reporterFor(optionalFunction('observer', options.observer), { lease, identity }),
    lease,
    storeName: store.name,
    leaseStore: store,
    minimumToken: requireToken('minimumToken', minimumToken),
    firstToken: firstToken === undefined ? undefined : requireToken('firstToken', firstToken),
  };
}
