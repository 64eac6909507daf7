import { getEventListeners } from 'node:events';
import type { Election, LeadOptions } from '../../src/core/election.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { doWork, type Done, type WorkPlace } from './work-script.ts';

/** Lives one candidate's life: stands for the lease in one way or another, until it crashes. */
export async function liveAsCandidate(
  place: WorkPlace,
  election: Election<Done>,
  onlyCampaigns: boolean,
): Promise<void> {
  const { process } = place;
  const candidate = new CandidateScript(place, election);
  await process.ownClock.sleep(process.random.between(0, 3_000));
  for (;;) {
    if (onlyCampaigns) {
      await candidate.campaign(new AbortController());
      // What ended it may take no time at all.
      await process.ownClock.sleep(1);
      continue;
    }
    if (process.random.chance(0.2)) {
      await candidate.campaign(candidate.abortingSoon());
    } else {
      await candidate.lead();
    }
    await process.ownClock.sleep(process.random.between(10, 4_000));
  }
}

class CandidateScript {
  readonly #place: WorkPlace;
  readonly #election: Election<Done>;

  constructor(place: WorkPlace, election: Election<Done>) {
    this.#place = place;
    this.#election = election;
  }

  async campaign({ signal }: AbortController): Promise<void> {
    const call = { call: 'campaign', signal } as const;
    try {
      const terms = this.#election.campaign((leadership) => doWork(this.#place, leadership), {
        signal,
      });
      for await (const outcome of terms) {
        this.#settled(call, outcome);
      }
      this.#settled(call, 'ended');
    } catch (error) {
      this.#settled(call, error);
    }
  }

  async lead(): Promise<void> {
    const { random, clock } = this.#place.process;
    const { signal } = random.chance(0.2) ? this.abortingSoon() : new AbortController();
    const call = { call: 'lead', signal } as const;
    const label = random.chance(0.1) ? { label: `run ${random.whole(1, 9)}` } : {};
    const options: LeadOptions = { wait: this.#drawWait(), signal, ...label };
    const endsAtMs = clock.monotonicMs() + random.between(3_000, 60_000);
    const budget = { remainingMs: () => endsAtMs - clock.monotonicMs(), reserveMs: 2_000 };
    try {
      const outcome = await this.#election.lead(
        (leadership) => doWork(this.#place, leadership),
        random.chance(0.3) ? { ...options, budget } : options,
      );
      this.#settled(call, outcome);
    } catch (error) {
      this.#settled(call, error);
    }
  }

  /** A signal that the caller aborts after a while, whatever goes on then. */
  abortingSoon(): AbortController {
    const { random, ownClock, history, name } = this.#place.process;
    const controller = new AbortController();
    void ownClock.sleep(random.between(0, 40_000)).then(() => {
      history.fault(name, 'caller aborts');
      controller.abort(new Error('the caller aborts'));
    });
    return controller;
  }

  #drawWait(): 'none' | 'one-lease' | number {
    const { random } = this.#place.process;
    return random.pick<'none' | 'one-lease' | number>(
      'none',
      'one-lease',
      'one-lease',
      'one-lease',
      random.between(0, 30_000),
    );
  }

  #settled(
    { call, signal }: { readonly call: 'lead' | 'campaign'; readonly signal: AbortSignal },
    result: unknown,
  ): void {
    const { history, name, clock, pendingCalls } = this.#place.process;
    history.add({
      type: 'settled',
      atMs: history.nowMs,
      process: name,
      call,
      outcome: nameOf(result),
      aborted: signal.aborted,
      leftovers: clock.pendingSleeps + pendingCalls + getEventListeners(signal, 'abort').length,
    });
  }
}

function nameOf(result: unknown): string {
  if (result instanceof Error) {
    return `${result.name}: ${result.message}`;
  }
  return typeof result === 'string' ? result : describe(result as Outcome<string>);
}

function describe(outcome: Outcome<string>): string {
  const token = 'fencingToken' in outcome ? ` with ${outcome.fencingToken}` : '';
  return `${outcome.status}, ${'end' in outcome ? outcome.end : outcome.reason}${token}`;
}
