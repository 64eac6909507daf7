/** Source of jitter, from 0 up to but not including 1. Nothing that must be unique comes from it. */
export const systemRandom: () => number = Math.random;
