/**
 * Medians of the times that operations take, in milliseconds. The operations take turns, so that
 * a slow moment of the machine meets all of them.
 */
export async function medians<Name extends string>(
  rounds: number,
  operations: Readonly<Record<Name, () => Promise<void>>>,
): Promise<Record<Name, number>> {
  const entries = Object.entries<() => Promise<void>>(operations);
  const times = new Map(entries.map(([name]) => [name, [] as number[]]));
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, operation] of entries) {
      const startedMs = performance.now();
      await operation();
      if (round >= 0) {
        times.get(name)?.push(performance.now() - startedMs);
      }
    }
  }
  return Object.fromEntries(
    [...times].map(([name, all]) => [name, all.toSorted((a, b) => a - b)[all.length >> 1] ?? NaN]),
  ) as Record<Name, number>;
}
