import { instantOf, type Clock, type Instant } from './clock.ts';
import { elapsedMs } from './validity.ts';

/**
 * Measures the steps of the work: the time between two checkpoints, less what declared long
 * operations covered.
 */
export class StepMeter {
  readonly #clock: Clock;
  #stepBegan: Instant;
  #coverBegan: Instant | undefined;
  #covers = 0;
  #coveredMs = 0;
  #longestMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stepBegan = instantOf(clock);
  }

  /** The longest step so far, in milliseconds. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** Ends the step under way. */
  endStep(): void {
    const now = instantOf(this.#clock);
    this.#closeCover(now);
    const stepMs = elapsedMs(this.#stepBegan, now) - this.#coveredMs;
    this.#longestMs = Math.max(this.#longestMs, stepMs);
    this.beginStep();
  }

  /** Begins a step, after the time that the checkpoint itself took. */
  beginStep(): void {
    this.#stepBegan = instantOf(this.#clock);
    this.#coveredMs = 0;
    this.#coverBegan = this.#covers > 0 ? this.#stepBegan : undefined;
  }

  /** Begins a long operation, which renews by itself. Several may overlap. */
  beginCover(): void {
    this.#covers += 1;
    this.#coverBegan ??= instantOf(this.#clock);
  }

  /** Ends a long operation. */
  endCover(): void {
    this.#covers -= 1;
    if (this.#covers === 0) {
      this.#closeCover(instantOf(this.#clock));
      this.#coverBegan = undefined;
    }
  }

  #closeCover(now: Instant): void {
    if (this.#coverBegan) {
      this.#coveredMs += elapsedMs(this.#coverBegan, now);
      this.#coverBegan = now;
    }
  }
}
