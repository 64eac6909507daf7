import {
  isBid,
  isRelease,
  isRenewal,
  optionsFor,
  storing,
  type BrokenStore,
} from './broken-store.ts';

/** Stores that do not keep what jobs leave beside the progress. */
export const brokenJobStates: readonly BrokenStore[] = [
  {
    mistake: "jobs' state that is never stored",
    options: optionsFor(storing(() => ({ jobState: undefined }))),
    noticedBy: [
      "keeps jobs' state plain that a renewal saves",
      "keeps jobs' state plain that a release saves",
      "saves progress and jobs' state with one renewal, and with one release",
    ],
  },
  {
    mistake: "a bid that forgets the jobs' state",
    options: optionsFor(storing((_, write) => (isBid(write) ? { jobState: undefined } : {}))),
    noticedBy: [
      "keeps jobs' state through a takeover from a silent holder",
      "leaves stored jobs' state alone where a renewal, a release or a bid has none",
      "keeps the jobs' state that an abandoned bid has found",
      "keeps jobs' state plain that a renewal saves",
    ],
  },
  {
    mistake: "a release that forgets the jobs' state",
    options: optionsFor(storing((_, write) => (isRelease(write) ? { jobState: undefined } : {}))),
    noticedBy: [
      "keeps jobs' state plain that a release saves",
      "keeps jobs' state of any language that a release saves",
      "keeps jobs' state with escapes that a release saves",
      "keeps jobs' state of 1 KiB that a release saves",
      "shows jobs' state in the look that a release returns",
    ],
  },
  {
    mistake: "a release that keeps the jobs' state as it was",
    options: optionsFor(
      storing((_, write, found) => (isRelease(write) ? { jobState: found?.record.jobState } : {})),
    ),
    noticedBy: [
      "keeps jobs' state plain that a release saves",
      "clears jobs' state when a release says so",
      "saves progress and jobs' state with one renewal, and with one release",
    ],
  },
  {
    mistake: "no jobs' state that clears the jobs' state",
    options: optionsFor(
      storing((_, write) => (write.jobState === undefined ? { jobState: undefined } : {})),
    ),
    noticedBy: [
      "leaves stored jobs' state alone where a renewal, a release or a bid has none",
      "keeps progress and jobs' state apart when one of them is replaced or cleared",
    ],
  },
  {
    mistake: "cleared jobs' state that stays",
    options: optionsFor(
      storing((_, write, found) =>
        write.jobState === null ? { jobState: found?.record.jobState } : {},
      ),
    ),
    noticedBy: [
      "clears jobs' state when a renewal says so",
      "clears jobs' state when a release says so",
      "keeps progress and jobs' state apart when one of them is replaced or cleared",
    ],
  },
  {
    mistake: "jobs' state that is stored as progress too",
    options: optionsFor(
      storing((_, { jobState }) => (typeof jobState === 'string' ? { progress: jobState } : {})),
    ),
    noticedBy: [
      "keeps jobs' state plain that a renewal saves",
      "keeps progress and jobs' state apart when one of them is replaced or cleared",
    ],
  },
  {
    mistake: "jobs' state that is added to what was there",
    options: optionsFor(
      storing(({ jobState }, write, found) =>
        isRenewal(write) && typeof write.jobState === 'string'
          ? { jobState: `${found?.record.jobState ?? ''}${jobState}` }
          : {},
      ),
    ),
    noticedBy: ["keeps progress and jobs' state apart when one of them is replaced or cleared"],
  },
  {
    mistake: 'a renewal that saves one of the two',
    options: optionsFor(
      storing(({ jobState }, write, found) => ({
        jobState: typeof write.progress === 'string' ? found?.record.jobState : jobState,
      })),
    ),
    noticedBy: [
      "saves progress and jobs' state with one renewal, and with one release",
      'keeps everything when every field is as long as it may be',
    ],
  },
  {
    mistake: 'cleared progress that clears the record for jobs as well',
    options: optionsFor(
      storing((_, write) => (write.progress === null ? { jobState: undefined } : {})),
    ),
    noticedBy: ["keeps progress and jobs' state apart when one of them is replaced or cleared"],
  },
  {
    mistake: "jobs' state of at most 1,023 bytes",
    options: optionsFor(
      storing(({ jobState }) => ({
        jobState: jobState && Buffer.from(jobState).subarray(0, 1_023).toString(),
      })),
    ),
    noticedBy: [
      "keeps jobs' state of 1 KiB that a renewal saves",
      "keeps jobs' state of 1 KiB that a release saves",
      'keeps everything when every field is as long as it may be',
    ],
  },
];
