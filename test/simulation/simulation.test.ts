import { afterAll, describe, expect, it } from 'vitest';
import { check, Coverage } from './checker.ts';
import { leastCoverage } from './least-coverage.ts';
import { renderHistory } from './render-history.ts';
import { runSchedule } from './run-schedule.ts';

/** Runs one schedule alone and prints it. */
const givenSeed = process.env['TENURE_SEED'];
const batchSize = givenSeed === undefined ? 100 : 1;
const firstSeeds =
  givenSeed === undefined
    ? Array.from({ length: 20 }, (_, batch) => batch * batchSize)
    : [Number(givenSeed)];

const coverage = new Coverage();

async function runSeed(seed: number): Promise<void> {
  const schedule = await runSchedule(seed);
  const violations = check(schedule, coverage);
  if (violations.length > 0 || givenSeed !== undefined) {
    console.log(renderHistory(schedule, violations));
    console.log(`run it alone: TENURE_SEED=${seed} npm test -- test/simulation/simulation.test.ts`);
  }
  expect(violations, `seed ${seed}`).toEqual([]);
}

describe('three candidates under faults', () => {
  afterAll(() => {
    console.log(`${firstSeeds.length * batchSize} schedules put to the test:\n${coverage.table}`);
  });

  it.each(firstSeeds)(
    'keep every promise in the schedules from seed %i',
    async (firstSeed) => {
      for (let seed = firstSeed; seed < firstSeed + batchSize; seed += 1) {
        await runSeed(seed);
      }
    },
    120_000,
  );

  // Whether a promise was kept says nothing if nothing ever tried it.
  it.each(givenSeed === undefined ? leastCoverage : [])(
    'try this often enough: %s, %s',
    (property, what, least) => {
      expect(coverage.times(property, what)).toBeGreaterThanOrEqual(least);
    },
  );

  it('do the same again for the same seed', async () => {
    for (const seed of [3, 14, 15, 92, 65]) {
      const [one, other] = [await runSchedule(seed), await runSchedule(seed)];
      expect(renderHistory(one, [])).toBe(renderHistory(other, []));
      expect(one.history.entries.length).toBeGreaterThan(50);
    }
  });
});
