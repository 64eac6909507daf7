import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { brokenGuards, brokenStores } from './broken-parts.ts';
import { coreFaults, mendCore } from './core-faults.ts';
import type { BrokenParts } from './run-schedule.ts';

/** A part of the core, or a part of the simulated world. */
type Fault = (() => void) | BrokenParts;

/** What is wrong, what must catch it, and how it is done. */
const faults: readonly (readonly [name: string, caughtBy: string, fault: Fault])[] = [
  ['the deadline counts from the reply', 'S8 beliefs are disjoint', coreFaults.countsFromReply],
  ['a leader does not see a freeze', 'S8 beliefs are disjoint', coreFaults.trustsMonotonicClock],
  ['a leader never stops by itself', 'S8 beliefs are disjoint', coreFaults.neverStopsByItself],
  ['a late renewal revives a leadership', 'S12 over stays over', coreFaults.comesBack],
  ['a follower trusts its own duration', 'S4 takeover waits', coreFaults.trustsOwnDuration],
  ['and lets two believe at once', 'S8 beliefs are disjoint', coreFaults.trustsOwnDuration],
  ['a follower counts from its request', 'S4 takeover waits', coreFaults.countsFromBeforeRequest],
  [
    'a follower counts from its last look',
    'L1 dead leader is replaced',
    coreFaults.countsFromLastLook,
  ],
  ['a takeover keeps the token', 'S1 tokens are unique', coreFaults.keepsToken],
  [
    'a campaign ends with the first failure',
    'calls settle as promised',
    coreFaults.outlastsNothing,
  ],
  ['a call leaves its timer running', 'nothing is left running', coreFaults.leavesTimer],
  ['a takeover has no condition', 'S4 takeover waits', brokenStores.takesOverWithoutCondition],
  ['a renewal has no condition', 'S3 renewal keeps the term', brokenStores.renewsWithoutCondition],
  ['a release has no condition', 'S11 release is owned', brokenStores.releasesWithoutCondition],
  [
    'a late duplicate revives a term',
    'S12 dead terms stay dead',
    brokenStores.acquiresWhateverIsFree,
  ],
  ['a late duplicate rewinds the token', 'S2 tokens rise', brokenStores.acquiresWhateverIsFree],
  [
    'a replay mints a second token',
    'S13 lost replies are settled',
    brokenStores.mintsTokenAtEachDelivery,
  ],
  [
    'an ambiguous acquire is reported as refused',
    'S13 lost replies are settled',
    brokenStores.doesNotKnowOwnRecord,
  ],
  [
    'an ambiguous renewal is counted as a loss',
    'S16 loss is proved',
    brokenStores.namesOneVersionOnly,
  ],
  ['a release forgets the token', 'S11 release is owned', brokenStores.forgetsTokenOnRelease],
  [
    'a guard compares before it writes',
    'S6 one effective writer',
    brokenGuards.comparesBeforeItWrites,
  ],
  ['a guard accepts everything', 'S6 one effective writer', brokenGuards.acceptsEverything],
  [
    'a guard rejects the token that it has',
    'S5 guard is monotonic',
    brokenGuards.rejectsEqualTokens,
  ],
];

const mostSchedules = 1_000;
const rows: string[] = [];

describe('a deliberate fault', () => {
  afterEach(mendCore);

  afterAll(() => {
    console.log(`deliberate faults and what caught them:\n${rows.join('\n')}`);
  });

  it.each(faults)(
    'is caught: %s -> %s',
    async (name, caughtBy, fault) => {
      const broken = typeof fault === 'function' ? {} : fault;
      if (typeof fault === 'function') {
        vi.resetModules();
        fault();
      }
      // Only now, so that the simulation and the core see the replaced module.
      const { runSchedule } = await import('./run-schedule.ts');
      const { check, Coverage } = await import('./checker.ts');
      let isCaught = false;
      let schedules = 0;
      while (!isCaught && schedules < mostSchedules) {
        const violations = check(await runSchedule(schedules, broken), new Coverage());
        schedules += 1;
        isCaught = violations.some(({ property }) => property === caughtBy);
      }
      expect(isCaught, `not caught by ${caughtBy} in ${schedules} schedules`).toBe(true);
      rows.push(`${name} -> ${caughtBy} (seed ${schedules - 1}, after ${schedules} schedules)`);
    },
    120_000,
  );
});
