import { OutcomeUnknownError, StoreUnavailableError } from '../../src/core/errors.ts';
import type { StoreCall } from '../../src/core/lease-store.ts';
import type {
  RecordStore,
  RecordWrite,
  RecordWriteResult,
  StoredRecord,
} from '../../src/core/record-store.ts';
import { MemoryRecordStore } from '../../src/stores/memory/record-store.ts';

/**
 * What happens to one write: it passes; the store refuses to take it (`unavailable`); its request
 * or its reply is lost, and the caller is told that it does not know; or its request or its reply
 * is `late`, and the caller is told nothing until then.
 */
export type Fault =
  | 'pass'
  | 'unavailable'
  | 'lose-request'
  | 'lose-reply'
  | 'late-request'
  | 'late-reply';

export const patient: StoreCall = { signal: new AbortController().signal };

/** A memory store behind a network that does as it is told. */
export class ScriptedRecords implements RecordStore {
  readonly memory = new MemoryRecordStore();
  readonly name = 'scripted';
  readonly limits = this.memory.limits;
  readonly writes: RecordWrite[] = [];
  reads = 0;
  #faults: readonly Fault[] = [];
  /** What is still under way, in the order in which it was sent: requests and replies. */
  #underWay: readonly (() => Promise<void>)[] = [];

  /** Says what happens to the next writes; later ones pass. */
  script(...faults: readonly Fault[]): void {
    this.#faults = faults;
  }

  get underWay(): number {
    return this.#underWay.length;
  }

  /** Lets one of the requests and replies that are under way arrive. */
  async deliver(index: number): Promise<void> {
    const message = this.#underWay[index];
    this.#underWay = this.#underWay.filter((other) => other !== message);
    await message?.();
  }

  /** Lets everything arrive that is under way, oldest first. */
  async deliverAll(): Promise<void> {
    while (this.#underWay.length > 0) {
      await this.deliver(0);
    }
  }

  stored(lease: string): Promise<StoredRecord | undefined> {
    return this.memory.read(lease, patient);
  }

  async read(lease: string, call: StoreCall): Promise<StoredRecord | undefined> {
    this.reads += 1;
    return this.memory.read(lease, call);
  }

  async write(lease: string, write: RecordWrite, call: StoreCall): Promise<RecordWriteResult> {
    this.writes.push(write);
    const [fault = 'pass', ...later] = this.#faults;
    this.#faults = later;
    const apply = (): Promise<RecordWriteResult> => this.memory.write(lease, write, call);
    const context = { lease, store: this.name };
    switch (fault) {
      case 'pass':
        return apply();
      case 'unavailable':
        throw new StoreUnavailableError('throttled', context);
      case 'lose-request':
        this.#send(async () => {
          await apply();
        });
        throw new OutcomeUnknownError('no answer', context);
      case 'lose-reply':
        await apply();
        throw new OutcomeUnknownError('no answer', context);
      case 'late-request':
        return this.#late(apply);
      default: {
        const result = await apply();
        return this.#late(() => Promise.resolve(result));
      }
    }
  }

  #send(message: () => Promise<void>): void {
    this.#underWay = [...this.#underWay, message];
  }

  #late(answer: () => Promise<RecordWriteResult>): Promise<RecordWriteResult> {
    return new Promise((resolve) => {
      this.#send(async () => {
        resolve(await answer());
      });
    });
  }
}
