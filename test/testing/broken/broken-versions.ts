import {
  isBid,
  isRelease,
  isRenewal,
  optionsFor,
  storing,
  type BrokenStore,
} from './broken-store.ts';

/** Stores whose versions, histories, names, signals or answers are wrong. */
export const brokenVersions: readonly BrokenStore[] = [
  {
    mistake: 'a release that keeps the version',
    options: optionsFor({
      apply: (right, write, found) =>
        isRelease(write) && found ? { ...right, version: found.version } : right,
    }),
    noticedBy: [
      'shows another version after each acquisition, release and takeover',
      'refuses a bid that saw the record before it was released',
    ],
  },
  {
    mistake: 'a renewal that keeps the version',
    options: optionsFor({
      apply: (right, write, found) =>
        isRenewal(write) && found ? { ...right, version: found.version } : right,
    }),
    noticedBy: [
      'shows another version after each renewal',
      'refuses a bid that saw the record before its holder renewed',
      'refuses a bid that saw the record before its holder saved progress',
    ],
  },
  {
    mistake: 'a takeover that keeps the version',
    options: optionsFor({
      apply: (right, write, found) =>
        isBid(write) && found ? { ...right, version: found.version } : right,
    }),
    noticedBy: [
      'shows another version after each acquisition, release and takeover',
      'refuses a bid that saw the record before another took over',
      'refuses a bid that saw a released record which another has acquired since',
      'shows a mark of the term that wrote last',
    ],
  },
  {
    mistake: 'a history that a renewal forgets',
    options: optionsFor(storing((_, write) => (isRenewal(write) ? { history: [] } : {}))),
    noticedBy: ['keeps the history of an acquisition through renewals, and that of the release'],
  },
  {
    mistake: 'a history without its release',
    options: optionsFor(
      storing((_, write, found) =>
        isRelease(write) ? { history: found?.record.history ?? [] } : {},
      ),
    ),
    noticedBy: ['keeps the history of an acquisition through renewals, and that of the release'],
  },
  {
    mistake: 'a history of five terms',
    options: optionsFor(storing(({ history }) => ({ history: history.slice(-5) }))),
    noticedBy: ['keeps everything when every field is as long as it may be'],
  },
  {
    mistake: 'a history that forgets when a term started',
    options: optionsFor(
      storing(({ history }) => ({
        history: history.map(({ fencingToken, holder, end }) =>
          end === undefined ? { fencingToken, holder } : { fencingToken, holder, end },
        ),
      })),
    ),
    noticedBy: ['keeps when each term started, where that is known'],
  },
  {
    mistake: 'the lease duration of the first holder for ever',
    options: optionsFor(
      storing(({ leaseDurationMs }, _, found) => ({
        leaseDurationMs: found?.record.leaseDurationMs ?? leaseDurationMs,
      })),
    ),
    noticedBy: ['stores the lease duration of each holder'],
  },
  ...[
    ['upper and lower case are the same', (lease: string) => lease.toLowerCase()],
    ['spaces at the ends do not count', (lease: string) => lease.trim()],
    ['a slash at the end does not count', (lease: string) => lease.replace(/\/$/, '')],
    ['a dot at the end does not count', (lease: string) => lease.replace(/\.$/, '')],
    ['composed and decomposed letters are the same', (lease: string) => lease.normalize()],
    ['escapes are decoded', (lease: string) => lease.replaceAll('%2F', '/')],
  ].map(([rule, keyOf]): BrokenStore => ({
    mistake: `names of which ${String(rule)}`,
    options: optionsFor({ keyOf: keyOf as (lease: string) => string }),
    noticedBy: ['keeps leases apart whose names are alike'],
  })),
  {
    mistake: 'one record for leases whose names begin alike',
    options: optionsFor({ keyOf: (lease) => lease.replace('-other', '') }),
    noticedBy: ['touches no other lease'],
  },
  {
    mistake: 'only names that a file may have',
    options: optionsFor({
      keyOf: (lease) => {
        if (!/^[\w.-]*[\w-]$/.test(lease) || lease.length > 120) {
          throw new Error('no such name');
        }
        return lease;
      },
    }),
    noticedBy: ['.', '..', 'orders.', '/orders//x/', ' orders ', 'orders?a=b&c#d%2F%'].map(
      (name) => `keeps a lease whose name is like ${JSON.stringify(name)}`,
    ),
  },
  {
    mistake: 'signals that nobody listens to',
    options: optionsFor({ ignoresSignals: true }),
    noticedBy: [
      'rejects a look whose signal has aborted, and stores nothing',
      'rejects a bid whose signal has aborted, and stores nothing',
      'rejects a renewal, a release or an abandonment whose signal has aborted, and changes nothing',
    ],
  },
  {
    mistake: 'a refusal that does not say what it found',
    options: optionsFor({ found: () => undefined }),
    noticedBy: [
      'refuses a bid that saw no record where there is one',
      'proves to a renewal that another has taken over',
      'does not release what another has taken over',
    ],
  },
];
