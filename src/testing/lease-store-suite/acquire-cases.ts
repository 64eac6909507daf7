import type { Bid, Look } from '../../core/lease-store.ts';
import type { SuiteBench } from './suite-bench.ts';
import { shown } from './suite-bench.ts';
import type { SuiteCase } from './suite-case.ts';

const absent: Look = { state: 'absent' };

/** Who may acquire, and from what it saw. */
export const acquireCases: readonly SuiteCase[] = [
  {
    name: 'shows nothing where nothing is stored',
    run: async (bench) => {
      bench.expect(await bench.look()).toEqual({ state: 'absent' });
      bench.expect(await bench.raw()).toEqual('nothing');
    },
  },
  {
    name: 'acquires a lease that has no record',
    run: async (bench) => {
      const { leaseDurationMs } = bench;
      await bench.acquire();
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: false });
      bench.expect(shown(await bench.look())).toEqual({
        state: 'held',
        holder: 'a',
        fencingToken: 33,
        leaseDurationMs,
        progress: null,
        jobState: null,
      });
    },
  },
  {
    name: 'acquires a released lease',
    run: async (bench) => {
      await bench.release(await bench.acquire());
      await bench.acquire({ holder: 'b', fencingToken: 34 });
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: false });
    },
  },
  {
    name: 'takes over from a silent holder',
    run: async (bench) => {
      await bench.acquire();
      await bench.takeOver({ holder: 'b', fencingToken: 34 });
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: false });
    },
  },
  {
    name: 'refuses a bid that saw no record where there is one',
    run: async (bench) => {
      await bench.acquire();
      await bench.lose(bench.bid(absent, { holder: 'b', fencingToken: 34 }));
      await bench.expectStored({ holder: 'a', fencingToken: 33 });
    },
  },
  {
    name: 'refuses a bid that saw no record where there is a released one',
    run: async (bench) => {
      await bench.release(await bench.acquire());
      await bench.lose(bench.bid(absent, { holder: 'b', fencingToken: 34 }));
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: true });
    },
  },
  {
    name: 'refuses a bid that saw a record where there is none',
    run: async (bench) => {
      await bench.acquire();
      const seen = await bench.look();
      const other = `${bench.lease}-other`;
      const bid = bench.bid(seen, { holder: 'b', fencingToken: 34 });
      const result = await bench.store.acquire(other, bid, bench.call);
      bench
        .expect([result.acquired, 'found' in result && result.found])
        .toEqual([false, { state: 'absent' }]);
      bench.expect(await bench.raw(other)).toEqual('nothing');
    },
  },
  {
    name: 'refuses a bid that saw the record before its holder saved progress',
    run: async (bench) => {
      const { held } = await bench.acquire();
      const seen = await bench.look();
      await held.renew({ progress: '"newer"' }, bench.call);
      await bench.passLease();
      await bench.lose(bench.bid(seen, { holder: 'b', fencingToken: 34 }));
      await bench.expectStored({ holder: 'a', fencingToken: 33, progress: '"newer"' });
    },
  },
  {
    name: 'refuses a bid that saw the record before its holder renewed',
    expiry: 'observed',
    run: async (bench) => {
      const { held } = await bench.acquire();
      const seen = await bench.look();
      await held.renew({}, bench.call);
      await bench.lose(bench.bid(seen, { holder: 'b', fencingToken: 34 }));
      await bench.expectStored({ holder: 'a', fencingToken: 33 });
    },
  },
  {
    name: 'refuses a bid that saw the record before it was released',
    run: async (bench) => {
      const term = await bench.acquire();
      const seen = await bench.look();
      await bench.release(term);
      await bench.lose(bench.bid(seen, { holder: 'b', fencingToken: 34 }));
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: true });
    },
  },
  {
    name: 'refuses a bid that saw the record before another took over',
    run: async (bench) => {
      await bench.acquire();
      const seen = await bench.look();
      await bench.takeOver({ holder: 'b', fencingToken: 34 });
      await bench.passLease();
      await bench.lose(bench.bid(seen, { holder: 'c', fencingToken: 34 }));
      await bench.expectStored({ holder: 'b', fencingToken: 34 });
    },
  },
  {
    name: 'refuses a bid that saw a released record which another has acquired since',
    run: async (bench) => {
      await bench.release(await bench.acquire());
      const seen = await bench.look();
      await bench.acquire({ holder: 'b', fencingToken: 34 });
      await bench.passLease();
      await bench.lose(bench.bid(seen, { holder: 'c', fencingToken: 34 }));
      await bench.expectStored({ holder: 'b', fencingToken: 34 });
    },
  },
  {
    name: 'replaces a term that the bid names as ended, without waiting',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await held.renew({ progress: '"done"' }, bench.call);
      await bench.acquire({ fencingToken: 34, endedMarks: held.marks });
      await bench.expectStored({ fencingToken: 34, progress: '"done"' });
      bench.expect((await held.renew({}, bench.call)).renewed).toEqual(false);
      await bench.expectStored({ fencingToken: 34, progress: '"done"' });
    },
  },
  {
    name: 'gives a bid that is sent again the same result',
    run: async (bench) => {
      const { bid } = await bench.acquire();
      await bench.win(bid);
      const { held } = await bench.win(bid);
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: false });
      bench.expect((await held.renew({ progress: '1' }, bench.call)).renewed).toEqual(true);
      await bench.expectStored({ progress: '1' });
    },
  },
  {
    name: 'gives a takeover that is sent again the same result',
    run: async (bench) => {
      await bench.acquire();
      const { bid } = await bench.takeOver({ holder: 'b', fencingToken: 34 });
      const { held } = await bench.win(bid);
      await bench.expectStored({ holder: 'b', fencingToken: 34, released: false });
      bench.expect((await held.renew({}, bench.call)).renewed).toEqual(true);
    },
  },
  {
    name: 'gives copies of one bid that arrive together the same result',
    run: async (bench) => {
      const bid = bench.bid(await bench.look());
      const terms = await Promise.all(Array.from({ length: 4 }, () => bench.win(bid)));
      bench.expect(terms.length).toEqual(4);
      await bench.expectStored({ holder: 'a', fencingToken: 33 });
    },
  },
  {
    name: 'lets one of many concurrent bids for a new lease win',
    run: async (bench) => {
      await expectOneWinner(bench);
    },
  },
  {
    name: 'lets one of many concurrent bids for a released lease win',
    run: async (bench) => {
      await bench.release(await bench.acquire());
      await expectOneWinner(bench);
    },
  },
  {
    name: 'lets one of many concurrent takeovers win',
    run: async (bench) => {
      await bench.acquire();
      await bench.passLease();
      await expectOneWinner(bench);
    },
  },
];

async function expectOneWinner(bench: SuiteBench): Promise<void> {
  const seen = await bench.look();
  const bids: readonly Bid[] = Array.from({ length: 8 }, (_, index) =>
    bench.bid(seen, { holder: `candidate-${index}`, fencingToken: 34 + index }),
  );
  const results = await Promise.all(
    bids.map((bid) => bench.store.acquire(bench.lease, bid, bench.call)),
  );
  const winners = bids.filter((_, index) => results[index]?.acquired);
  bench.expect(winners.length).toEqual(1);
  for (const { holder, fencingToken } of winners) {
    await bench.expectStored({ holder, fencingToken });
  }
}
