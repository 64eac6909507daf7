import { withRelease } from '../../core/term-history.ts';
import { shown, versionOf } from './suite-bench.ts';
import type { SuiteCase } from './suite-case.ts';

const final = { progress: undefined, history: [] };
const late = { progress: '"late"', jobState: '"late"' };

/** What a term may do, and what it may not do any more. */
export const termCases: readonly SuiteCase[] = [
  {
    name: 'renews again and again under the same token',
    run: async (bench) => {
      const { held } = await bench.acquire();
      for (let count = 0; count < 5; count += 1) {
        bench.expect(await held.renew({}, bench.call)).toEqual({ renewed: true });
      }
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: false });
    },
  },
  {
    name: 'shows another version after each renewal',
    expiry: 'observed',
    run: async (bench) => {
      const { held } = await bench.acquire();
      const versions = new Set([versionOf(await bench.look())]);
      for (let count = 0; count < 5; count += 1) {
        await held.renew({}, bench.call);
        versions.add(versionOf(await bench.look()));
      }
      bench.expect(versions.size).toEqual(6);
    },
  },
  {
    name: 'shows another version after each acquisition, release and takeover',
    run: async (bench) => {
      const versions: string[] = [];
      const note = async (): Promise<void> => {
        versions.push(versionOf(await bench.look()));
      };
      const first = await bench.acquire();
      await note();
      await bench.release(first);
      await note();
      await bench.acquire({ holder: 'b', fencingToken: 34 });
      await note();
      await bench.takeOver({ holder: 'c', fencingToken: 35 });
      await note();
      bench.expect(new Set(versions).size).toEqual(4);
      bench.expect(versions.includes('')).toEqual(false);
    },
  },
  {
    name: 'shows a mark of the term that wrote last',
    run: async (bench) => {
      const term = await bench.acquire();
      const { held } = term;
      const isMarked = async (): Promise<boolean> => {
        const look = await bench.look();
        return look.state !== 'absent' && held.marks.includes(look.mark);
      };
      bench.expect(await isMarked()).toEqual(true);
      await held.renew({ progress: '1' }, bench.call);
      bench.expect(await isMarked()).toEqual(true);
      await bench.takeOver();
      bench.expect(await isMarked()).toEqual(false);
    },
  },
  {
    name: 'proves to a renewal that another has taken over',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await bench.takeOver({ holder: 'b', fencingToken: 34 });
      const result = await held.renew(late, bench.call);
      bench.expect(result.renewed).toEqual(false);
      if (!result.renewed) {
        bench.expect(shown(result.found)).toEqual(shown(await bench.look()));
      }
      await bench.expectStored({ holder: 'b', fencingToken: 34 });
    },
  },
  {
    name: 'proves to a renewal that its term was released',
    run: async (bench) => {
      const term = await bench.acquire();
      await bench.release(term);
      const result = await term.held.renew(late, bench.call);
      bench.expect(result.renewed).toEqual(false);
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: true });
    },
  },
  {
    name: 'proves to a renewal that the next term was released too',
    run: async (bench) => {
      const first = await bench.acquire();
      await bench.release(first);
      await bench.release(await bench.acquire({ holder: 'b', fencingToken: 34 }));
      const result = await first.held.renew(late, bench.call);
      bench.expect(result.renewed).toEqual(false);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: true });
    },
  },
  {
    name: 'releases and keeps token, holder and progress',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ progress: '"done"' }, bench.call);
      bench.expect((await held.release(final, bench.call)).released).toEqual(true);
      const kept = { holder: 'a', fencingToken: 33, progress: '"done"' };
      await bench.expectStored({ ...kept, released: true });
      bench.expect(shown(await bench.look())).toEqual({
        state: 'free',
        leaseDurationMs: bench.leaseDurationMs,
        jobState: null,
        ...kept,
      });
    },
  },
  {
    name: 'returns the look of a release on which the next bid can rest',
    run: async (bench) => {
      const { bid, held } = await bench.acquire();
      const history = withRelease(bid.history);
      const result = await held.release({ progress: '"done"', history }, bench.call);
      if (!result.released) {
        throw new Error('not released');
      }
      bench.expect(result.look.state).toEqual('free');
      bench.expect(versionOf(result.look)).toEqual(versionOf(await bench.look()));
      await bench.win(bench.bid(result.look, { fencingToken: 34 }));
      await bench.expectStored({ fencingToken: 34, progress: '"done"', released: false });
    },
  },
  {
    name: 'gives a release that is sent again the same result',
    run: async (bench) => {
      const { held } = await bench.acquire();
      const first = await held.release(final, bench.call);
      const again = await held.release(final, bench.call);
      bench.expect([first.released, again.released]).toEqual([true, true]);
      await bench.expectStored({ released: true });
      if (again.released) {
        await bench.win(bench.bid(again.look, { holder: 'b', fencingToken: 34 }));
      }
    },
  },
  {
    name: 'does not release what another has taken over',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await bench.takeOver({ holder: 'b', fencingToken: 34 });
      const result = await held.release({ ...final, ...late }, bench.call);
      bench.expect(result.released).toEqual(false);
      if (!result.released) {
        bench.expect(shown(result.found)).toEqual(shown(await bench.look()));
      }
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: false });
    },
  },
  {
    name: 'does not release the next term when a release is sent again',
    run: async (bench) => {
      const first = await bench.acquire();
      await bench.release(first);
      await bench.acquire({ holder: 'b', fencingToken: 34 });
      const again = await first.held.release({ ...final, ...late }, bench.call);
      bench.expect(again.released).toEqual(false);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: false });
    },
  },
  {
    name: 'does not release the next term of the same holder',
    run: async (bench) => {
      const first = await bench.acquire();
      await bench.release(first);
      await bench.acquire({ fencingToken: 34 });
      bench.expect((await first.held.release(final, bench.call)).released).toEqual(false);
      await bench.expectStored({ fencingToken: 34, released: false });
    },
  },
  {
    name: 'does not rewrite the release of the next term when a release is sent again',
    run: async (bench) => {
      const first = await bench.acquire();
      await bench.release(first);
      await bench.release(await bench.acquire({ holder: 'b', fencingToken: 34 }));
      await first.held.release({ ...final, ...late }, bench.call);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: true });
    },
  },
];
