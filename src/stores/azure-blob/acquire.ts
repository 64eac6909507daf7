import type { AcquireResult, Bid, Look, StoreCall } from '../../core/lease-store.ts';
import { hasCode } from '../../core/errors.ts';
import { BlobTerm } from './blob-term.ts';
import type { SeenBlob } from './lease-blob.ts';
import { lookAt, type LeasePlace } from './lease-place.ts';
import type { StoredLease } from './record-metadata.ts';

/**
 * Makes one attempt to hold a lease: acquires the blob's lease if the blob is still as the bid saw
 * it, and raises the token under that lease before the leadership is handed out.
 *
 * The lease id is that of the attempt, so whatever was applied before, a repeat of the same bid
 * ends where the first one would have.
 */
export async function acquire(
  place: LeasePlace,
  bid: Bid,
  call: StoreCall,
): Promise<AcquireResult> {
  const { blob, own } = place;
  const { attemptId, look } = bid;
  own.opened(attemptId, blob.lease);
  if (look.state === 'held' && bid.endedMarks.includes(look.mark)) {
    // An ended term of this process must not keep its successor waiting.
    await blob.release(look.mark, call);
    own.gone(look.mark);
  }
  const etag = await startingPoint(place, bid, call);
  if (etag === undefined) {
    return settle(place, bid, call);
  }
  switch (await blob.acquire(attemptId, bid.leaseDurationMs, etag, call)) {
    case 'acquired':
      return raiseToken(place, bid, etag, call);
    case 'changed':
      return settle(place, bid, call);
    default:
      return refused(place, bid, call);
  }
}

/** Frees whatever an attempt may have won. */
export async function abandon(place: LeasePlace, bid: Bid, call: StoreCall): Promise<void> {
  const { blob, own } = place;
  const seen = await blob.readHeldBy(bid.attemptId, call);
  if (!seen) {
    // A request may still be under way, so the attempt stays one of those that may hold the lease.
    return;
  }
  if (seen.stored.mark === bid.attemptId && seen.stored.state === 'held') {
    await new BlobTerm(place, seen).release({ history: bid.history }, call);
  } else if (await blob.release(bid.attemptId, call)) {
    own.gone(bid.attemptId);
  }
}

/** Entity tag that the bid rests on, of a new blob if there was none; `undefined` if it is gone. */
async function startingPoint(
  { blob }: LeasePlace,
  bid: Bid,
  call: StoreCall,
): Promise<string | undefined> {
  if (bid.look.state !== 'absent') {
    return bid.look.version;
  }
  const { attemptId: mark, leaseDurationMs } = bid;
  const record = {
    holder: '',
    fencingToken: undefined,
    leaseDurationMs,
    progress: undefined,
    jobState: undefined,
    history: [],
  };
  const etag = await blob.create({ state: 'new', mark, record }, call);
  if (etag !== undefined) {
    return etag;
  }
  // Created by an earlier delivery of this bid, or by another. While it is new, no token was minted
  // since there was nothing, so the token of this bid still starts above all of them.
  const seen = await blob.read(call);
  return seen?.stored.state === 'new' ? seen.etag : undefined;
}

/** Writes the term under the lease, and so proves that the lease was held while it was written. */
async function raiseToken(
  place: LeasePlace,
  bid: Bid,
  etag: string,
  call: StoreCall,
): Promise<AcquireResult> {
  const { attemptId } = bid;
  const stored = termOf(bid);
  try {
    const answer = await place.blob.write(stored, attemptId, etag, call);
    if ('value' in answer && answer.value !== undefined) {
      return won(place, { etag: answer.value, stored });
    }
    return await settle(place, bid, call);
  } catch (error) {
    if (hasCode(error, 'STORE_REJECTED')) {
      // Not sent again, so nobody else would free the lease.
      await place.blob.release(attemptId, call).catch(() => {});
    }
    throw error;
  }
}

/** Finds out, after a request met another version, whether an earlier delivery of it was applied. */
async function settle(place: LeasePlace, bid: Bid, call: StoreCall): Promise<AcquireResult> {
  const { attemptId } = bid;
  const seen = await place.blob.readHeldBy(attemptId, call);
  if (seen?.stored.mark === attemptId && seen.stored.state === 'held') {
    return won(place, seen);
  }
  if (seen) {
    await place.blob.release(attemptId, call);
  }
  return refused(place, bid, call);
}

function won(place: LeasePlace, seen: Pick<SeenBlob, 'etag' | 'stored'>): AcquireResult {
  place.own.settled(seen.stored.mark);
  return { acquired: true, held: new BlobTerm(place, seen) };
}

async function refused(place: LeasePlace, bid: Bid, call: StoreCall): Promise<AcquireResult> {
  place.own.settled(bid.attemptId);
  const found: Look = await lookAt(place, call);
  return { acquired: false, found };
}

function termOf({
  attemptId,
  look,
  holder,
  fencingToken,
  leaseDurationMs,
  history,
}: Bid): StoredLease {
  const { progress, jobState } =
    look.state === 'absent' ? { progress: undefined, jobState: undefined } : look.record;
  const record = { holder, fencingToken, leaseDurationMs, progress, jobState, history };
  return { state: 'held', mark: attemptId, record };
}
