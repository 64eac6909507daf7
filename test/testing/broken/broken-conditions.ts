import { isBid, isRelease, isRenewal, optionsFor, type BrokenStore } from './broken-store.ts';

/** Stores that write when they must not, or do not write when they must. */
export const brokenConditions: readonly BrokenStore[] = [
  {
    mistake: 'a release without a condition',
    options: optionsFor({ holds: (right, write, found) => right || (isRelease(write) && !!found) }),
    noticedBy: [
      'does not release what another has taken over',
      'does not release the next term when a release is sent again',
      'does not rewrite the release of the next term when a release is sent again',
      'abandons a bid again without harm',
      'leaves the holder alone when a refused bid is abandoned',
    ],
  },
  {
    mistake: 'a release whose only condition is the holder',
    options: optionsFor({
      holds: (right, write, found) =>
        right || (isRelease(write) && found?.record.holder === write.holder),
    }),
    noticedBy: ['does not release the next term of the same holder'],
  },
  {
    mistake: 'a renewal without a condition',
    options: optionsFor({ holds: (right, write, found) => right || (isRenewal(write) && !!found) }),
    noticedBy: [
      'proves to a renewal that another has taken over',
      'proves to a renewal that its term was released',
      'proves to a renewal that the next term was released too',
      'replaces a term that the bid names as ended, without waiting',
    ],
  },
  {
    mistake: 'a bid that wins whatever it saw',
    options: optionsFor({ holds: (right, write) => right || isBid(write) }),
    noticedBy: [
      'refuses a bid that saw no record where there is one',
      'refuses a bid that saw no record where there is a released one',
      'refuses a bid that saw a record where there is none',
      'refuses a bid that saw the record before its holder saved progress',
      'refuses a bid that saw the record before its holder renewed',
      'refuses a bid that saw the record before it was released',
      'refuses a bid that saw the record before another took over',
      'refuses a bid that saw a released record which another has acquired since',
      'refuses a bid that arrives again after another has taken over',
      'refuses a takeover that arrives again after its term was released',
      'refuses the bid of a released lease that arrives again after its term was released',
      'lets one of many concurrent bids for a released lease win',
      'lets one of many concurrent takeovers win',
    ],
  },
  {
    mistake: 'one condition for a new record and for a released one',
    options: optionsFor({
      holds: (right, write, found) => right || (isBid(write) && found?.released === true),
    }),
    noticedBy: [
      'refuses the bid of a new lease that arrives again after its term was released',
      'refuses a refused bid that arrives again when the lease is free',
      'refuses an abandoned bid that arrives again',
    ],
  },
  {
    mistake: 'a write that creates what it was to replace',
    options: optionsFor({ holds: (right, _, found) => right || !found }),
    noticedBy: [
      'refuses a bid that saw a record where there is none',
      'stores nothing when a bid that never arrived is abandoned',
    ],
  },
  {
    mistake: 'a repeated request that is refused',
    options: optionsFor({
      holds: (right, write, found) => right && found?.version !== write.version,
    }),
    noticedBy: [
      'gives a bid that is sent again the same result',
      'gives a takeover that is sent again the same result',
      'gives copies of one bid that arrive together the same result',
      'gives a release that is sent again the same result',
    ],
  },
  {
    mistake: 'a condition and a write that are not one step',
    options: optionsFor({ isInterrupted: true }),
    noticedBy: [
      'lets one of many concurrent bids for a new lease win',
      'lets one of many concurrent bids for a released lease win',
      'lets one of many concurrent takeovers win',
    ],
  },
];
