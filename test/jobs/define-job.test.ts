import { describe, expect, it } from 'vitest';
import { memoryLeaseStore } from 'tenure/memory';
import {
  createJobRunner,
  daily,
  defineJob,
  monthly,
  type Job,
  type JobRunnerOptions,
} from 'tenure/jobs';
import { thrown } from '../core/bench.ts';
import { nothing } from './bench.ts';

const run = async (): Promise<typeof nothing> => nothing;
const definition = { name: 'billing', periods: monthly(), startFrom: '2026-01', run };

describe('defineJob', () => {
  it('fills in what is left out', () => {
    const job = defineJob(definition);
    expect(job).toEqual({
      ...definition,
      lease: 'billing',
      catchUp: 'all',
      maxPeriodsPerRun: 7,
      parseCursor: undefined,
      reconcile: undefined,
    });
    expect(job.run).toBe(run);
  });

  it.each<[object, string, string]>([
    [{ name: undefined }, 'TypeError', 'name must be a string of Unicode text, got undefined'],
    [{ name: '' }, 'RangeError', 'name must have 1 to 256 bytes of UTF-8, got 0'],
    [{ name: 'x'.repeat(65) }, 'RangeError', 'name must have 1 to 64 characters, got 65'],
    [{ lease: '' }, 'RangeError', 'lease must have 1 to 256 bytes of UTF-8, got 0'],
    [{ lease: 7 }, 'TypeError', 'lease must be a string of Unicode text, got 7'],
    [
      { periods: 'monthly' },
      'TypeError',
      'periods must be periods, such as monthly() returns, got "monthly"',
    ],
    [{ periods: {} }, 'TypeError', 'periods.parse must be a function, got undefined'],
    [
      { startFrom: undefined },
      'TypeError',
      'startFrom must be the name of the first period to work for, got undefined',
    ],
    [{ startFrom: '2026-13' }, 'RangeError', 'startFrom: '],
    [{ periods: daily() }, 'RangeError', 'startFrom: '],
    [{ catchUp: 'some' }, 'TypeError', `catchUp must be 'all', 'latest' or 'none', got "some"`],
    [
      { maxPeriodsPerRun: 0 },
      'RangeError',
      'maxPeriodsPerRun must be a whole number from 1, got 0',
    ],
    [
      { maxPeriodsPerRun: '7' },
      'TypeError',
      'maxPeriodsPerRun must be a number (a whole number from 1), got "7"',
    ],
    [{ run: undefined }, 'TypeError', 'run must be a function, got undefined'],
    [{ parseCursor: {} }, 'TypeError', 'parseCursor must be a function, got an object'],
    [{ reconcile: true }, 'TypeError', 'reconcile must be a function, got true'],
  ])('refuses %o', (change, name, message) => {
    const error = thrown(() => defineJob({ ...definition, ...change }));
    expect(error).toMatchObject({ name, message: expect.stringContaining(message) });
  });

  it('refuses what is no definition at all', () => {
    const error = thrown(() => defineJob(undefined as never));
    expect(error).toEqual(
      new TypeError(
        'definition must be an object with name, periods, startFrom and run, got undefined',
      ),
    );
  });
});

describe('createJobRunner', () => {
  const job = defineJob(definition);
  const store = memoryLeaseStore();

  it('has the identity that it was given, or one of its own', () => {
    expect(createJobRunner(job, { store, identity: 'a' }).identity).toBe('a');
    expect(createJobRunner(job, { store }).identity).not.toBe('');
  });

  it.each<[string, unknown, unknown, string]>([
    ['no job', undefined, { store }, 'job must be what defineJob returns, got undefined'],
    ['a definition', definition, { store }, 'job must be what defineJob returns, got an object'],
    ['no options', job, undefined, 'options must be an object with store, got undefined'],
    ['no store', job, {}, 'store must be a lease store'],
    ['an observer', job, { store, observer: 7 }, 'observer must be a function, got 7'],
    ['a clock', job, { store, clock: {} }, 'clock must have monotonicMs, wallMs and sleep'],
    ['an identity', job, { store, identity: '' }, 'identity must have 1 to 256 bytes'],
  ])('refuses %s that does not fit', (_, given, options, message) => {
    const error = thrown(() => createJobRunner(given as Job, options as JobRunnerOptions));
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('refuses to run without options', async () => {
    await expect(createJobRunner(job, { store }).run(undefined as never)).rejects.toThrow(
      'options must be an object with trigger, got undefined',
    );
  });
});
