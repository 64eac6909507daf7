import type { Clock } from '../../core/clock.ts';
import type {
  AcquireResult,
  Bid,
  HeldLease,
  LeaseRecord,
  LeaseStore,
  CheckpointWrite,
  Look,
  ReleaseResult,
  RenewResult,
  StoreCall,
  StoreLimits,
} from '../../core/lease-store.ts';
import { newUuid } from '../../core/uuid.ts';
import { memoryLimits } from './limits.ts';

interface Entry {
  readonly version: string;
  /** The attempt that holds it; `undefined` once released. */
  readonly attemptId: string | undefined;
  readonly expiresAtMs: number;
  readonly record: LeaseRecord;
}

/** The reference `LeaseStore` that judges expiry itself, by its own clock. */
export class MemoryExpiringStore implements LeaseStore {
  readonly name = 'memory';
  readonly limits: StoreLimits = memoryLimits('store');
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async look(lease: string, call: StoreCall): Promise<Look> {
    call.signal.throwIfAborted();
    return this.#look(lease);
  }

  async acquire(lease: string, bid: Bid, call: StoreCall): Promise<AcquireResult> {
    call.signal.throwIfAborted();
    const entry = this.#entries.get(lease);
    const held = { acquired: true, held: this.#heldLease(lease, bid) } as const;
    if (entry?.attemptId === bid.attemptId) {
      return held;
    }
    if (!this.#isOpenTo(entry, bid)) {
      return { acquired: false, found: this.#look(lease) };
    }
    this.#entries.set(lease, {
      version: newUuid(),
      attemptId: bid.attemptId,
      expiresAtMs: this.#clock.monotonicMs() + bid.leaseDurationMs,
      record: {
        holder: bid.holder,
        fencingToken: bid.fencingToken,
        leaseDurationMs: bid.leaseDurationMs,
        progress: entry?.record.progress,
        jobState: entry?.record.jobState,
        history: bid.history,
      },
    });
    return held;
  }

  async abandon(lease: string, bid: Bid, call: StoreCall): Promise<void> {
    await this.#heldLease(lease, bid).release({ history: bid.history }, call);
  }

  #isOpenTo(entry: Entry | undefined, bid: Bid): boolean {
    if (!entry || bid.look.state === 'absent') {
      return !entry && bid.look.state === 'absent';
    }
    const free = entry.attemptId === undefined || this.#isExpired(entry);
    return entry.version === bid.look.version && (free || bid.endedMarks.includes(entry.attemptId));
  }

  #isExpired(entry: Entry): boolean {
    return this.#clock.monotonicMs() >= entry.expiresAtMs;
  }

  #look(lease: string): Look {
    const entry = this.#entries.get(lease);
    if (!entry) {
      return { state: 'absent' };
    }
    const state =
      entry.attemptId === undefined ? 'free' : this.#isExpired(entry) ? 'expired' : 'held';
    const mark = entry.attemptId ?? entry.version;
    return { state, version: entry.version, mark, record: entry.record };
  }

  #heldLease(lease: string, bid: Bid): HeldLease {
    const releaseVersion = newUuid();
    return {
      marks: [bid.attemptId],
      renew: async (checkpoint, call): Promise<RenewResult> => {
        call.signal.throwIfAborted();
        const entry = this.#entries.get(lease);
        if (entry?.attemptId !== bid.attemptId || this.#isExpired(entry)) {
          return { renewed: false, found: this.#look(lease) };
        }
        this.#entries.set(lease, {
          ...entry,
          version: newUuid(),
          expiresAtMs: this.#clock.monotonicMs() + bid.leaseDurationMs,
          record: withCheckpoint(entry.record, checkpoint),
        });
        return { renewed: true };
      },
      release: async ({ history, ...checkpoint }, call): Promise<ReleaseResult> => {
        call.signal.throwIfAborted();
        const entry = this.#entries.get(lease);
        if (entry?.attemptId === bid.attemptId) {
          this.#entries.set(lease, {
            ...entry,
            version: releaseVersion,
            attemptId: undefined,
            record: { ...withCheckpoint(entry.record, checkpoint), history },
          });
        }
        const found = this.#look(lease);
        return found.state !== 'absent' && found.version === releaseVersion
          ? { released: true, look: found }
          : { released: false, found };
      },
    };
  }
}

function withCheckpoint(record: LeaseRecord, { progress, jobState }: CheckpointWrite): LeaseRecord {
  return {
    ...record,
    ...(progress !== undefined && { progress: progress ?? undefined }),
    ...(jobState !== undefined && { jobState: jobState ?? undefined }),
  };
}
