import { describe, expect, it } from 'vitest';
import { createElection, explainTiming } from 'tenure';
import type { AcquireResult, LeaseStore } from '../../src/core/lease-store.ts';
import { newUuid } from '../../src/core/uuid.ts';
import { memoryLeaseStore } from '../../src/stores/memory/index.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { patient } from './scripted-records.ts';

/** Lets each request reach the store at once, and the reply to it take as long as it may. */
function withSlowReplies(store: LeaseStore, clock: ManualClock, replyMs: number): LeaseStore {
  return {
    ...store,
    look: async (lease, call) => {
      const look = await store.look(lease, call);
      await clock.sleep(replyMs);
      return look;
    },
    acquire: async (lease, bid, call): Promise<AcquireResult> => {
      const result = await store.acquire(lease, bid, call);
      await clock.sleep(replyMs);
      return result;
    },
  };
}

describe('a follower', () => {
  // Where the write of the leader falls between two looks decides how the later ones fall.
  it.each([1, 500, 1_000, 1_500, 1_999, 2_000, 2_500, 3_000, 3_500, 3_998, 3_999])(
    'leads within worstFailoverMs of the last write, %i ms after a look, though replies are slow',
    async (sinceLookMs) => {
      const { worstFailoverMs } = explainTiming({}, memoryLeaseStore());
      const clock = new ManualClock();
      const store = memoryLeaseStore();
      const slow = withSlowReplies(store, clock, 1_999);
      const lease = 'billing';
      const bid = {
        attemptId: newUuid(),
        look: { state: 'absent' },
        holder: 'dead',
        fencingToken: 33,
        leaseDurationMs: 15_000,
        history: [],
        endedMarks: [],
      } as const;
      const acquired = await store.acquire(lease, bid, patient);
      const stop = new AbortController();
      const election = createElection({ store: slow, lease, clock, random: () => 0 });
      let ledAtMs: number | undefined;
      const campaign = election.campaign(
        () => {
          ledAtMs ??= clock.monotonicMs();
        },
        { signal: stop.signal },
      );
      const following = (async () => {
        for await (const outcome of campaign) {
          expect(outcome).toMatchObject({ status: 'led', fencingToken: 34 });
          stop.abort();
        }
      })();
      await clock.advance(sinceLookMs);
      const lastWriteAtMs = clock.monotonicMs();
      expect(acquired.acquired && (await acquired.held.renew({}, patient))).toEqual({
        renewed: true,
      });
      await clock.advance(60_000);
      await following;
      expect(ledAtMs).toBeGreaterThanOrEqual(lastWriteAtMs + 15_000);
      expect((ledAtMs ?? Infinity) - lastWriteAtMs).toBeLessThanOrEqual(worstFailoverMs);
    },
  );
});
