import type { Look, StoreCall } from '../../core/lease-store.ts';
import { lookOf, type LeaseBlob } from './lease-blob.ts';
import type { OwnAttempts } from './own-attempts.ts';

/** One lease: its blob, and what this process knows of its own attempts to hold it. */
export interface LeasePlace {
  readonly blob: LeaseBlob;
  readonly own: OwnAttempts;
}

/**
 * Looks at a lease. Where it is held, the look's mark names the term or attempt of this process
 * that holds it, if one does, whatever the record says.
 *
 * @throws as `LeaseBlob.read`.
 */
export async function lookAt({ blob, own }: LeasePlace, call: StoreCall): Promise<Look> {
  const look = lookOf(await blob.read(call));
  if (look.state !== 'held') {
    return look;
  }
  for (const attemptId of own.openOf(blob.lease)) {
    if (look.mark !== attemptId && (await blob.readHeldBy(attemptId, call)) === undefined) {
      own.settled(attemptId);
    } else {
      return { ...look, mark: attemptId };
    }
  }
  return own.isGone(look.mark) ? { ...look, mark: '' } : look;
}
