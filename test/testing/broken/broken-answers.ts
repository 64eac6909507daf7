import type { HeldLease, LeaseStore, Look } from 'tenure';
import { ManualClock } from 'tenure/testing';
import {
  expiringOptionsFor,
  isBid,
  isRelease,
  isRenewal,
  optionsFor,
  type BrokenStore,
} from './broken-store.ts';

const emptyLook: Look = {
  state: 'free',
  version: '',
  mark: '',
  record: {
    holder: '',
    fencingToken: undefined,
    leaseDurationMs: 1,
    progress: undefined,
    jobState: undefined,
    history: [],
  },
};

/** Changes what a won term can do. */
function withTerm(
  change: (held: HeldLease) => Partial<HeldLease>,
): (store: LeaseStore) => Partial<LeaseStore> {
  return (store) => ({
    acquire: async (lease, bid, call) => {
      const result = await store.acquire(lease, bid, call);
      if (!result.acquired) {
        return result;
      }
      const { held } = result;
      const term: HeldLease = {
        marks: held.marks,
        renew: (checkpoint, own) => held.renew(checkpoint, own),
        release: (final, own) => held.release(final, own),
        ...change(held),
      };
      return { acquired: true, held: term };
    },
  });
}

/** Runs so fast that every lease has passed by the next look. */
class HurryingClock extends ManualClock {
  override monotonicMs(): number {
    this.block(20_000);
    return super.monotonicMs();
  }
}

/** Stores that answer something else than what is stored, or do not judge silence rightly. */
export const brokenAnswers: readonly BrokenStore[] = [
  {
    mistake: 'a bid that is only remembered',
    options: optionsFor({ forgets: isBid }),
    noticedBy: [
      'acquires a lease that has no record',
      'acquires a released lease',
      'takes over from a silent holder',
      'lets one of many concurrent bids for a new lease win',
    ],
  },
  {
    mistake: 'a renewal that is only remembered',
    options: optionsFor({ forgets: isRenewal }),
    noticedBy: [
      'keeps progress plain that a renewal saves',
      'clears progress when a renewal says so',
    ],
  },
  {
    mistake: 'a release that is only remembered',
    options: optionsFor({ forgets: isRelease }),
    noticedBy: [
      'releases and keeps token, holder and progress',
      'frees what an abandoned bid has won',
    ],
  },
  {
    mistake: 'a look that shows a lease which nobody made as free',
    options: optionsFor({}, (store) => ({
      look: async (lease, call) => {
        const look = await store.look(lease, call);
        return look.state === 'absent' ? emptyLook : look;
      },
    })),
    noticedBy: ['shows nothing where nothing is stored', 'acquires a lease that has no record'],
  },
  {
    mistake: 'a renewal that always reports success',
    options: optionsFor(
      {},
      withTerm(() => ({ renew: async () => ({ renewed: true }) })),
    ),
    noticedBy: [
      'proves to a renewal that another has taken over',
      'keeps progress plain that a renewal saves',
    ],
  },
  {
    mistake: 'a renewal that always reports a loss',
    options: optionsFor(
      {},
      withTerm(() => ({ renew: async () => ({ renewed: false, found: { state: 'absent' } }) })),
    ),
    noticedBy: ['renews again and again under the same token'],
  },
  {
    mistake: 'a release that returns an old look',
    options: optionsFor(
      {},
      withTerm((held) => ({
        release: async (final, call) => {
          const result = await held.release(final, call);
          return result.released ? { released: true, look: { state: 'absent' } } : result;
        },
      })),
    ),
    noticedBy: [
      'returns the look of a release on which the next bid can rest',
      'gives a release that is sent again the same result',
    ],
  },
  {
    mistake: 'terms without marks',
    options: optionsFor(
      {},
      withTerm(() => ({ marks: [] })),
    ),
    noticedBy: ['shows a mark of the term that wrote last'],
  },
  {
    mistake: 'an abandonment that does nothing',
    options: optionsFor({}, () => ({ abandon: async () => {} })),
    noticedBy: [
      'frees what an abandoned bid has won',
      'refuses an abandoned bid that arrives again',
    ],
  },
  {
    mistake: 'an expiry that is declared and not there',
    options: optionsFor({ limits: { expiry: 'store' } }),
    noticedBy: ['declares its name, who judges expiry, and durations that a lease can have'],
  },
  {
    mistake: 'a shortest duration that is no multiple',
    options: optionsFor({ limits: { minDurationMs: 1_500, granularityMs: 1_000 } }),
    noticedBy: ['declares its name, who judges expiry, and durations that a lease can have'],
  },
  {
    mistake: 'leases that pass at once',
    options: expiringOptionsFor(() => new HurryingClock()),
    noticedBy: [
      'refuses to take over from a holder whose lease has not passed',
      'counts silence from the last renewal',
    ],
  },
  {
    mistake: 'leases that never pass',
    options: expiringOptionsFor(() => new ManualClock()),
    noticedBy: [
      'takes over from a silent holder',
      'shows a silent holder as expired, and not as released',
      'counts silence from the last renewal',
    ],
  },
  {
    mistake: 'a renewal that does not prolong the lease',
    options: expiringOptionsFor(
      (clock) => clock,
      () => ({ renew: async () => ({ renewed: true }) }),
    ),
    noticedBy: ['counts silence from the last renewal'],
  },
];
