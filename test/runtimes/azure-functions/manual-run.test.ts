import { describe, expect, it, vi } from 'vitest';
import { StaleTokenError } from 'tenure';
import { AppBench, nothingLeft, type RunOf } from './bench.ts';

const manual = { manual: { authLevel: 'function' } } as const;

function benchWith(run?: RunOf): AppBench {
  const bench = new AppBench();
  bench.register(bench.job(run), manual);
  return bench;
}

/** A job that is at it until the end of the test. */
const never: RunOf = () => new Promise(() => {});

describe('a manual run', () => {
  it('works for the period that it names, and answers with the outcome', async () => {
    const bench = benchWith();
    const { ok, returned, line } = await bench.post('{ "period": "2026-09", "by": "Ada" }');
    expect(ok).toBe(true);
    expect(bench.worked).toEqual(['2026-09']);
    expect(returned).toMatchObject({
      status: 200,
      body: { status: 'led', reason: 'completed', periods: [{ period: '2026-09' }] },
    });
    expect(line).toMatchObject({
      functionName: 'billing-manual',
      nominalTimeSource: 'request',
      trigger: { period: '2026-09' },
      identity: expect.stringContaining('azure:westeurope:billing-prod:billing:1.2.0/') as string,
    });
  });

  it('answers 200 again for a period that is complete, and works no more', async () => {
    const bench = benchWith();
    await bench.post('{ "period": "2026-10" }');
    const { returned } = await bench.post('{ "period": "2026-10" }');
    expect(returned).toMatchObject({ status: 200, body: { reason: 'already-complete' } });
    expect(bench.worked).toEqual(['2026-10']);
  });

  it('answers 409 for a period that is not over', async () => {
    const bench = benchWith();
    const { returned } = await bench.post('{ "period": "2026-11" }');
    expect(returned).toMatchObject({ status: 409, body: { status: 'idle', reason: 'not-due' } });
    expect(bench.worked).toEqual([]);
  });

  it('answers 409 while the timer of the same app works, and each tells of itself', async () => {
    const bench = benchWith(never);
    void bench.tick();
    await bench.clock.advance(0);
    const { returned, line } = await bench.post('{ "period": "2026-10" }');
    expect(returned).toMatchObject({ status: 409, body: { status: 'followed', reason: 'busy' } });
    expect(line).toMatchObject({ functionName: 'billing-manual', status: 'followed' });
  });

  it('answers 409 while another app leads', async () => {
    const bench = benchWith(never);
    void bench.tick();
    await bench.clock.advance(0);
    bench.register(bench.job(), { ...manual, wait: 'none' });
    const { returned } = await bench.post('{ "period": "2026-10" }');
    expect(returned).toMatchObject({ status: 409, body: { status: 'followed', reason: 'held' } });
  });

  it.each([
    [
      'a body that is no JSON',
      'period=2026-10',
      'TypeError',
      'the body must be JSON with a period, in text',
    ],
    ['an empty body', '', 'TypeError', 'the body must be JSON with a period, in text'],
    ['a body that is null', 'null', 'TypeError', 'the body must be JSON with a period, in text'],
    [
      'no period',
      '{ "perod": "2026-10" }',
      'TypeError',
      'the body must be JSON with a period, in text',
    ],
    [
      'a number',
      '{ "period": 202610 }',
      'TypeError',
      'the body must be JSON with a period, in text',
    ],
    ['a period of another kind', '{ "period": "2026-10-01" }', 'RangeError', 'got "2026-10-01"'],
  ])(
    'answers 400 to %s, says what it expects, and works for nothing',
    async (_, body, name, message) => {
      const bench = benchWith();
      const { ok, returned, line } = await bench.post(body);
      expect(ok).toBe(true);
      expect(returned).toEqual({
        status: 400,
        body: {
          error: { name, message: expect.stringContaining(message) as string },
          expected: { period: '2026-10' },
        },
      });
      expect(line).toMatchObject({ level: 'error', status: 'failed', reason: 'configuration' });
      expect(bench.worked).toEqual([]);
    },
  );

  it('answers 409 when another took over meanwhile', async () => {
    const bench = benchWith(({ leadership: { fencingToken } }) => {
      const context = { store: 'charges', fencingToken, highestToken: fencingToken + 1 };
      throw new StaleTokenError('a higher token was seen', context);
    });
    const { returned } = await bench.post('{ "period": "2026-10" }');
    expect(returned).toMatchObject({ status: 409, body: { status: 'lost', reason: 'taken-over' } });
  });

  it('answers 500 with no more than the name and the message when the work fails', async () => {
    const bench = benchWith(() =>
      Promise.reject(Object.assign(new TypeError('no file'), { path: '/x' })),
    );
    const { returned, line } = await bench.post('{ "period": "2026-10" }');
    expect(returned).toEqual({
      status: 500,
      body: { error: { name: 'TypeError', message: 'no file' } },
    });
    expect(line).toMatchObject({ level: 'error', status: 'failed', reason: 'work' });
  });

  it('answers 500 when its lease ran out over the work', async () => {
    const bench: AppBench = benchWith(async (jobRun) => {
      bench.clock.block(20_000);
      await jobRun.checkpoint();
      return nothingLeft;
    });
    const { returned } = await bench.post('{ "period": "2026-10" }');
    expect(returned).toMatchObject({ status: 500, body: { error: { name: 'LeaseLostError' } } });
  });

  it('pauses in time for an answer, which Azure waits 230 s for, and the next tick goes on', async () => {
    let sweeps = 0;
    const bench: AppBench = benchWith(async (jobRun) => {
      sweeps += 1;
      const seconds = sweeps === 1 ? 600 : 0;
      for (let second = 0; second < seconds; second += 1) {
        await bench.clock.sleep(1_000);
        await jobRun.checkpoint();
      }
      return nothingLeft;
    });
    const answer = bench.post('{ "period": "2026-09" }');
    // A body is read in the event loop's own time.
    await vi.waitUntil(() => bench.worked.length > 0);
    await bench.clock.advance(220_000);
    const { returned } = await answer;
    expect(returned).toMatchObject({ status: 200, body: { status: 'led', reason: 'paused' } });
    await bench.tick();
    expect(bench.worked).toEqual(['2026-09', '2026-09', '2026-10']);
  });
});
