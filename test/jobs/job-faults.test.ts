import { describe, expect, it } from 'vitest';
import {
  BudgetSpentError,
  LeaseLostError,
  StaleTokenError,
  StoreRejectedError,
  StoreUnavailableError,
} from 'tenure';
import { customPeriods, type JobDefinition, type JobOutcome, type RunOptions } from 'tenure/jobs';
import { expiries, rejection } from '../core/bench.ts';
import { failsWith, hangs } from '../core/scripted-store.ts';
import { JobBench, monthlyJob, nothing, tickAt } from './bench.ts';
import { outcomeEvent } from '../../src/jobs/outcome-event.ts';

const place = { lease: 'orders', store: 'scripted' };
const down = new StoreUnavailableError('no contact', place);
const january = { trigger: tickAt('2026-02-01T00:00:00Z') };

function never(): JobDefinition<unknown>['run'] {
  return () => {
    throw new Error('must not run');
  };
}

function notFound(): never {
  throw new RangeError('the event names no period');
}

/** What a run rejects with, and the one outcome that it told. */
async function failure(
  bench: JobBench,
  options: Partial<RunOptions>,
  run: JobDefinition<unknown>['run'] = never(),
): Promise<{ readonly error: unknown; readonly outcome: JobOutcome | undefined }> {
  const before = bench.outcomes.length;
  const error = await rejection(bench.tick(monthlyJob(run), options));
  expect(bench.outcomes).toHaveLength(before + 1);
  bench.expectQuiet();
  return { error, outcome: bench.outcomes.at(-1) };
}

describe.each(expiries)('a run that fails, where expiry is judged by: %s', (expiry) => {
  it.each([
    ['look', down],
    ['look', new StoreRejectedError('no table', place)],
    ['acquire', down],
    ['acquire', new StoreRejectedError('no permission', place)],
  ] as const)('because of the store, at %s: %s', async (operation, cause) => {
    const bench = new JobBench(expiry);
    bench.store.every([operation], failsWith(cause));
    const { error, outcome } = await failure(bench, {});
    expect(error).toBe(cause);
    expect(outcome).toMatchObject({
      status: 'failed',
      reason: 'store',
      periods: [],
      error: { name: cause.name, code: cause.code, message: cause.message },
    });
    // What could not be read is not known to be all right.
    expect('periodLagSeconds' in (outcome ?? {})).toBe(operation === 'acquire');
  });

  it.each(['look', 'acquire'] as const)('because the store hangs at %s', async (operation) => {
    const bench = new JobBench(expiry);
    bench.store.every([operation, 'abandon'], hangs);
    const { outcome } = await failure(bench, {});
    expect(outcome).toMatchObject({ status: 'failed', reason: 'store' });
    expect(outcome?.durationMs).toBeLessThan(30_000);
  });

  it('does not claim what a failed release may not have stored', async () => {
    const bench = new JobBench(expiry);
    bench.store.every(['release'], failsWith(down));
    const outcome = await bench.tick(
      monthlyJob(async () => nothing),
      january,
    );
    expect(outcome).toMatchObject({
      status: 'led',
      reason: 'completed',
      incomplete: ['2026-01'],
      incompleteCount: 1,
      error: { code: 'STORE_UNAVAILABLE' },
    });
    expect(outcome).not.toHaveProperty('completedThrough');
    expect(outcomeEvent(outcome, {}).level).toBe('warn');
  });

  it('because its signal aborts, before or while it works', async () => {
    const bench = new JobBench(expiry);
    const reason = new Error('shutting down');
    const signal = AbortSignal.abort(reason);
    const early = await failure(bench, { signal });
    expect(early.error).toBe(reason);
    expect(early.outcome).toMatchObject({ status: 'failed', reason: 'aborted' });
    const controller = new AbortController();
    const late = await failure(bench, { signal: controller.signal }, async (run) => {
      await run.checkpoint('c-1');
      controller.abort(reason);
      await run.checkpoint('c-2');
      return nothing;
    });
    expect(late.error).toBe(reason);
    expect(late.outcome).toMatchObject({
      status: 'failed',
      reason: 'aborted',
      fencingToken: 33,
      error: { name: 'Error', message: 'shutting down' },
    });
    bench.expectQuiet(controller.signal);
    expect(await bench.stored()).toContain('"cursor":"c-2"');
  });

  it('by its own error, also while its signal aborts', async () => {
    const controller = new AbortController();
    const bench = new JobBench(expiry);
    const { outcome } = await failure(bench, { signal: controller.signal }, () => {
      controller.abort(new Error('shutting down'));
      return Promise.reject(new Error('its own'));
    });
    expect(outcome).toMatchObject({ reason: 'work', error: { message: 'its own' } });
  });

  it.each(['{"v":2}', 'garbage', '{"v":1,"settled":"2026-W01"}'])(
    'because the record holds what is no state of this job: %s',
    async (text) => {
      const bench = new JobBench(expiry);
      await bench.jobElection('b').lead((_, slot) => slot.leave(text), {});
      const { error, outcome } = await failure(bench, {});
      expect(error).toMatchObject({ code: 'LEASE_RECORD_INVALID', lease: 'orders' });
      expect(outcome).toMatchObject({ status: 'failed', reason: 'store' });
      expect(outcome).not.toHaveProperty('periodLagSeconds');
      expect(await bench.stored()).toBe(text);
      expect(bench.store.count('acquire')).toBe(1);
    },
  );

  it('because such a state came between the look and the acquire', async () => {
    const bench = new JobBench(expiry);
    bench.store.next('acquire', async (apply) => {
      await bench.jobElection('b').lead((_, slot) => slot.leave('{"v":2}'), {});
      return apply();
    });
    const { error, outcome } = await failure(bench, {});
    expect(error).toMatchObject({ code: 'LEASE_RECORD_INVALID' });
    expect(outcome).toMatchObject({ status: 'failed', reason: 'store', periods: [] });
    expect(await bench.stored()).toBe('{"v":2}');
  });
});

describe('a run that is asked for wrongly', () => {
  it.each<[string, object, string]>([
    ['no trigger', { trigger: undefined }, 'trigger must be an object with a nominalTime'],
    ['an empty trigger', { trigger: {} }, 'got nominalTime undefined'],
    ['a time that is text', { trigger: { nominalTime: '2026-01-01' } }, 'got nominalTime "2026-01'],
    ['an invalid date', { trigger: tickAt('never') }, 'valid Date, got Invalid Date'],
    ['a period that is none', { trigger: { period: '2026-13' } }, '2026-13'],
    ['a period of another kind', { trigger: { period: '2026-W01' } }, '2026-W01'],
    ['a period that is no text', { trigger: { period: 7 } }, 'trigger.period must be text, got 7'],
    ['a wait', { wait: 'for ever' }, 'wait must be'],
    ['a budget', { budget: { remainingMs: 7, reserveMs: 1 } }, 'budget.remainingMs must be'],
    ['a signal', { signal: {} }, 'signal must be an AbortSignal'],
    ['a label', { label: '' }, 'label must have 1 to 256 bytes'],
    ['a long label', { label: 'x'.repeat(255) }, 'identity/label must have 1 to 256 bytes'],
    ['a trigger that is not found', { trigger: notFound }, 'the event names no period'],
    ['a function that finds none', { trigger: () => ({ period: 'May' }) }, 'May'],
  ])('says so, and sends nothing: %s', async (_, options, message) => {
    const bench = new JobBench();
    const { error, outcome } = await failure(bench, options);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(['TypeError', 'RangeError']).toContain((error as Error).name);
    expect(outcome).toMatchObject({ status: 'failed', reason: 'configuration', identity: 'a' });
    expect(bench.store.calls).toEqual([]);
  });

  it('says so where nobody could be told, too', async () => {
    const bench = new JobBench();
    const error = await rejection(bench.tick(monthlyJob(never()), { onOutcome: 'log' as never }));
    expect(error).toEqual(new TypeError('onOutcome must be a function, got "log"'));
    expect(bench.store.calls).toEqual([]);
  });

  it('says so where startFrom leaves too many periods due', async () => {
    const bench = new JobBench();
    const periods = customPeriods({ next: (hour) => `${Number(hour) + 1}`, dueFromMs: Number });
    const job = monthlyJob(never(), { periods, startFrom: '0' });
    const error = await rejection(bench.tick(job));
    expect(error).toMatchObject({
      message: expect.stringContaining('startFrom must leave at most'),
    });
    expect(bench.outcomes).toMatchObject([{ status: 'failed', reason: 'configuration' }]);
  });
});

describe('a run whose own errors speak of leadership', () => {
  it.each([
    [
      'wraps what the checkpoint rejected with',
      (error: unknown) => new Error('x', { cause: error }),
    ],
    ['is an abort', () => new DOMException('aborted', 'AbortError')],
  ])('is paused where its error %s', async (_, wrap) => {
    const bench = new JobBench();
    const budget = { remainingMs: () => 3_000 - bench.clock.monotonicMs(), reserveMs: 2_000 };
    const job = monthlyJob(async ({ checkpoint }) => {
      await bench.clock.sleep(1_500);
      throw wrap(await rejection(checkpoint()));
    });
    const outcome = await bench.tick(job, { ...january, budget });
    expect(outcome).toMatchObject({
      status: 'led',
      reason: 'paused',
      periods: [{ end: 'paused' }],
    });
  });

  it('fails where another lease was lost, or another budget spent', async () => {
    const foreign = [
      new LeaseLostError('expired', 'lost', { ...place, fencingToken: 7 }),
      new BudgetSpentError('spent', place),
    ];
    for (const error of foreign) {
      const bench = new JobBench();
      const { outcome } = await failure(bench, january, () => Promise.reject(error));
      expect(outcome).toMatchObject({ status: 'failed', periods: [{ end: 'failed' }] });
    }
  });

  it('is lost where a guarded resource has seen a higher token', async () => {
    const bench = new JobBench();
    const job = monthlyJob(({ leadership: { fencingToken } }) =>
      Promise.reject(new StaleTokenError('stale', { ...place, fencingToken, highestToken: 99 })),
    );
    const outcome = await bench.tick(job, january);
    expect(outcome).toMatchObject({
      status: 'lost',
      reason: 'taken-over',
      periods: [{ end: 'lost' }],
    });
    expect(outcome).not.toHaveProperty('error');
  });

  it('tells of its own error besides the loss', async () => {
    const bench = new JobBench();
    const job = monthlyJob(async () => {
      await bench.clock.sleep(12_000);
      throw new Error('of its own');
    });
    const outcome = await bench.tick(job, january);
    expect(outcome).toMatchObject({
      status: 'lost',
      error: { message: 'of its own' },
      periods: [{ end: 'failed' }],
    });
  });
});

describe('a trigger that is found within the run', () => {
  it('is asked for once, and is the one that counts', async () => {
    const bench = new JobBench();
    let asked = 0;
    const outcome = await bench.tick(
      monthlyJob(async () => nothing),
      {
        trigger: () => {
          asked += 1;
          return { period: '2026-02' };
        },
      },
    );
    expect(outcome).toMatchObject({ trigger: { period: '2026-02' }, reason: 'completed' });
    expect(asked).toBe(1);
  });
});

describe('onOutcome', () => {
  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('cannot fail a run, nor hide its error: it %s', async (_, onOutcome) => {
    const bench = new JobBench();
    const failing = monthlyJob(() => Promise.reject(new Error('its own')));
    expect(await rejection(bench.tick(failing, { onOutcome }))).toMatchObject({
      message: 'its own',
    });
    const job = monthlyJob(async () => nothing);
    expect(await bench.tick(job, { onOutcome })).toMatchObject({ reason: 'completed' });
  });
});
