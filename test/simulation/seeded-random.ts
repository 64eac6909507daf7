/** Seeded random numbers (mulberry32): the same seed gives the same schedule everywhere. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring first numbers.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(first: T, ...others: readonly T[]): T {
    return others[this.whole(0, others.length) - 1] ?? first;
  }

  /** A source of its own, so that one part's draws do not move another's. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 0x1_0000_0000));
  }
}
