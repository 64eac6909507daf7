import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createElection, type Election, type ElectionEvent } from 'tenure';
import { dynamoDbLeaseStore, type DynamoDbLeaseStoreOptions } from 'tenure/dynamodb';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { creation, release } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench } from './bench.ts';
import { JavaLockClient, type JavaLease, type JavaOptions } from './java-lock-client.ts';

type Mode = Pick<JavaOptions, 'acquires' | 'releases'>;
type Policy = NonNullable<DynamoDbLeaseStoreOptions['onTokenLost']>;

const timing = {
  leaseDurationMs: 2_000,
  renewDeadlineMs: 1_100,
  renewIntervalMs: 300,
  requestTimeoutMs: 700,
};

const reactions = {
  follows: 'follows',
  'next token': 'leads with the next token',
  'above clock': 'leads with a token above the wall clock',
  'token lost': 'refuses the record, whose token is gone',
} as const;

type Reaction = keyof typeof reactions;

/** What our candidate does after the Java client took a record that had token 33. */
const table: readonly (readonly [
  acquires: Mode['acquires'],
  releases: Mode['releases'],
  onTokenLost: Policy,
  whileItRenews: Reaction,
  onceItReleased: Reaction,
  onceItDied: Reaction,
])[] = [
  ['put', 'delete', 'fail', 'token lost', 'above clock', 'token lost'],
  ['put', 'delete', 'restart', 'follows', 'above clock', 'above clock'],
  ['put', 'keep', 'fail', 'token lost', 'token lost', 'token lost'],
  ['put', 'keep', 'restart', 'follows', 'above clock', 'above clock'],
  ['update', 'delete', 'fail', 'follows', 'above clock', 'next token'],
  ['update', 'delete', 'restart', 'follows', 'above clock', 'next token'],
  ['update', 'keep', 'fail', 'follows', 'next token', 'next token'],
  ['update', 'keep', 'restart', 'follows', 'next token', 'next token'],
];

const modes: readonly Mode[] = [
  { acquires: 'put', releases: 'delete' },
  { acquires: 'put', releases: 'keep' },
  { acquires: 'update', releases: 'delete' },
  { acquires: 'update', releases: 'keep' },
];

for (const kind of dynamoDbServers) {
  // Concurrent, because they mostly wait for leases to expire.
  describe
    .skipIf(kind.skipReason)
    .concurrent(`beside a Java lock client on ${titleOf(kind)}`, () => {
      let bench: Bench;

      beforeAll(async () => {
        bench = await startBench(kind);
      });

      afterAll(async () => {
        await bench.close();
      });

      const javaWith = (options: Mode & Partial<JavaOptions>) =>
        new JavaLockClient({
          client: bench.client,
          tableName: bench.tableName,
          ownerName: 'java',
          ...options,
        });

      const electionFor = (
        lease: string,
        onTokenLost: Policy = 'fail',
        observer: (event: ElectionEvent) => void = () => {},
      ) => {
        const { client, tableName } = bench;
        const store = dynamoDbLeaseStore({ client, tableName, onTokenLost });
        return createElection({ store, lease, identity: 'ours', timing, observer });
      };

      /** A record that our candidates left behind: free, token 33. */
      const freeRecord = async (): Promise<string> => {
        const lease = newLease();
        const created = creation({ holder: 'ours' });
        const within = { holder: 'ours', fencingToken: 33 };
        const freed = release([created.version], { holder: 'ours', within });
        for (const write of [created, freed]) {
          expect(await bench.store().write(lease, write, patiently())).toEqual({ written: true });
        }
        return lease;
      };

      const reactionOf = async (election: Election): Promise<Reaction> => {
        const startedAtMs = Date.now();
        const attempt = election.lead(({ fencingToken }) => fencingToken);
        const outcome = await attempt.catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ code: 'LEASE_RECORD_INVALID', reason: 'token-lost' });
          return 'token lost';
        }
        const { status, fencingToken = 0 } = outcome as { status: string; fencingToken?: number };
        if (status === 'followed') {
          expect(outcome).toMatchObject({ reason: 'held', leader: { holder: 'java' } });
          return 'follows';
        }
        expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
        expect(fencingToken === 34 || fencingToken > startedAtMs).toBe(true);
        return fencingToken === 34 ? 'next token' : 'above clock';
      };

      /** Runs `use` while the Java client renews. */
      const renewing = async <T>(java: JavaLockClient, held: JavaLease, use: () => Promise<T>) => {
        const stop = new AbortController();
        const renewals = java.keepRenewing(held, stop.signal);
        try {
          return await use();
        } finally {
          stop.abort();
          await renewals;
        }
      };

      describe.each(table)('in %s mode with %s on release, onTokenLost %s', (...row) => {
        const [acquires, releases, onTokenLost, whileItRenews, onceItReleased, onceItDied] = row;
        const mode = { acquires, releases };

        it(`${reactions[whileItRenews]} while the Java client renews`, async () => {
          const lease = await freeRecord();
          const java = javaWith(mode);
          const held = await java.acquire(lease);
          const election = electionFor(lease, onTokenLost);
          const reaction = await renewing(java, held, () => reactionOf(election));
          expect(reaction).toBe(whileItRenews);
          expect(await java.release(held)).toBe(true);
        });

        it(`${reactions[onceItReleased]} once the Java client has released`, async () => {
          const lease = await freeRecord();
          const java = javaWith(mode);
          expect(await java.release(await java.acquire(lease))).toBe(true);
          expect(await reactionOf(electionFor(lease, onTokenLost))).toBe(onceItReleased);
        });

        it(`${reactions[onceItDied]} once the Java client has died`, async () => {
          const lease = await freeRecord();
          const java = javaWith(mode);
          const held = await java.acquire(lease);
          const startedAtMs = performance.now();
          const reaction = await reactionOf(electionFor(lease, onTokenLost));
          expect(reaction).toBe(onceItDied);
          // Not before the duration that the Java client recorded, and then for good.
          const leads = reaction !== 'token lost';
          expect(performance.now() - startedAtMs).toBeGreaterThan(leads ? 1_000 : 0);
          expect(await java.renew(held)).toBe(!leads);
        });
      });

      it('refuses a record that the Java client made in update mode, which never had a token', async () => {
        const lease = newLease();
        const java = javaWith({ acquires: 'update', releases: 'keep' });
        await java.release(await java.acquire(lease));
        expect(await reactionOf(electionFor(lease))).toBe('token lost');
        expect(await reactionOf(electionFor(lease, 'restart'))).toBe('above clock');
      });

      it('reads data of the Java client as no progress and reports it', async () => {
        const lease = await freeRecord();
        const java = javaWith({ acquires: 'update', releases: 'keep', data: 'what Java keeps' });
        await java.release(await java.acquire(lease));
        const events: string[] = [];
        const election = electionFor(lease, 'fail', ({ type }) => events.push(type));
        const outcome = await election.lead(({ progress }) => progress === undefined);
        expect(outcome).toMatchObject({ status: 'led', value: true });
        expect(events).toContain('foreign-progress');
      });

      it('never leads at the same time when many of both contend in update mode with keep', async () => {
        const lease = await freeRecord();
        let inside = 0;
        let overlaps = 0;
        const tokens: number[] = [];
        const visit = async (fencingToken?: number): Promise<void> => {
          overlaps += inside;
          inside += 1;
          tokens.push(...(fencingToken === undefined ? [] : [fencingToken]));
          await setTimeout(5);
          inside -= 1;
        };
        const terms = Array.from({ length: 8 });
        const javaContender = async (ownerName: string): Promise<void> => {
          const java = javaWith({ acquires: 'update', releases: 'keep', ownerName });
          for (const _ of terms) {
            const held = await java.acquire(lease);
            await visit();
            expect(await java.release(held)).toBe(true);
          }
        };
        const ourContender = async (): Promise<void> => {
          const election = electionFor(lease);
          for (const _ of terms) {
            const work = ({ fencingToken }: { fencingToken: number }) => visit(fencingToken);
            const outcome = await election.lead(work, { wait: 15_000 });
            expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
          }
        };
        await Promise.all([
          javaContender('java-1'),
          javaContender('java-2'),
          ourContender(),
          ourContender(),
        ]);
        expect(overlaps).toBe(0);
        expect(tokens).toHaveLength(16);
        expect(tokens).toEqual([...new Set(tokens)].toSorted((one, other) => one - other));
      });

      describe.each(modes)('and it in $acquires mode with $releases on release', (mode) => {
        it('keeps it out while it renews, and lets it in on release', async () => {
          const lease = await freeRecord();
          const java = javaWith(mode);
          const outcome = await electionFor(lease).lead(async (leadership) => {
            const endMs = performance.now() + 2_500;
            while (performance.now() < endMs) {
              await leadership.checkpoint({ text: 'für Java nur Bytes' });
              expect(await java.tryAcquire(lease)).toBeUndefined();
            }
            return java.look(lease);
          });
          expect(outcome).toMatchObject({
            status: 'led',
            end: 'completed',
            value: { ownerName: 'ours', leaseDurationMs: 2_000, isReleased: false },
          });
          expect(await java.look(lease)).toMatchObject({ ownerName: 'ours', isReleased: true });
          const held = await java.tryAcquire(lease);
          expect(held).toBeDefined();
          expect(await java.renew(held as JavaLease)).toBe(true);
        });

        it('has stopped by itself when it takes over, and leaves its lease alone', async () => {
          const lease = await freeRecord();
          const java = javaWith(mode);
          let held: JavaLease | undefined;
          let overBefore = false;
          const outcome = await electionFor(lease).lead(async ({ signal }) => {
            held = await java.acquire(lease);
            overBefore = signal.aborted;
          });
          expect(overBefore).toBe(true);
          expect(outcome).toMatchObject({ status: 'lost', reason: 'expired' });
          expect(await java.renew(held as JavaLease)).toBe(true);
        });

        it('never leads together with it after a release that it did not see', async () => {
          const lease = await freeRecord();
          const java = javaWith(mode);
          const election = electionFor(lease);
          // It sees our term and is then so slow that our release comes between its look and its
          // takeover. Up to version 1.4.0 an update would leave the item marked as released.
          const seen = await election.lead(() => java.look(lease));
          expect(seen).toMatchObject({ fencingToken: 34, value: { isReleased: false } });
          const { value } = seen as { value: NonNullable<Awaited<ReturnType<typeof java.look>>> };
          expect(await java.takeOver(lease, value)).toBeUndefined();
          expect(await java.look(lease)).toMatchObject({ ownerName: 'ours', isReleased: true });
          const next = await election.lead(() => java.look(lease));
          expect(next).toMatchObject({ fencingToken: 35, value: { isReleased: false } });
        });
      });
    });
}
