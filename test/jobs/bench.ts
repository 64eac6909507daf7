import { createJobRunner, defineJob, monthly, runJob } from 'tenure/jobs';
import type {
  Job,
  JobDefinition,
  JobOutcome,
  JobRun,
  JobRunner,
  JobRunnerOptions,
  RunOptions,
  SweepResult,
  Trigger,
} from 'tenure/jobs';
import { Bench, type expiries } from '../core/bench.ts';

/** What a sweep that left nothing resolves to. */
export const nothing: SweepResult = { unfinished: 0, unknown: 0 };

/** The trigger of a tick for this instant, in ISO 8601. */
export function tickAt(instant: string): Trigger {
  return { nominalTime: new Date(instant) };
}

/** A job for months from 2026-01 on, under the lease of the bench. */
export function monthlyJob<Cursor = unknown>(
  run: JobDefinition<Cursor>['run'],
  options: Partial<JobDefinition<Cursor>> = {},
): Job<Cursor> {
  return defineJob({
    name: 'billing',
    lease: 'orders',
    periods: monthly(),
    startFrom: '2026-01',
    run,
    ...options,
  });
}

/** One store and one clock for runners of a job. It is 2026-04-10: three months are due. */
export class JobBench extends Bench {
  /** What the runners have told, in this order. */
  readonly outcomes: JobOutcome[] = [];
  readonly #note = (outcome: JobOutcome): void => {
    this.outcomes.push(outcome);
  };

  constructor(expiry: (typeof expiries)[number] = 'observed') {
    super(expiry);
    this.clock.advanceWall(Date.parse('2026-04-10T00:00:00Z') - this.clock.wallMs());
  }

  runner<Cursor>(
    job: Job<Cursor>,
    identity: string = 'a',
    options: Partial<JobRunnerOptions> = {},
  ): JobRunner {
    return createJobRunner(job, { ...this.options(identity), ...options });
  }

  /** Runs for the present instant, and takes note of what is told. */
  run(runner: JobRunner): Promise<JobOutcome> {
    return runner.run({ trigger: this.now(), onOutcome: this.#note });
  }

  /** One invocation of a process that ends with it, for the present instant; moves the clock. */
  tick<Cursor>(
    job: Job<Cursor>,
    options: Partial<RunOptions> = {},
    identity: string = 'a',
  ): Promise<JobOutcome> {
    const base = { trigger: this.now(), onOutcome: this.#note };
    return this.settled(runJob(job, { ...this.options(identity), ...base, ...options }));
  }

  /** The trigger of a tick for the present instant. */
  now(): Trigger {
    return { nominalTime: new Date(this.clock.wallMs()) };
  }

  options(identity: string): JobRunnerOptions {
    return {
      store: this.store,
      identity,
      firstToken: 33,
      clock: this.clock,
      random: () => 0,
      observer: (event) => this.events.push(event),
    };
  }

  /** What the record holds for the job. */
  async stored(): Promise<string | undefined> {
    const record = await this.jobElection('watcher').look(undefined);
    return record?.jobState;
  }
}

/** A run over items that take a second each, with the last settled one as cursor. */
export function itemRun(
  bench: JobBench,
  items: readonly string[],
  seen: string[],
): (run: JobRun<string>) => Promise<SweepResult> {
  return async (run) => {
    let { cursor } = run;
    for (const item of items.filter((name) => cursor === undefined || name > cursor)) {
      await run.checkpoint(cursor);
      await bench.clock.sleep(1_000);
      seen.push(`${run.period} ${item}`);
      run.count('charged');
      cursor = item;
    }
    await run.checkpoint(cursor);
    return nothing;
  };
}
