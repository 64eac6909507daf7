import type { RawLease, SuiteCase } from './suite-case.ts';
import { shown, type SuiteBench } from './suite-bench.ts';

/** JSON texts that must come back as they were. */
const texts: readonly (readonly [string, string])[] = [
  ['plain', '{"completedThrough":"2026-01"}'],
  ['of any language', '{"å":"Zoë","客户":"請求","עברית":"ﷺ","e\u0301":"é","🧾":"👩‍👩‍👧"}'],
  ['with escapes', '"\\u0000 \\ud800 \\\\ \\" \\n \u2028 \uFEFF \u007F %25 + &amp; =?utf-8?"'],
  ['of 1 KiB', fullJobState()],
];

/** The longest state of jobs: 1 KiB of UTF-8, of which little is ASCII. */
export function fullJobState(): string {
  return JSON.stringify(`${'機'.repeat(340)}ok`);
}

/** What a record keeps for jobs, beside the progress of the work. */
export const jobStateCases: readonly SuiteCase[] = [
  ...texts.flatMap(([kind, jobState]): readonly SuiteCase[] => [
    {
      name: `keeps jobs' state ${kind} that a renewal saves`,
      run: async (bench) => {
        const term = await bench.acquire();
        await term.held.renew({ jobState }, bench.call);
        await expectKept(bench, { jobState });
        await bench.release(term);
        await expectKept(bench, { jobState, released: true });
        await bench.acquire({ fencingToken: 34 });
        await expectKept(bench, { jobState, fencingToken: 34 });
      },
    },
    {
      name: `keeps jobs' state ${kind} that a release saves`,
      run: async (bench) => {
        const { held } = await bench.acquire();
        await held.renew({ jobState: '"older"' }, bench.call);
        await held.release({ jobState, history: [] }, bench.call);
        await expectKept(bench, { jobState, released: true });
      },
    },
  ]),
  {
    name: "keeps jobs' state through a takeover from a silent holder",
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ jobState: '"done"' }, bench.call);
      await bench.takeOver({ holder: 'a', fencingToken: 34 });
      await expectKept(bench, { jobState: '"done"', fencingToken: 34 });
    },
  },
  {
    name: "leaves stored jobs' state alone where a renewal, a release or a bid has none",
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ jobState: '"done"' }, bench.call);
      await held.renew({}, bench.call);
      await expectKept(bench, { jobState: '"done"' });
      const second = await bench.takeOver({ holder: 'a', fencingToken: 34 });
      await second.held.renew({}, bench.call);
      await expectKept(bench, { jobState: '"done"', fencingToken: 34 });
      await second.held.release({ history: [] }, bench.call);
      await expectKept(bench, { jobState: '"done"', fencingToken: 34, released: true });
    },
  },
  {
    name: "clears jobs' state when a renewal says so",
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ jobState: '"done"' }, bench.call);
      await expectKept(bench, { jobState: '"done"' });
      await held.renew({ jobState: null }, bench.call);
      await expectKept(bench, {});
    },
  },
  {
    name: "clears jobs' state when a release says so",
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ jobState: '"done"' }, bench.call);
      await expectKept(bench, { jobState: '"done"' });
      const result = await held.release({ jobState: null, history: [] }, bench.call);
      bench.expect(result.released).toEqual(true);
      await expectKept(bench, { released: true });
    },
  },
  {
    name: "saves progress and jobs' state with one renewal, and with one release",
    run: async (bench) => {
      const { held } = await bench.acquire();
      const first = { progress: '"p1"', jobState: '"j1"' };
      bench.expect(await held.renew(first, bench.call)).toEqual({ renewed: true });
      await expectKept(bench, first);
      const last = { progress: '"p2"', jobState: '"j2"' };
      const result = await held.release({ ...last, history: [] }, bench.call);
      bench.expect(result.released).toEqual(true);
      await expectKept(bench, { ...last, released: true });
    },
  },
  {
    name: "keeps progress and jobs' state apart when one of them is replaced or cleared",
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ progress: '"p1"', jobState: '"j1"' }, bench.call);
      await held.renew({ progress: '"p2"' }, bench.call);
      await expectKept(bench, { progress: '"p2"', jobState: '"j1"' });
      await held.renew({ jobState: '"j2"' }, bench.call);
      await expectKept(bench, { progress: '"p2"', jobState: '"j2"' });
      await held.renew({ progress: null }, bench.call);
      await expectKept(bench, { jobState: '"j2"' });
      await held.renew({ progress: '"p3"', jobState: null }, bench.call);
      await expectKept(bench, { progress: '"p3"' });
    },
  },
  {
    name: "keeps the jobs' state that an abandoned bid has found",
    run: async (bench) => {
      const first = await bench.acquire();
      await first.held.renew({ jobState: '"done"' }, bench.call);
      await bench.release(first);
      const { bid } = await bench.acquire({ fencingToken: 34 });
      await bench.store.abandon(bench.lease, bid, bench.call);
      await expectKept(bench, { jobState: '"done"', fencingToken: 34, released: true });
    },
  },
  {
    name: "shows jobs' state in the look that a release returns",
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ jobState: '"done"' }, bench.call);
      const result = await held.release({ history: [] }, bench.call);
      bench.expect(result.released && shown(result.look)).toEqual(shown(await bench.look()));
      await expectKept(bench, { jobState: '"done"', released: true });
    },
  },
];

/** Checks what is stored for holder `a`, and that a look shows it. */
async function expectKept(bench: SuiteBench, expected: Partial<RawLease>): Promise<void> {
  const { fencingToken = 33, released = false, progress, jobState } = expected;
  await bench.expectStored({ fencingToken, released, progress, jobState });
  bench.expect(shown(await bench.look())).toEqual({
    state: released ? 'free' : 'held',
    holder: 'a',
    fencingToken,
    leaseDurationMs: bench.leaseDurationMs,
    progress: progress ?? null,
    jobState: jobState ?? null,
  });
}
