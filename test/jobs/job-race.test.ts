import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job, JobOutcome, JobRunner } from 'tenure/jobs';
import { expiries } from '../core/bench.ts';
import { JobBench, monthlyJob, nothing } from './bench.ts';

const items = [1, 2, 3, 4];

interface Step {
  readonly process: 0 | 1;
  /** After how many items the process dies; before or after the effect of the next one. */
  readonly dies: { readonly after: number; readonly withEffect: boolean } | undefined;
  readonly pauseMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  process: fc.constantFrom(0, 1),
  dies: fc.option(fc.record({ after: fc.nat(10), withEffect: fc.boolean() }), { nil: undefined }),
  pauseMs: fc.nat(40_000),
});

/** Two places for a process, each of which starts a new one when the last has died. */
class Race {
  readonly bench: JobBench;
  readonly effects: string[] = [];
  readonly #runners: (JobRunner | undefined)[] = [undefined, undefined];
  #born = 0;

  constructor(expiry: (typeof expiries)[number]) {
    this.bench = new JobBench(expiry);
  }

  async take({ process, dies, pauseMs }: Step): Promise<void> {
    const { bench } = this;
    const runner = (this.#runners[process] ??= this.#start(process, dies));
    void runner.run({ trigger: bench.now(), onOutcome: (told) => this.#see(told) });
    await bench.clock.advance(pauseMs);
  }

  /** Ticks of a process that lives, until nothing is due. */
  async finish(): Promise<JobOutcome> {
    for (let left = 20; left > 0; left -= 1) {
      const outcome = await this.bench.tick(
        this.#job(() => undefined),
        {},
        `last-${left}`,
      );
      if (outcome.status === 'idle') {
        return outcome;
      }
    }
    throw new Error('still not done');
  }

  #start(process: 0 | 1, dies: Step['dies']): JobRunner {
    this.#born += 1;
    let left = dies?.after ?? Infinity;
    const job = this.#job(() => {
      left -= 1;
      if (left >= 0) {
        return undefined;
      }
      this.#runners[process] = undefined;
      return dies;
    });
    return this.bench.runner(job, `p${this.#born}`);
  }

  /** @param next - Says at each item whether the process dies there. */
  #job(next: () => Step['dies']): Job<number> {
    return monthlyJob<number>(async ({ period, cursor = 0, checkpoint, leadership }) => {
      for (const item of items.slice(cursor)) {
        await checkpoint(item - 1);
        await this.bench.clock.sleep(2_000);
        leadership.assertLeader();
        const death = next();
        if (!death || death.withEffect) {
          this.effects.push(`${period} ${item}`);
        }
        if (death) {
          await new Promise(() => {});
        }
      }
      return nothing;
    });
  }

  /** What is told to be complete has all its effects by now. */
  #see({ periods }: JobOutcome): void {
    for (const { period } of periods.filter(({ end }) => end === 'completed')) {
      const missing = items.filter((item) => !this.effects.includes(`${period} ${item}`));
      if (missing.length > 0) {
        this.effects.push(`${period} was called complete without ${missing.join()}`);
      }
    }
  }
}

describe('two processes that race for a job and die', () => {
  it.each(expiries)('do every item, and call nothing complete before: %s', async (expiry) => {
    let deaths = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const race = new Race(expiry);
        for (const one of steps) {
          await race.take(one);
        }
        deaths += race.effects.length > 0 && steps.some(({ dies }) => dies) ? 1 : 0;
        expect(await race.finish()).toMatchObject({
          reason: 'nothing-due',
          completedThrough: '2026-03',
        });
        const all = ['2026-01', '2026-02', '2026-03'].flatMap((period) =>
          items.map((item) => `${period} ${item}`),
        );
        expect([...new Set(race.effects)].toSorted()).toEqual(all);
      }),
      { numRuns: 40 },
    );
    // Else nobody died in mid-run.
    expect(deaths).toBeGreaterThan(10);
  });
});
