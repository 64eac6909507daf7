import type { Look } from '../../core/lease-store.ts';
import type { SuiteCase } from './suite-case.ts';

const absent: Look = { state: 'absent' };

/** Bids that arrive late, and attempts that are given up. */
export const lateCases: readonly SuiteCase[] = [
  {
    name: 'refuses the bid of a new lease that arrives again after its term was released',
    run: async (bench) => {
      const term = await bench.acquire();
      await bench.release(term);
      await bench.lose(term.bid);
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: true });
    },
  },
  {
    name: 'refuses the bid of a released lease that arrives again after its term was released',
    run: async (bench) => {
      await bench.release(await bench.acquire());
      const second = await bench.acquire({ holder: 'b', fencingToken: 34 });
      await bench.release(second);
      await bench.lose(second.bid);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: true });
    },
  },
  {
    name: 'refuses a takeover that arrives again after its term was released',
    run: async (bench) => {
      await bench.acquire();
      const second = await bench.takeOver({ holder: 'b', fencingToken: 34 });
      await bench.release(second);
      await bench.lose(second.bid);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: true });
    },
  },
  {
    name: 'refuses a bid that arrives again after another has taken over',
    run: async (bench) => {
      const { bid } = await bench.acquire();
      await bench.takeOver({ holder: 'b', fencingToken: 34 });
      await bench.passLease();
      await bench.lose(bid);
      await bench.expectStored({ holder: 'b', fencingToken: 34 });
    },
  },
  {
    name: 'refuses a refused bid that arrives again when the lease is free',
    run: async (bench) => {
      const term = await bench.acquire();
      const bid = bench.bid(absent, { holder: 'b', fencingToken: 34 });
      await bench.lose(bid);
      await bench.release(term);
      await bench.lose(bid);
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: true });
    },
  },
  {
    name: 'frees what an abandoned bid has won',
    run: async (bench) => {
      await bench.release(await bench.acquire());
      const { bid } = await bench.acquire({ holder: 'b', fencingToken: 34 });
      await bench.store.abandon(bench.lease, bid, bench.call);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: true });
      bench.expect((await bench.look()).state).toEqual('free');
    },
  },
  {
    name: 'keeps the progress that an abandoned bid has found',
    run: async (bench) => {
      const first = await bench.acquire();
      await first.held.renew({ progress: '"done"' }, bench.call);
      await bench.release(first);
      const { bid } = await bench.acquire({ holder: 'b', fencingToken: 34 });
      await bench.store.abandon(bench.lease, bid, bench.call);
      await bench.expectStored({
        holder: 'b',
        fencingToken: 34,
        released: true,
        progress: '"done"',
      });
    },
  },
  {
    name: 'abandons a bid again without harm',
    run: async (bench) => {
      const { bid } = await bench.acquire();
      await bench.store.abandon(bench.lease, bid, bench.call);
      await bench.acquire({ holder: 'b', fencingToken: 34 });
      await bench.store.abandon(bench.lease, bid, bench.call);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: false });
    },
  },
  {
    name: 'refuses an abandoned bid that arrives again',
    run: async (bench) => {
      const { bid } = await bench.acquire();
      await bench.store.abandon(bench.lease, bid, bench.call);
      await bench.lose(bid);
      await bench.expectStored({ released: true });
    },
  },
  {
    name: 'stores nothing when a bid that never arrived is abandoned',
    run: async (bench) => {
      const bid = bench.bid(absent);
      await bench.store.abandon(bench.lease, bid, bench.call);
      bench.expect(await bench.raw()).toEqual('nothing');
    },
  },
  {
    name: 'leaves the holder alone when a refused bid is abandoned',
    run: async (bench) => {
      await bench.acquire();
      const bid = bench.bid(absent, { holder: 'b', fencingToken: 34 });
      await bench.lose(bid);
      await bench.store.abandon(bench.lease, bid, bench.call);
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: false });
    },
  },
];
