import { newUuid } from '../../core/uuid.ts';
import type { StoreCall } from '../../core/lease-store.ts';
import type { SuiteBench } from './suite-bench.ts';
import type { SuiteCase } from './suite-case.ts';

const final = { progress: undefined, history: [] };

/** Names that a store might take for paths, patterns or nothing. */
const oddNames: readonly ((unique: string) => string)[] = [
  () => '.',
  () => '..',
  (unique) => `${unique}.`,
  (unique) => `${unique}/..`,
  (unique) => `/${unique}//x/`,
  (unique) => `${unique}\\x`,
  (unique) => ` ${unique} `,
  (unique) => `${unique}?a=b&c#d%2F%`,
  (unique) => `${unique}*|<>:"'\`{}$;--`,
  (unique) => `${unique}\t\n\u0001`,
  (unique) => `${unique} Zoë 請求 עברית 🧾`,
  (unique) => `${unique}${'機'.repeat(73)}`.padEnd(256 - 2 * 73, 'x'),
];

/** Names that a store might take for one another. */
const alikeNames: readonly ((unique: string) => string)[] = [
  (unique) => unique,
  (unique) => unique.toUpperCase(),
  (unique) => `${unique} `,
  (unique) => ` ${unique}`,
  (unique) => `${unique}/`,
  (unique) => `${unique}.`,
  (unique) => `${unique}é`,
  (unique) => `${unique}e\u0301`,
  (unique) => `${unique}%2F`,
];

/** One call that was given up before it was made. */
const abortedCalls: readonly (readonly [
  string,
  (bench: SuiteBench, call: StoreCall) => Promise<unknown>,
])[] = [
  ['look', (bench, call) => bench.store.look(bench.lease, call)],
  [
    'bid',
    async (bench, call) => {
      const bid = bench.bid(await bench.look(), { holder: 'b', fencingToken: 34 });
      return bench.store.acquire(bench.lease, bid, call);
    },
  ],
];

/** What holds of a store as a whole. */
export const storeCases: readonly SuiteCase[] = [
  {
    name: 'declares its name, who judges expiry, and durations that a lease can have',
    run: async (bench) => {
      const { name, limits } = bench.store;
      const { minDurationMs, maxDurationMs, granularityMs } = limits;
      bench.expect(name.length > 0).toEqual(true);
      bench.expect(limits.expiry).toEqual(bench.expires ? 'store' : 'observed');
      const all = [minDurationMs, maxDurationMs, granularityMs, bench.leaseDurationMs];
      bench.expect(all.filter((ms) => !Number.isInteger(ms) || ms < 1)).toEqual([]);
      bench.expect(minDurationMs % granularityMs).toEqual(0);
      bench.expect(bench.leaseDurationMs % granularityMs).toEqual(0);
      bench.expect(minDurationMs <= bench.leaseDurationMs).toEqual(true);
      bench.expect(bench.leaseDurationMs <= maxDurationMs).toEqual(true);
    },
  },
  {
    name: 'refuses to take over from a holder whose lease has not passed',
    expiry: 'store',
    run: async (bench) => {
      await bench.acquire();
      bench.expect((await bench.look()).state).toEqual('held');
      await bench.lose(bench.bid(await bench.look(), { holder: 'b', fencingToken: 34 }));
      const endedMarks = [newUuid()];
      const bid = bench.bid(await bench.look(), { holder: 'b', fencingToken: 34, endedMarks });
      await bench.lose(bid);
      await bench.expectStored({ holder: 'a', fencingToken: 33 });
    },
  },
  {
    name: 'shows a silent holder as expired, and not as released',
    expiry: 'store',
    run: async (bench) => {
      await bench.acquire();
      await bench.passLease();
      bench.expect((await bench.look()).state).toEqual('expired');
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: false });
    },
  },
  {
    name: 'counts silence from the last renewal',
    expiry: 'store',
    run: async (bench) => {
      const { held } = await bench.acquire();
      await bench.passLease(0.6);
      bench.expect((await held.renew({}, bench.call)).renewed).toEqual(true);
      await bench.passLease(0.6);
      await bench.lose(bench.bid(await bench.look(), { holder: 'b', fencingToken: 34 }));
      await bench.expectStored({ holder: 'a', fencingToken: 33 });
      await bench.passLease(0.6);
      bench.expect((await bench.look()).state).toEqual('expired');
    },
  },
  ...abortedCalls.map(([kind, send]): SuiteCase => ({
    name: `rejects a ${kind} whose signal has aborted, and stores nothing`,
    run: async (bench) => {
      await expectRejection(bench, (call) => send(bench, call));
      bench.expect(await bench.raw()).toEqual('nothing');
    },
  })),
  {
    name: 'rejects a renewal, a release or an abandonment whose signal has aborted, and changes nothing',
    run: async (bench) => {
      const { bid, held } = await bench.acquire();
      await expectRejection(bench, (call) => held.renew({ progress: '"late"' }, call));
      await expectRejection(bench, (call) => held.release(final, call));
      await expectRejection(bench, (call) => bench.store.abandon(bench.lease, bid, call));
      await bench.expectStored({ holder: 'a', fencingToken: 33, released: false });
      bench.expect((await held.renew({}, bench.call)).renewed).toEqual(true);
    },
  },
  ...oddNames.map((named): SuiteCase => ({
    name: `keeps a lease whose name is like ${JSON.stringify(named('orders'))}`,
    run: async (bench) => {
      const lease = named(newUuid());
      const before = await bench.look(lease);
      const last = before.state === 'absent' ? undefined : before.record.fencingToken;
      // Names that cannot be made unique may be there from an earlier run.
      const fencingToken = (last ?? 32) + 1;
      const { held } = await bench.win(bench.bid(before, { fencingToken }), lease);
      bench.expect((await held.renew({ progress: '1' }, bench.call)).renewed).toEqual(true);
      await bench.expectStored({ fencingToken, progress: '1' }, lease);
      const result = await held.release({ progress: null, history: [] }, bench.call);
      bench.expect(result.released).toEqual(true);
      await bench.expectStored({ fencingToken, released: true }, lease);
      bench.expect((await bench.look(lease)).state).toEqual('free');
    },
  })),
  {
    name: 'keeps leases apart whose names are alike',
    run: async (bench) => {
      const unique = newUuid();
      const leases = alikeNames.map((named) => named(unique));
      for (const [index, lease] of leases.entries()) {
        await bench.acquire({ holder: `holder-${index}`, fencingToken: 33 + index }, lease);
      }
      for (const [index, lease] of leases.entries()) {
        await bench.expectStored({ holder: `holder-${index}`, fencingToken: 33 + index }, lease);
      }
    },
  },
  {
    name: 'touches no other lease',
    run: async (bench) => {
      const other = `${bench.lease}-other`;
      await bench.acquire({ holder: 'b', fencingToken: 50 }, other);
      const term = await bench.acquire();
      await term.held.renew({ progress: '1' }, bench.call);
      await bench.expectStored({ holder: 'b', fencingToken: 50 }, other);
      await bench.release(term);
      await bench.expectStored({ progress: '1', released: true });
      await bench.expectStored({ holder: 'b', fencingToken: 50 }, other);
    },
  },
];

async function expectRejection(
  { expect }: SuiteBench,
  send: (call: StoreCall) => Promise<unknown>,
): Promise<void> {
  const call = { signal: AbortSignal.abort(new Error('given up by the test')) };
  const outcome = await send(call).then(
    () => 'resolved',
    () => 'rejected',
  );
  expect(outcome).toEqual('rejected');
}
