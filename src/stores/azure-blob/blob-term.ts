import { hasCode, OutcomeUnknownError } from '../../core/errors.ts';
import type {
  HeldLease,
  CheckpointWrite,
  Look,
  PastTerm,
  ReleaseResult,
  RenewCall,
  RenewResult,
  StoreCall,
  TextWrite,
} from '../../core/lease-store.ts';
import { lookOf, type SeenBlob } from './lease-blob.ts';
import { lookAt, type LeasePlace } from './lease-place.ts';
import { encodePastTerms } from './past-terms.ts';
import type { StoredLease } from './record-metadata.ts';
import { storeName } from './store-errors.ts';

/** How often one write is sent while it keeps meeting another version. */
const maxWrites = 4;

/** What a term changes of its record. What is left out stays as it is stored. */
interface RecordChange extends CheckpointWrite {
  readonly state?: 'free';
  readonly history?: readonly PastTerm[];
}

/** One term that holds the lease of a blob under the lease id that its attempt proposed. */
export class BlobTerm implements HeldLease {
  readonly marks: readonly string[];
  readonly #place: LeasePlace;
  readonly #leaseId: string;
  /** What is stored as far as this term knows, and the entity tag of that. */
  #stored: StoredLease;
  #etag: string;
  /** Whether a write is without an answer, so that something else may be stored. */
  #unsure = false;

  /** @param seen - The blob as it was after this term was written. */
  constructor(place: LeasePlace, seen: Pick<SeenBlob, 'etag' | 'stored'>) {
    this.#place = place;
    this.#leaseId = seen.stored.mark;
    this.#stored = seen.stored;
    this.#etag = seen.etag;
    this.marks = [this.#leaseId];
  }

  async renew(checkpoint: CheckpointWrite, call: RenewCall): Promise<RenewResult> {
    // Never `acquire` with the same id: after another term it would succeed all the same.
    const renewal = await this.#place.blob.renew(this.#leaseId, call);
    if ('refusal' in renewal) {
      const isGone = renewal.refusal === 'absent' || renewal.refusal === 'no-container';
      return { renewed: false, found: isGone ? { state: 'absent' } : await this.#found(call) };
    }
    // The lease holds from here on, whatever becomes of what is to be saved.
    call.renewed?.();
    const known = renewal.value === this.#etag || (await this.#reload(call));
    return known && (await this.#save(checkpoint, call))
      ? { renewed: true }
      : { renewed: false, found: await this.#found(call) };
  }

  async release(
    final: CheckpointWrite & { readonly history: readonly PastTerm[] },
    call: StoreCall,
  ): Promise<ReleaseResult> {
    const { blob, own } = this.#place;
    const saved = await this.#save({ ...final, state: 'free' }, call);
    // Also if a stranger has rewritten the record: the lease may still be this term's.
    const isLetGo = await blob.release(this.#leaseId, call);
    if (saved && isLetGo) {
      own.gone(this.#leaseId);
      return { released: true, look: this.#free() };
    }
    // Not held any more: by an earlier release, or because another holds it, or nobody does.
    own.gone(this.#leaseId);
    const found = await this.#found(call, saved ? this.#free() : undefined);
    const isReleased = found.state === 'free' && found.mark === this.#leaseId;
    return isReleased ? { released: true, look: found } : { released: false, found };
  }

  /**
   * Writes what differs from what is stored. Resolves to `false` if the lease is not held any more.
   *
   * @throws `OutcomeUnknownError` if it may or may not be written; the next call settles it.
   */
  async #save(change: RecordChange, call: StoreCall): Promise<boolean> {
    for (let writes = 1; writes <= maxWrites; writes += 1) {
      const wanted = changed(this.#stored, change);
      if (!this.#unsure && isSame(this.#stored, wanted)) {
        return true;
      }
      this.#unsure = true;
      const answer = await this.#place.blob.write(wanted, this.#leaseId, this.#etag, call);
      if ('value' in answer && answer.value !== undefined) {
        this.#know(answer.value, wanted);
        return true;
      }
      // Another version: an earlier write of this term was applied, or this one was, and the SDK
      // repeated it after the reply was lost. A read under the lease id shows which.
      const isVersion = 'value' in answer || answer.refusal === 'changed';
      if (!isVersion || !(await this.#reload(call))) {
        return false;
      }
    }
    throw new OutcomeUnknownError('the record keeps changing', {
      store: storeName,
      lease: this.#place.blob.lease,
    });
  }

  /** Reads what is stored. Resolves to `false` if it is not this term's, or the lease is not held. */
  async #reload(call: StoreCall): Promise<boolean> {
    const seen = await this.#place.blob.readHeldBy(this.#leaseId, call);
    if (seen?.stored.mark !== this.#leaseId) {
      return false;
    }
    this.#know(seen.etag, seen.stored);
    return true;
  }

  #know(etag: string, stored: StoredLease): void {
    this.#etag = etag;
    this.#stored = stored;
    this.#unsure = false;
  }

  /**
   * What stands in this term's place. That the term is over is proved without it, so where it cannot
   * be read, `otherwise` must do: by default, what this term wrote last, as nobody's.
   */
  async #found(call: StoreCall, otherwise: Look = this.#expired()): Promise<Look> {
    try {
      return await lookAt(this.#place, call);
    } catch (error) {
      if (hasCode(error, 'LEASE_RECORD_INVALID')) {
        throw error;
      }
      return otherwise;
    }
  }

  #free(): Look {
    return lookOf({ etag: this.#etag, leased: false, stored: this.#stored });
  }

  #expired(): Look {
    const stored = { ...this.#stored, state: 'held' } as const;
    return lookOf({ etag: this.#etag, leased: false, stored });
  }
}

function changed(stored: StoredLease, change: RecordChange): StoredLease {
  const { state = stored.state, history = stored.record.history } = change;
  const progress = afterWrite(change.progress, stored.record.progress);
  const jobState = afterWrite(change.jobState, stored.record.jobState);
  return { state, mark: stored.mark, record: { ...stored.record, progress, jobState, history } };
}

function afterWrite(written: TextWrite, stored: string | undefined): string | undefined {
  return written === undefined ? stored : (written ?? undefined);
}

/** Whether a term would write the same again: it changes nothing but these four. */
function isSame(one: StoredLease, other: StoredLease): boolean {
  return (
    one.state === other.state &&
    one.record.progress === other.record.progress &&
    one.record.jobState === other.record.jobState &&
    encodePastTerms(one.record.history) === encodePastTerms(other.record.history)
  );
}
