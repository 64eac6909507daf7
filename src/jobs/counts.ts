import { describeValue } from '../core/describe-value.ts';
import { requireNumber } from '../core/requirements.ts';
import { maxCount, maxCountName, maxCounts } from './job-state-text.ts';

const countName = /^[A-Za-z]+$/;

/** What a run counts, under names of its own. */
export class Counts {
  #counts: Readonly<Record<string, number>> = {};

  get all(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  /** Goes on from what an earlier invocation counted. */
  restart(counts: Readonly<Record<string, number>>): void {
    this.#counts = counts;
  }

  /** @throws `TypeError` or `RangeError` naming what does not fit. */
  add(name: string, by: number): void {
    if (typeof name !== 'string' || !countName.test(name) || name.length > maxCountName) {
      throw new RangeError(
        `a count's name must be 1 to ${maxCountName} letters, got ${describeValue(name)}`,
      );
    }
    requireNumber('by', by, {
      kind: 'a whole number from 0',
      fits: (value) => Number.isSafeInteger(value) && value >= 0,
    });
    // Not what every object has, such as its constructor.
    const before = Object.hasOwn(this.#counts, name) ? (this.#counts[name] ?? 0) : 0;
    const counts = { ...this.#counts, [name]: Math.min(before + by, maxCount) };
    if (Object.keys(counts).length > maxCounts) {
      throw new RangeError(`at most ${maxCounts} things can be counted, ${name} is one too many`);
    }
    this.#counts = counts;
  }
}
