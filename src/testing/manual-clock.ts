import type { Clock } from '../core/clock.ts';
import { requireNumber } from '../core/requirements.ts';
import { afterReactions } from './after-reactions.ts';

/** Where a {@link ManualClock} starts. */
export interface ManualClockOptions {
  /** Default 0. */
  readonly monotonicMs?: number;
  /** Default 2026-01-01T00:00:00Z. */
  readonly wallMs?: number;
}

interface Sleeper {
  readonly wakesAtMs: number;
  readonly wake: () => void;
}

/**
 * A shorter sleep takes this long. Without it, what rounding leaves of a sleep could be too short
 * to move the clock, and code that sleeps until it is nothing would never end.
 */
const shortestSleepMs = 0.001;

/**
 * A {@link Clock} that stands still until a test moves it. Its two clocks can be moved apart, since
 * real ones do: a frozen machine may stop the monotonic one, and anyone may set the other.
 *
 * Moving it lets code that waits only for this clock and for other promises run as far as it gets.
 * Code that waits for the network is not waited for.
 */
export class ManualClock implements Clock {
  #monotonicMs: number;
  #wallMs: number;
  /** Where the calls that move the clock and are under way will leave it. */
  #endMs = Number.NEGATIVE_INFINITY;
  #sleepers: readonly Sleeper[] = [];

  /** @throws `RangeError` if a start value is not a finite number. */
  constructor({ monotonicMs = 0, wallMs = 1_767_225_600_000 }: ManualClockOptions = {}) {
    this.#monotonicMs = requireFinite('monotonicMs', monotonicMs);
    this.#wallMs = requireFinite('wallMs', wallMs);
  }

  /** How many sleeps neither ended nor were aborted: 0 proves that nothing is left waiting. */
  get pendingSleeps(): number {
    return this.#sleepers.length;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        this.#remove(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        wakesAtMs: this.#monotonicMs + (ms > 0 ? Math.max(ms, shortestSleepMs) : 0),
        wake: () => {
          this.#remove(sleeper);
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#sleepers = [...this.#sleepers, sleeper];
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Moves both clocks forward, waking sleepers in the order in which they come due and letting each
   * run before the next. `advance(0)` only lets everything run that is ready to. Calls that overlap
   * add up.
   *
   * @throws `RangeError` if `ms` is negative or not finite.
   */
  async advance(ms: number): Promise<void> {
    await this.#advance(ms, 1);
  }

  /**
   * Moves the monotonic clock alone, which is what sleepers follow; otherwise as {@link advance}.
   *
   * @throws `RangeError` if `ms` is negative or not finite.
   */
  async advanceMonotonic(ms: number): Promise<void> {
    await this.#advance(ms, 0);
  }

  /**
   * Sets the wall clock forward or, with a negative `ms`, back, at once. Wakes nobody.
   *
   * @throws `RangeError` if `ms` is not finite.
   */
  advanceWall(ms: number): void {
    this.#wallMs += requireFinite('ms', ms);
  }

  /**
   * Moves both clocks forward at once while nothing else runs, as code that does not yield or a
   * stopped process makes them appear. Who came due meanwhile wakes with the next `advance`, late.
   *
   * @throws `RangeError` if `ms` is negative or not finite.
   */
  block(ms: number): void {
    this.#monotonicMs += requireForward(ms);
    this.#wallMs += ms;
  }

  async #advance(ms: number, wallRate: 0 | 1): Promise<void> {
    // Where to stop, not how much is left: steps that are no whole milliseconds would not add up.
    const endMs = Math.max(this.#endMs, this.#monotonicMs) + requireForward(ms);
    this.#endMs = endMs;
    // Who has only just been started has not gone to sleep yet.
    await afterReactions();
    for (let next = this.#nextUntil(endMs); next; next = this.#nextUntil(endMs)) {
      this.#moveTo(next.wakesAtMs, wallRate);
      next.wake();
      await afterReactions();
    }
    this.#moveTo(endMs, wallRate);
  }

  #moveTo(monotonicMs: number, wallRate: 0 | 1): void {
    const stepMs = monotonicMs - this.#monotonicMs;
    if (stepMs > 0) {
      this.#monotonicMs = monotonicMs;
      this.#wallMs += stepMs * wallRate;
    }
  }

  #nextUntil(endMs: number): Sleeper | undefined {
    return this.#sleepers
      .filter(({ wakesAtMs }) => wakesAtMs <= endMs)
      .toSorted((one, other) => one.wakesAtMs - other.wakesAtMs)[0];
  }

  #remove(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
  }
}

function requireForward(ms: number): number {
  return requireNumber('ms', ms, {
    kind: '0 or more milliseconds (only advanceWall moves a clock back)',
    fits: (value) => Number.isFinite(value) && value >= 0,
  });
}

function requireFinite(name: string, value: number): number {
  return requireNumber(name, value, {
    kind: 'a finite number of milliseconds',
    fits: Number.isFinite,
  });
}
