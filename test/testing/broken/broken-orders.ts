import type { RecordWrite, StoredRecord } from 'tenure';
import { isBid, isRelease, isRenewal } from './broken-store.ts';
import type { Mistake } from './breakable-records.ts';

/** A record store with one mistake about what may follow what. */
export interface BrokenRecordStore {
  readonly name: string;
  readonly mistake: Mistake;
  readonly noticedBy: readonly string[];
}

const names = (write: RecordWrite, found: StoredRecord | undefined): boolean =>
  found !== undefined && write.replaces !== 'absent' && write.replaces.includes(found.version);

const isSameTerm = (write: RecordWrite, found: StoredRecord | undefined): boolean =>
  found?.record.holder === write.holder && found.record.fencingToken === write.fencingToken;

const isRepeated = (write: RecordWrite, found: StoredRecord | undefined): boolean =>
  found?.version === write.version;

export const brokenOrders: readonly BrokenRecordStore[] = [
  {
    name: 'a renewal whose only condition is its term',
    mistake: {
      holds: (right, write, found) => right || (isRenewal(write) && isSameTerm(write, found)),
    },
    noticedBy: [
      'refuses a write that does not name the stored version',
      'refuses a renewal that arrives after a newer one',
      'refuses a renewal that arrives after the release of its term',
      'accepts a renewal that arrives late but before the next, which names it',
      'refuses a write within another holder, another token or a released record',
    ],
  },
  {
    name: 'a bid that is repeated as long as its term lasts',
    mistake: {
      holds: (right, write, found) => right || (isBid(write) && isSameTerm(write, found)),
    },
    noticedBy: [
      'refuses a creation that arrives again after a renewal',
      'refuses a takeover that arrives again after a renewal',
    ],
  },
  {
    name: 'a condition that ignores whose term it is',
    mistake: { holds: (right, write, found) => right || names(write, found) },
    noticedBy: ['refuses a write within another holder, another token or a released record'],
  },
  {
    name: 'a release without a condition',
    mistake: { holds: (right, write, found) => right || (isRelease(write) && !!found) },
    noticedBy: [
      'refuses a write that does not name the stored version',
      'refuses a renewal and a release that arrive after a takeover',
    ],
  },
  ...[0, -1].map((index): BrokenRecordStore => ({
    name: `a condition that knows only the ${index === 0 ? 'first' : 'last'} version named`,
    mistake: {
      holds: (right, { replaces, version }, found) =>
        right && (replaces === 'absent' || [version, replaces.at(index)].includes(found?.version)),
    },
    noticedBy: ['replaces whichever of the named versions is stored'],
  })),
  {
    name: 'a repeated request that is refused',
    mistake: { holds: (right, write, found) => right && !isRepeated(write, found) },
    noticedBy: ['applies a write once, however often it arrives'],
  },
  {
    name: 'a repeated request that clears what it does not name',
    mistake: {
      apply: (right, write, found) =>
        isRepeated(write, found) && write.progress !== undefined
          ? { ...right, record: { ...right.record, progress: undefined } }
          : right,
    },
    noticedBy: ['applies a write once, however often it arrives'],
  },
  {
    name: "a repeated request that adds its jobs' state once more",
    mistake: {
      apply: (right, write, found) =>
        isRepeated(write, found) && typeof write.jobState === 'string'
          ? { ...right, record: { ...right.record, jobState: write.jobState.repeat(2) } }
          : right,
    },
    noticedBy: ['applies a write once, however often it arrives'],
  },
  {
    name: 'a condition and a write that are not one step',
    mistake: { isInterrupted: true },
    noticedBy: ['applies one of many writes that name the same version'],
  },
  {
    name: 'a refusal that does not say what it found',
    mistake: { found: () => undefined },
    noticedBy: ['refuses a write that does not name the stored version'],
  },
  {
    name: 'a write that is only remembered',
    mistake: { forgets: isRelease },
    noticedBy: ['applies a write once, however often it arrives'],
  },
];
