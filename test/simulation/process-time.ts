import type { Kernel } from './kernel.ts';

/** How a machine's clocks differ from true time. */
export interface ClockTraits {
  /** Local milliseconds per true one. */
  readonly rate: number;
  readonly monotonicOriginMs: number;
  readonly wallOffsetMs: number;
}

/** The two clocks of one machine, as functions of true time. */
export class ProcessTime {
  readonly rate: number;
  readonly #kernel: Kernel;
  #monotonicMs: number;
  /** From this true time on the monotonic clock runs. */
  #runsFromMs: number;
  #wallOffsetMs: number;

  constructor(kernel: Kernel, { rate, monotonicOriginMs, wallOffsetMs }: ClockTraits) {
    this.#kernel = kernel;
    this.rate = rate;
    this.#monotonicMs = monotonicOriginMs;
    this.#runsFromMs = kernel.nowMs;
    this.#wallOffsetMs = wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs + this.rate * Math.max(0, this.#kernel.nowMs - this.#runsFromMs);
  }

  wallMs(): number {
    return this.#wallOffsetMs + this.rate * this.#kernel.nowMs;
  }

  /** Stops the monotonic clock for some true time. The wall clock goes on. */
  stopMonotonic(ms: number): void {
    this.#monotonicMs = this.monotonicMs();
    this.#runsFromMs = Math.max(this.#runsFromMs, this.#kernel.nowMs + ms);
  }

  /** Sets the wall clock. */
  moveWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** True time until the monotonic clock shows `dueMs`, if nothing stops it. */
  trueMsUntil(dueMs: number): number {
    const standsForMs = Math.max(0, this.#runsFromMs - this.#kernel.nowMs);
    return standsForMs + Math.max(0, dueMs - this.monotonicMs()) / this.rate;
  }
}
