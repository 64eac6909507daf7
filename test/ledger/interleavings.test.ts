import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { isTenureError, OutcomeUnknownError } from '../../src/core/errors.ts';
import {
  createLedger,
  idempotencyKeyOf,
  memoryLedgerStore,
  NotSentError,
  type Effect,
  type LedgerStore,
} from '../../src/ledger/index.ts';
import { charging, dayMs, key, term, type TestTerm } from './bench.ts';

type Fault = 'none' | 'lose-request' | 'lose-reply' | 'late';

/** How the downstream treats a request, and what the caller hears of it. */
type Answer = 'answered' | 'reply-lost' | 'request-lost' | 'not-sent';

/** One run: what each leader meets, in the order in which it meets it. */
interface Plan {
  readonly honoured: boolean;
  readonly declines: boolean;
  readonly faults: readonly [readonly Fault[], readonly Fault[]];
  readonly answers: readonly [readonly Answer[], readonly Answer[]];
}

const faults = fc.array(
  fc.constantFrom<Fault>('none', 'none', 'lose-request', 'lose-reply', 'late'),
  {
    maxLength: 10,
  },
);
const answers = fc.array(
  fc.constantFrom<Answer>('answered', 'reply-lost', 'request-lost', 'not-sent'),
  { minLength: 2, maxLength: 2 },
);
const plans: fc.Arbitrary<Plan> = fc.record({
  honoured: fc.boolean(),
  declines: fc.boolean(),
  faults: fc.tuple(faults, faults),
  answers: fc.tuple(answers, answers),
});

class Run {
  readonly #scheduler: fc.Scheduler;
  readonly #plan: Plan;
  readonly store = memoryLedgerStore();
  readonly keys = new Set<string>();
  readonly settled: string[] = [];
  readonly codes: string[] = [];
  arrived = 0;
  tried = 0;

  constructor(scheduler: fc.Scheduler, plan: Plan) {
    this.#scheduler = scheduler;
    this.#plan = plan;
  }

  /** Two leaders; the second takes over at any moment of the first one's work. */
  async play(): Promise<void> {
    const old = term(33);
    const first = this.#lead(old, 0);
    const second = this.#step('take over').then(() => {
      old.lose();
      return this.#lead(term(34), 1);
    });
    await this.#scheduler.waitFor(Promise.all([first, second]));
    // What is late arrives at last.
    await this.#scheduler.waitIdle();
  }

  /** What must hold in the end, and does not. */
  brokenPromises(state: string | undefined): readonly string[] {
    const { declines, honoured } = this.#plan;
    const settled = declines ? 'declined' : 'done';
    const fitting = this.tried === 0 ? [undefined, 'untried'] : ['pending', 'unknown', settled];
    const heard = new Set(this.settled);
    const stored = JSON.stringify({ status: state, result: 'ch-1' });
    const promises = {
      'one key': this.keys.size <= 1,
      'no second effect unless the key is honoured': honoured || this.tried <= 1,
      [`no entry lost, and no unknown that nobody tried: ${state}`]: fitting.includes(state),
      'what a caller was told is on record': heard.size === 0 || heard.has(stored),
      'all callers are told the same': heard.size <= 1,
    };
    return Object.entries(promises).flatMap(([promise, kept]) => (kept ? [] : [promise]));
  }

  async #lead(leadership: TestTerm, index: 0 | 1): Promise<void> {
    const ledger = createLedger({
      store: this.#remote([...this.#plan.faults[index]]),
      clock: this.#clock(),
    });
    const keyHonouredForMs = this.#plan.honoured ? dayMs : 0;
    for (const answer of this.#plan.answers[index]) {
      const outcome = await ledger
        .once(charging(leadership, { keyHonouredForMs }), this.#effect(answer))
        .catch((error: unknown) => error);
      if (isTenureError(outcome)) {
        this.codes.push(outcome.code);
      } else if (typeof outcome === 'object' && outcome !== null && 'result' in outcome) {
        this.settled.push(JSON.stringify(outcome));
      }
    }
  }

  #effect(answer: Answer): Effect {
    return async ({ idempotencyKey }) => {
      if (answer === 'not-sent') {
        throw new NotSentError('no connection');
      }
      this.tried += 1;
      await this.#step('request at the gateway');
      if (answer === 'request-lost') {
        throw new Error('no answer');
      }
      this.keys.add(idempotencyKey);
      this.arrived += 1;
      await this.#step('reply of the gateway');
      if (answer === 'reply-lost') {
        throw new Error('no answer');
      }
      return { status: this.#plan.declines ? 'declined' : 'done', result: 'ch-1' };
    };
  }

  #remote(left: Fault[]): LedgerStore {
    const unknown = (): Error => new OutcomeUnknownError('no answer', { store: 'memory' });
    const signal = new AbortController().signal;
    const carry = async <T>(call: () => Promise<T>): Promise<T> => {
      await this.#step('request at the store');
      const fault = left.shift() ?? 'none';
      if (fault === 'late') {
        void this.#step('late request at the store').then(call);
      }
      if (fault === 'late' || fault === 'lose-request') {
        throw unknown();
      }
      const answer = await call();
      await this.#step('reply of the store');
      if (fault === 'lose-reply') {
        throw unknown();
      }
      return answer;
    };
    return {
      name: 'memory',
      read: (id) => carry(() => this.store.read(id, { signal })),
      write: (id, write) => carry(() => this.store.write(id, write, { signal })),
      listUnfinished: (from) => this.store.listUnfinished(from, { signal }),
    };
  }

  /** Time stands still; pauses end when the scheduler likes, and no call times out. */
  #clock(): Clock {
    return {
      monotonicMs: () => 0,
      wallMs: () => 1_767_225_600_000,
      sleep: (ms) => (ms < 2_000 ? this.#step('pause') : new Promise(() => {})),
    };
  }

  async #step(label: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), label);
  }
}

describe('two leaders over one ledger, in any order of their steps', () => {
  it('keep every promise', async () => {
    const seen: Record<string, number> = {};
    const count = (what: string, happened: boolean): void => {
      seen[what] = (seen[what] ?? 0) + Number(happened);
    };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plans, async (scheduler, plan) => {
        const run = new Run(scheduler, plan);
        await run.play();
        const call = { signal: new AbortController().signal };
        const state = (await run.store.read(idempotencyKeyOf(key), call))?.record.state;

        expect(run.brokenPromises(state)).toEqual([]);

        count('stale', run.codes.includes('STALE_TOKEN'));
        count('lost', run.codes.includes('LEASE_LOST'));
        count('repeated', run.arrived > 1);
        count('untried', state === 'untried');
        count('unknown', state === 'unknown');
        count('settled', run.settled.length > 0);
      }),
      { numRuns: 600 },
    );
    for (const what of ['stale', 'lost', 'repeated', 'untried', 'unknown', 'settled']) {
      expect({ [what]: (seen[what] ?? 0) > 5 }).toEqual({ [what]: true });
    }
  });
});
