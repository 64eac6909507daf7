import { isBid, isRelease, optionsFor, storing, type BrokenStore } from './broken-store.ts';

const narrow = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');

/** Stores that store something else than they were given. */
export const brokenContents: readonly BrokenStore[] = [
  {
    mistake: 'a release that forgets the token',
    options: optionsFor(
      storing((_, write) => (isRelease(write) ? { fencingToken: undefined } : {})),
    ),
    noticedBy: ['releases and keeps token, holder and progress'],
  },
  {
    mistake: 'a release that forgets the holder',
    options: optionsFor(storing((_, write) => (isRelease(write) ? { holder: '' } : {}))),
    noticedBy: ['releases and keeps token, holder and progress'],
  },
  {
    mistake: 'a token that the store counts itself',
    options: optionsFor(
      storing((right, write, found) =>
        isBid(write) && found ? { fencingToken: (found.record.fencingToken ?? 0) + 1 } : right,
      ),
    ),
    noticedBy: ['gives a bid that is sent again the same result'],
  },
  {
    mistake: 'a token of fifteen digits',
    options: optionsFor(
      storing((_, write) => ({ fencingToken: Number(write.fencingToken.toPrecision(15)) })),
    ),
    noticedBy: [
      'stores the largest token exactly',
      'keeps everything when every field is as long as it may be',
    ],
  },
  {
    mistake: 'a bid that forgets the progress',
    options: optionsFor(storing((_, write) => (isBid(write) ? { progress: undefined } : {}))),
    noticedBy: [
      'leaves stored progress alone where a renewal, a release or a bid has none',
      'keeps the progress that an abandoned bid has found',
      'keeps progress plain that a renewal saves',
    ],
  },
  {
    mistake: 'no progress that clears the progress',
    options: optionsFor(
      storing((_, write) => (write.progress === undefined ? { progress: undefined } : {})),
    ),
    noticedBy: ['leaves stored progress alone where a renewal, a release or a bid has none'],
  },
  {
    mistake: 'cleared progress that stays',
    options: optionsFor(
      storing((_, write, found) => (write.progress === null ? { ...found?.record } : {})),
    ),
    noticedBy: ['clears progress when a renewal says so', 'clears progress when a release says so'],
  },
  {
    mistake: 'text of one language only',
    options: optionsFor(
      storing(({ progress, jobState }, { holder }) => ({
        holder: narrow(holder),
        progress: progress && narrow(progress),
        jobState: jobState && narrow(jobState),
      })),
    ),
    noticedBy: [
      'keeps progress of any language that a renewal saves',
      'keeps progress of any language that a release saves',
      'keeps progress of 2 KiB that a renewal saves',
      'keeps progress with escapes that a release saves',
      'stores a holder of 256 bytes in any language',
      "keeps jobs' state of any language that a renewal saves",
      "keeps jobs' state of any language that a release saves",
    ],
  },
  {
    mistake: 'progress of at most 2,047 bytes',
    options: optionsFor(
      storing(({ progress }) => ({
        progress: progress && Buffer.from(progress).subarray(0, 2_047).toString(),
      })),
    ),
    noticedBy: [
      'keeps progress of 2 KiB that a renewal saves',
      'keeps progress of 2 KiB that a release saves',
      'keeps everything when every field is as long as it may be',
    ],
  },
];
