import type {
  Bid,
  HeldLease,
  LeaseStore,
  CheckpointWrite,
  Look,
} from '../../src/core/lease-store.ts';
import { recordLeaseStore } from '../../src/core/record-lease.ts';
import { newUuid } from '../../src/core/uuid.ts';
import { patient, ScriptedRecords, type Fault } from './scripted-records.ts';

export const lease = 'billing';

/** A lease store over a scripted network, and what one candidate does with it. */
export interface Bench {
  readonly records: ScriptedRecords;
  readonly store: LeaseStore;
}

export function bench(): Bench {
  const records = new ScriptedRecords();
  return { records, store: recordLeaseStore(records) };
}

/** A bid of `a` with token 33 for an absent record, unless something else is given. */
export function bidFor(look: Look = { state: 'absent' }, given: Partial<Bid> = {}): Bid {
  const holder = given.holder ?? 'a';
  const fencingToken = given.fencingToken ?? 33;
  return {
    attemptId: newUuid(),
    look,
    holder,
    fencingToken,
    leaseDurationMs: 15_000,
    history: [{ fencingToken, holder }],
    endedMarks: [],
    ...given,
  };
}

/** Bids for what is stored, whether or not a candidate would be allowed to. */
export async function take(
  { store }: Bench,
  given: Partial<Bid> = {},
): Promise<{ readonly held: HeldLease; readonly bid: Bid }> {
  const bid = bidFor(await store.look(lease, patient), given);
  const result = await store.acquire(lease, bid, patient);
  if (!result.acquired) {
    throw new Error('another was faster');
  }
  return { held: result.held, bid };
}

/**
 * Renews as the election does: an answer that does not come is not waited for, so that the next
 * renewal begins while the request or its reply is still under way.
 */
export async function renewUnder(
  { records }: Bench,
  held: HeldLease,
  fault: Fault,
  checkpoint: CheckpointWrite = {},
): Promise<boolean | 'no answer'> {
  records.script(fault);
  const renewal = held.renew(checkpoint, patient).then(
    ({ renewed }) => renewed,
    () => 'no answer' as const,
  );
  const unanswered = new Promise<'no answer'>((resolve) => {
    setImmediate(resolve, 'no answer');
  });
  const answer = await Promise.race([renewal, unanswered]);
  // A renewal that was never sent has left its fault behind.
  records.script();
  return answer;
}
