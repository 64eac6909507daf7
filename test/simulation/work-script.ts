import { isLeadershipOver } from '../../src/core/errors.ts';
import type { Leadership } from '../../src/core/leadership.ts';
import type { GuardedResource } from './guarded-resource.ts';
import type { Network } from './network.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimProcess } from './sim-process.ts';

/** The progress that the work saves. */
export interface Done {
  readonly done: number;
}

/** What the work reaches. */
export interface WorkPlace {
  readonly process: SimProcess;
  readonly network: Network;
  readonly resource: GuardedResource;
}

/** How long the work waits for the answer to a guarded write. */
const writeTimeoutMs = 3_000;

/** Does random steps of work until it is done, or until it notices that it does not lead. */
export async function doWork(place: WorkPlace, leadership: Leadership<Done>): Promise<string> {
  const { process } = place;
  process.watch(leadership);
  process.isWorking = true;
  try {
    return await doSteps(process.random, new Work(place, leadership));
  } finally {
    process.isWorking = false;
  }
}

async function doSteps(random: SeededRandom, work: Work): Promise<string> {
  // Some code catches every error and goes on: then only the fence protects.
  const isStubborn = random.chance(0.15);
  const steps = random.whole(1, 30);
  for (let step = 0; step < steps; step += 1) {
    try {
      await work.step(step);
    } catch (error) {
      if (!isStubborn || !isLeadershipOver(error)) {
        throw error;
      }
      await work.pause();
    }
  }
  return 'done';
}

class Work {
  readonly #place: WorkPlace;
  readonly #leadership: Leadership<Done>;

  constructor(place: WorkPlace, leadership: Leadership<Done>) {
    this.#place = place;
    this.#leadership = leadership;
  }

  async step(step: number): Promise<void> {
    const { process } = this.#place;
    const { random } = process;
    const draw = random.next();
    if (draw < 0.35) {
      await this.#checkpoint(step);
    } else if (draw < 0.5) {
      await this.#write();
    } else if (draw < 0.6) {
      this.#assertLeader();
      await this.#write();
    } else if (draw < 0.65) {
      this.#assertLeader();
      await process.block(this.#drawMs(3_000));
      await this.#write();
    } else if (draw < 0.74) {
      await this.#during();
    } else if (draw < 0.76 && random.chance(0.3)) {
      throw new Error('the work failed');
    } else {
      await this.pause();
    }
  }

  async pause(): Promise<void> {
    await this.#place.process.ownClock.sleep(this.#drawMs(2_500));
  }

  async #checkpoint(step: number): Promise<void> {
    const { random } = this.#place.process;
    const progress = random.pick({ done: step }, { done: step }, undefined, null);
    if (random.chance(0.1)) {
      await Promise.all([this.#leadership.checkpoint(progress), this.#leadership.checkpoint()]);
    } else {
      await this.#leadership.checkpoint(progress);
    }
    this.#believes();
  }

  #assertLeader(): void {
    const { process } = this.#place;
    try {
      this.#leadership.assertLeader();
    } catch (error) {
      process.history.isOver(process.name, this.#leadership.fencingToken);
      throw error;
    }
    this.#believes();
  }

  async #during(): Promise<void> {
    const { random, ownClock } = this.#place.process;
    const operationMs = random.between(100, 20_000);
    const heedsSignal = random.chance(0.5);
    await this.#leadership.during(
      ({ signal }) => ownClock.sleep(operationMs, heedsSignal ? signal : undefined),
      { atMostMs: random.between(100, 25_000) },
    );
    this.#believes();
  }

  async #write(): Promise<void> {
    const { process, network, resource } = this.#place;
    const { fencingToken } = this.#leadership;
    const limit = new AbortController();
    const operation = { kind: 'guarded write', fencingToken } as const;
    const rejected = await Promise.race([
      network.send(process, operation, limit, (request) => resource.write(request)),
      process.ownClock.sleep(writeTimeoutMs, limit.signal),
    ]).catch(() => undefined);
    limit.abort();
    if (rejected) {
      throw rejected;
    }
  }

  #believes(): void {
    this.#place.process.believes(this.#leadership.fencingToken);
  }

  /** Mostly short, sometimes longer than a lease. */
  #drawMs(usualMs: number): number {
    const { random } = this.#place.process;
    return random.chance(0.06) ? random.between(5_000, 25_000) : random.between(10, usualMs);
  }
}
