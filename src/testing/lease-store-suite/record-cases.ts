import { withRelease } from '../../core/term-history.ts';
import type { PastTerm } from '../../core/lease-store.ts';
import { fullJobState } from './job-state-cases.ts';
import { shown, type SuiteBench } from './suite-bench.ts';
import type { SuiteCase } from './suite-case.ts';

const final = { progress: undefined, history: [] };

/** JSON texts that must come back as they were. */
const texts: readonly (readonly [string, string])[] = [
  ['plain', '{"period":"2026-01","lastCharged":"c-17"}'],
  ['of any language', '{"å":"Zoë","客户":"請求","עברית":"ﷺ","e\u0301":"é","🧾":"👩‍👩‍👧"}'],
  ['with escapes', '"\\u0000 \\ud800 \\\\ \\" \\n \u2028 \uFEFF \u007F %25 + &amp; =?utf-8?"'],
  ['of 2 KiB', JSON.stringify('漢'.repeat(682))],
];

/** What a record keeps. */
export const recordCases: readonly SuiteCase[] = [
  ...texts.flatMap(([kind, text]): readonly SuiteCase[] => [
    {
      name: `keeps progress ${kind} that a renewal saves`,
      run: async (bench) => {
        const term = await bench.acquire();
        await term.held.renew({ progress: text }, bench.call);
        await expectProgress(bench, text);
        await bench.release(term);
        await bench.expectStored({ released: true, progress: text });
        await bench.acquire({ fencingToken: 34 });
        await bench.expectStored({ fencingToken: 34, progress: text });
      },
    },
    {
      name: `keeps progress ${kind} that a release saves`,
      run: async (bench) => {
        const { held } = await bench.acquire();
        await held.renew({ progress: '"older"' }, bench.call);
        await held.release({ progress: text, history: [] }, bench.call);
        await expectProgress(bench, text, { released: true });
      },
    },
  ]),
  {
    name: 'leaves stored progress alone where a renewal, a release or a bid has none',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ progress: '"done"' }, bench.call);
      await held.renew({}, bench.call);
      await expectProgress(bench, '"done"');
      const second = await bench.takeOver({ holder: 'a', fencingToken: 34 });
      await second.held.renew({}, bench.call);
      await expectProgress(bench, '"done"', { fencingToken: 34 });
      await second.held.release(final, bench.call);
      await expectProgress(bench, '"done"', { fencingToken: 34, released: true });
    },
  },
  {
    name: 'clears progress when a renewal says so',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ progress: '"done"' }, bench.call);
      await expectProgress(bench, '"done"');
      await held.renew({ progress: null }, bench.call);
      await expectProgress(bench, undefined);
    },
  },
  {
    name: 'clears progress when a release says so',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ progress: '"done"' }, bench.call);
      await expectProgress(bench, '"done"');
      const result = await held.release({ progress: null, history: [] }, bench.call);
      bench.expect(result.released).toEqual(true);
      await expectProgress(bench, undefined, { released: true });
    },
  },
  {
    name: 'stores the largest token exactly',
    run: async (bench) => {
      const fencingToken = Number.MAX_SAFE_INTEGER;
      const term = await bench.acquire({ fencingToken });
      await term.held.renew({ progress: '1' }, bench.call);
      await bench.expectStored({ fencingToken, progress: '1' });
      await bench.release(term);
      await bench.expectStored({ fencingToken, progress: '1', released: true });
      bench.expect(tokenOf(await bench.look())).toEqual(fencingToken);
    },
  },
  {
    name: 'stores a holder of 256 bytes in any language',
    run: async (bench) => {
      const start = 'ho\u0301st "zoë"\\é\n';
      const rest = 256 - new TextEncoder().encode(start).length;
      const holder = `${start}${'機'.repeat(Math.floor(rest / 3))}${'x'.repeat(rest % 3)}`;
      const term = await bench.acquire({ holder });
      await term.held.renew({ progress: '1' }, bench.call);
      await bench.expectStored({ holder, progress: '1' });
      await bench.release(term);
      await bench.expectStored({ holder, progress: '1', released: true });
    },
  },
  {
    name: 'stores the lease duration of each holder',
    run: async (bench) => {
      const { granularityMs, maxDurationMs } = bench.store.limits;
      const longer = Math.min(bench.leaseDurationMs + granularityMs, maxDurationMs);
      const term = await bench.acquire({ leaseDurationMs: longer });
      bench.expect(durationOf(await bench.look())).toEqual(longer);
      await bench.release(term);
      bench.expect(durationOf(await bench.look())).toEqual(longer);
      await bench.acquire({ fencingToken: 34 });
      bench.expect(durationOf(await bench.look())).toEqual(bench.leaseDurationMs);
    },
  },
  {
    name: 'keeps the history of an acquisition through renewals, and that of the release',
    run: async (bench) => {
      const history = pastTerms();
      const { held } = await bench.acquire({ history, fencingToken: 40 });
      await expectHistory(bench, history);
      await held.renew({ progress: '1' }, bench.call);
      await expectHistory(bench, history);
      const released = withRelease(history);
      await held.release({ progress: undefined, history: released }, bench.call);
      await expectHistory(bench, released);
    },
  },
  {
    name: 'keeps when each term started, where that is known',
    run: async (bench) => {
      const history: readonly PastTerm[] = [
        { fencingToken: 31, holder: 'x', end: 'taken-over' },
        { fencingToken: 32, holder: 'y', startedMs: 0, end: 'released' },
        { fencingToken: 33, holder: 'a', startedMs: 1_795_942_800_123 },
      ];
      const { held } = await bench.acquire({ history });
      await expectHistory(bench, history);
      await held.release({ history: withRelease(history) }, bench.call);
      await expectHistory(bench, withRelease(history));
    },
  },
  {
    name: 'keeps everything when every field is as long as it may be',
    run: async (bench) => {
      const holder = '機'.repeat(85);
      const fencingToken = Number.MAX_SAFE_INTEGER;
      const checkpoint = { progress: JSON.stringify('漢'.repeat(682)), jobState: fullJobState() };
      const history = pastTerms();
      const { held } = await bench.acquire({ holder, fencingToken, history });
      await held.renew(checkpoint, bench.call);
      await bench.expectStored({ holder, fencingToken, ...checkpoint });
      bench
        .expect((await held.release({ ...checkpoint, history }, bench.call)).released)
        .toEqual(true);
      await bench.expectStored({ holder, fencingToken, ...checkpoint, released: true });
      await expectHistory(bench, history);
    },
  },
];

/** Ten terms, as long as they may be. */
function pastTerms(): readonly PastTerm[] {
  return Array.from({ length: 10 }, (_, index): PastTerm => {
    const least = Number.MAX_SAFE_INTEGER - 10;
    const term = { fencingToken: least + index, holder: '😀'.repeat(40), startedMs: least - index };
    const end = index % 2 === 0 ? 'released' : 'taken-over';
    return index === 9 ? term : { ...term, end };
  });
}

async function expectProgress(
  bench: SuiteBench,
  progress: string | undefined,
  stored: { readonly fencingToken?: number; readonly released?: boolean } = {},
): Promise<void> {
  const { fencingToken = 33, released = false } = stored;
  const { leaseDurationMs } = bench;
  await bench.expectStored({ fencingToken, released, progress });
  bench.expect(shown(await bench.look())).toEqual({
    state: released ? 'free' : 'held',
    holder: 'a',
    fencingToken,
    leaseDurationMs,
    progress: progress ?? null,
    jobState: null,
  });
}

type Looked = Awaited<ReturnType<SuiteBench['look']>>;

function tokenOf(look: Looked): number | undefined {
  return look.state === 'absent' ? undefined : look.record.fencingToken;
}

function durationOf(look: Looked): number | undefined {
  return look.state === 'absent' ? undefined : look.record.leaseDurationMs;
}

async function expectHistory(bench: SuiteBench, expected: readonly PastTerm[]): Promise<void> {
  const look = await bench.look();
  const found = look.state === 'absent' ? [] : look.record.history;
  // What a term does not have may be lacking or undefined.
  const plain = ({ fencingToken, holder, startedMs, end }: PastTerm): unknown => [
    fencingToken,
    holder,
    startedMs ?? 'no start',
    end ?? 'no end',
  ];
  bench.expect(found.map(plain)).toEqual(expected.map(plain));
}
