import type { Guard } from './guarded-resource.ts';
import type { Kernel } from './kernel.ts';
import type { RecordStore, RecordWrite } from '../../src/core/record-store.ts';
import { unbounded } from './lease-server.ts';
import type { BrokenParts } from './run-schedule.ts';

type Rewrite = (write: RecordWrite, found: Awaited<ReturnType<RecordStore['read']>>) => RecordWrite;

/** A table that handles another write than the one that was asked for, in one step. */
function rewriting(records: RecordStore, rewrite: Rewrite): RecordStore {
  return {
    name: records.name,
    limits: records.limits,
    read: (lease, call) => records.read(lease, call),
    write: async (lease, write, call) =>
      records.write(lease, rewrite(write, await records.read(lease, unbounded)), call),
  };
}

function withoutCondition(write: RecordWrite, found: Parameters<Rewrite>[1]): RecordWrite {
  const { within: _, ...rest } = write;
  return { ...rest, replaces: found ? [found.version] : 'absent' };
}

const isAcquire = (write: RecordWrite): boolean => !write.within;
const isRelease = (write: RecordWrite): boolean => write.within !== undefined && write.released;
const isRenewal = (write: RecordWrite): boolean => write.within !== undefined && !write.released;

function unconditional(isMeant: (write: RecordWrite) => boolean): BrokenParts {
  return {
    records: (records) =>
      rewriting(records, (write, found) =>
        isMeant(write) ? withoutCondition(write, found) : write,
      ),
  };
}

/** Faults of stores, and of what a term asks of them. */
export const brokenStores = {
  takesOverWithoutCondition: unconditional(isAcquire),
  renewsWithoutCondition: unconditional(isRenewal),
  releasesWithoutCondition: unconditional(isRelease),
  /** A late duplicate of an acquire then revives a term that has ended. */
  acquiresWhateverIsFree: {
    records: (records) =>
      rewriting(records, (write, found) =>
        isAcquire(write) && found?.released === true ? withoutCondition(write, found) : write,
      ),
  },
  mintsTokenAtEachDelivery: {
    records: (records) =>
      rewriting(records, (write, found) =>
        isAcquire(write) && found?.version === write.version
          ? {
              ...withoutCondition(write, found),
              version: `${write.version} again`,
              fencingToken: write.fencingToken + 1,
            }
          : write,
      ),
  },
  forgetsTokenOnRelease: {
    records: (records) =>
      rewriting(records, (write, found) =>
        isRelease(write) && found?.record.fencingToken === write.fencingToken
          ? { ...withoutCondition(write, found), fencingToken: 0 }
          : write,
      ),
  },
  doesNotKnowOwnRecord: {
    records: (records) => ({
      name: records.name,
      limits: records.limits,
      read: (lease, call) => records.read(lease, call),
      write: async (lease, write, call) => {
        const found = await records.read(lease, call);
        return isAcquire(write) && found?.version === write.version
          ? { written: false, found }
          : records.write(lease, write, call);
      },
    }),
  },
  /** A renewal that was applied without an answer then makes the next one fail. */
  namesOneVersionOnly: {
    client: (records) => ({
      name: records.name,
      limits: records.limits,
      read: (lease, call) => records.read(lease, call),
      write: (lease, write, call) => {
        const { replaces } = write;
        const first = typeof replaces === 'string' ? replaces : replaces.slice(0, 1);
        return records.write(lease, isRenewal(write) ? { ...write, replaces: first } : write, call);
      },
    }),
  },
} satisfies Record<string, BrokenParts>;

function guarded(guard: (kernel: Kernel) => Guard): BrokenParts {
  return { guard };
}

/** Faults of the resource that checks tokens. */
export const brokenGuards = {
  comparesBeforeItWrites: guarded((kernel) => ({
    accepts: (fencingToken, highest) => fencingToken >= highest,
    between: () =>
      new Promise((resolve) => {
        kernel.after(4_000, resolve);
      }),
  })),
  rejectsEqualTokens: guarded(() => ({
    accepts: (fencingToken, highest) => fencingToken > highest,
    between: () => Promise.resolve(),
  })),
  acceptsEverything: guarded(() => ({
    accepts: () => true,
    between: () => Promise.resolve(),
  })),
};
