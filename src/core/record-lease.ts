/**
 * The lease algorithm over a table: turns a `RecordStore` into a `LeaseStore`.
 *
 * Every write carries a version of its own. A term remembers every version that it may have
 * written, so a renewal whose reply was lost is settled by the condition of the next one, and a
 * late or repeated request meets a version that it does not name and changes nothing.
 *
 * @module
 */
import { hasCode, StoreUnavailableError } from './errors.ts';
import type {
  AcquireResult,
  Bid,
  HeldLease,
  LeaseStore,
  Look,
  CheckpointWrite,
  PastTerm,
  ReleaseResult,
  RenewResult,
  StoreCall,
  TextWrite,
} from './lease-store.ts';
import {
  maxVersions,
  type RecordStore,
  type RecordWrite,
  type StoredRecord,
} from './record-store.ts';
import { newUuid } from './uuid.ts';

/** A `LeaseStore` that keeps one record per lease in `records`. */
export function recordLeaseStore(records: RecordStore): LeaseStore {
  return {
    name: records.name,
    limits: records.limits,
    look: async (lease, call) => lookOf(await records.read(lease, call)),
    acquire: (lease, bid, call) => acquire(records, lease, bid, call),
    abandon: async (lease, bid, call) => {
      await new RecordTerm(records, lease, bid).release({ history: bid.history }, call);
    },
  };
}

async function acquire(
  records: RecordStore,
  lease: string,
  bid: Bid,
  call: StoreCall,
): Promise<AcquireResult> {
  const { look, attemptId, holder, fencingToken, leaseDurationMs, history } = bid;
  const result = await records.write(
    lease,
    {
      version: attemptId,
      replaces: look.state === 'absent' ? 'absent' : [look.version],
      released: false,
      holder,
      fencingToken,
      leaseDurationMs,
      progress: undefined,
      jobState: undefined,
      history,
    },
    call,
  );
  return result.written
    ? { acquired: true, held: new RecordTerm(records, lease, bid) }
    : { acquired: false, found: lookOf(result.found) };
}

/** One term on a record. */
class RecordTerm implements HeldLease {
  readonly #records: RecordStore;
  readonly #lease: string;
  readonly #bid: Bid;
  #versions: readonly string[];
  /** The newest that was given; whether a renewal stored it is not always known. */
  #checkpoint: CheckpointWrite = {};
  /** One for all attempts to release, so that a repeat recognises what the first one did. */
  readonly #releaseVersion = newUuid();

  constructor(records: RecordStore, lease: string, bid: Bid) {
    this.#records = records;
    this.#lease = lease;
    this.#bid = bid;
    this.#versions = [bid.attemptId];
  }

  get marks(): readonly string[] {
    return [...this.#versions, this.#releaseVersion];
  }

  async renew(checkpoint: CheckpointWrite, call: StoreCall): Promise<RenewResult> {
    if (this.#versions.length >= maxVersions) {
      // As they are now: a late answer may shorten the list before this one comes.
      const known = this.#versions;
      const found = await this.#records.read(this.#lease, call);
      if (!found || !known.includes(found.version)) {
        return { renewed: false, found: lookOf(found) };
      }
      this.#settleVersions(found.version);
    }
    const version = newUuid();
    const replaces = this.#versions;
    this.#versions = [...replaces, version];
    this.#checkpoint = newestOf(checkpoint, this.#checkpoint);
    const write = { version, replaces, released: false, checkpoint, history: undefined };
    try {
      const result = await this.#write(write, call);
      if (result.written) {
        // Older ones can not be stored any more. Newer ones may be: this answer may come late.
        this.#versions = this.#versions.slice(Math.max(this.#versions.indexOf(version), 0));
        return { renewed: true };
      }
      return { renewed: false, found: lookOf(result.found) };
    } catch (error) {
      if (hasCode(error, 'STORE_UNAVAILABLE')) {
        this.#versions = this.#versions.filter((other) => other !== version);
      }
      throw error;
    }
  }

  async release(
    final: CheckpointWrite & { readonly history: readonly PastTerm[] },
    call: StoreCall,
  ): Promise<ReleaseResult> {
    // A new version, although nothing but `released` needs to change: it ends every request of this
    // term that is still under way, and every candidate that saw the old version.
    const version = this.#releaseVersion;
    const { history } = final;
    // Given again if this call gives none: the look then shows what is stored, without a read.
    const checkpoint = newestOf(final, this.#checkpoint);
    const write = { version, replaces: this.#versions, released: true, checkpoint, history };
    const result = await this.#write(write, call);
    if (!result.written) {
      return { released: false, found: lookOf(result.found) };
    }
    const { holder, fencingToken, leaseDurationMs, look } = this.#bid;
    const before = look.state === 'absent' ? undefined : look.record;
    const progress = newest(checkpoint.progress, before?.progress) ?? undefined;
    const jobState = newest(checkpoint.jobState, before?.jobState) ?? undefined;
    const record = { holder, fencingToken, leaseDurationMs, progress, jobState, history };
    return { released: true, look: lookOf({ version, released: true, record }) };
  }

  #write(
    write: Pick<RecordWrite, 'version' | 'replaces' | 'released' | 'history'> & {
      readonly checkpoint: CheckpointWrite;
    },
    call: StoreCall,
  ): ReturnType<RecordStore['write']> {
    const { version, replaces, released, history } = write;
    const { progress, jobState } = write.checkpoint;
    const { holder, fencingToken, leaseDurationMs } = this.#bid;
    const within = { holder, fencingToken };
    const changes = { version, released, ...within, leaseDurationMs, progress, jobState, history };
    return this.#records.write(this.#lease, { ...changes, replaces, within }, call);
  }

  /**
   * Keeps the list of possible versions short. A version older than the one that is stored can
   * never be written any more, because its request does not name the stored one.
   */
  #settleVersions(stored: string): void {
    const index = this.#versions.indexOf(stored);
    if (index <= 0 && this.#versions.length >= maxVersions) {
      throw new StoreUnavailableError('too many renewals are still without an answer', {
        lease: this.#lease,
        store: this.#records.name,
      });
    }
    this.#versions = this.#versions.slice(Math.max(index, 0));
  }
}

function newest(given: TextWrite, before: TextWrite): TextWrite {
  return given === undefined ? before : given;
}

function newestOf(given: CheckpointWrite, before: CheckpointWrite): CheckpointWrite {
  return {
    progress: newest(given.progress, before.progress),
    jobState: newest(given.jobState, before.jobState),
  };
}

function lookOf(stored: StoredRecord | undefined): Look {
  return stored
    ? {
        state: stored.released ? 'free' : 'held',
        version: stored.version,
        mark: stored.version,
        record: stored.record,
      }
    : { state: 'absent' };
}
