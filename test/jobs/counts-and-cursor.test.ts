import { describe, expect, it } from 'vitest';
import type { JobDefinition } from 'tenure/jobs';
import { rejection } from '../core/bench.ts';
import { JobBench, monthlyJob, nothing, tickAt } from './bench.ts';

const january = { trigger: tickAt('2026-02-01T00:00:00Z') };

/** Runs a job for January with this `run`, once. */
async function runOnce(
  run: JobDefinition<unknown>['run'],
): Promise<{ readonly bench: JobBench; readonly error: unknown }> {
  const bench = new JobBench();
  return { bench, error: await rejection(bench.tick(monthlyJob(run), january)) };
}

describe('what a run may note', () => {
  it.each<[string, unknown, string]>([
    ['longer than 200 bytes', 'ü'.repeat(100), 'cursor must be at most 200 bytes of JSON, got 202'],
    ['no JSON', new Date(0), 'cursor must be JSON, got Date'],
    ['no JSON within', { at: [Number.NaN] }, 'cursor.at.0 must be JSON, got NaN'],
  ])('is no cursor that is %s', async (_, cursor, message) => {
    const { error } = await runOnce(async ({ checkpoint }) => {
      await checkpoint(cursor);
      return nothing;
    });
    expect(error).toMatchObject({ message });
  });

  it('is a cursor as it was when it was given', async () => {
    const { bench } = await runOnce(async ({ checkpoint }) => {
      const cursor = { last: 'ü'.repeat(94) };
      await checkpoint(cursor);
      cursor.last = 'changed';
      await checkpoint();
      throw new Error('interrupted');
    });
    expect(await bench.stored()).toContain('ü'.repeat(94));
  });

  it.each<[string, unknown, string]>([
    ['', 1, `a count's name must be 1 to 12 letters, got ""`],
    ['charged-twice', 1, `a count's name must be 1 to 12 letters, got "charged-twice"`],
    ['a'.repeat(13), 1, `a count's name must be 1 to 12 letters, got "aaaaaaaaaaaaa"`],
    ['charged', -1, 'by must be a whole number from 0, got -1'],
    ['charged', 0.5, 'by must be a whole number from 0, got 0.5'],
    ['charged', '1', 'by must be a number (a whole number from 0), got "1"'],
  ])('is no count %j by %j', async (name, by, message) => {
    const { error } = await runOnce(async ({ count }) => {
      count(name, by as number);
      return nothing;
    });
    expect(error).toMatchObject({ message });
  });

  it('is six counts at most, and none goes beyond eight digits', async () => {
    const { bench, error } = await runOnce(async ({ count }) => {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
        count(name, 99_999_998);
        count(name, 5);
      }
      count('g');
      return nothing;
    });
    expect(error).toEqual(new RangeError('at most 6 things can be counted, g is one too many'));
    expect(bench.outcomes[0]?.periods[0]?.counts).toMatchObject({ a: 99_999_999, f: 99_999_999 });
  });

  it('are counts under any name that objects have anyhow', async () => {
    const { bench } = await runOnce(async ({ checkpoint, count }) => {
      for (const name of ['constructor', 'toString', 'valueOf']) {
        count(name);
        count(name, 2);
      }
      await checkpoint();
      throw new Error('interrupted');
    });
    expect(JSON.parse((await bench.stored()) ?? '')).toMatchObject({
      run: { counts: { constructor: 3, toString: 3, valueOf: 3 } },
    });
    expect(
      await bench.tick(
        monthlyJob(async () => nothing),
        january,
      ),
    ).toMatchObject({
      reason: 'completed',
    });
  });
});
