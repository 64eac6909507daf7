import type { RecordWrite } from '../core/record-store.ts';
import { newUuid } from '../core/uuid.ts';

/** What a test says of a write; the rest is filled in. */
type Change = Partial<RecordWrite>;

/** A bid of `a` with token 33 for a lease without a record. */
export function creation(change: Change = {}): RecordWrite {
  return {
    version: newUuid(),
    replaces: 'absent',
    released: false,
    holder: 'a',
    fencingToken: 33,
    leaseDurationMs: 15_000,
    progress: undefined,
    jobState: undefined,
    history: [{ fencingToken: 33, holder: 'a' }],
    ...change,
  };
}

/** A bid of `b` with token 34 for the record with version `seen`. */
export function takeOver(seen: string, change: Change = {}): RecordWrite {
  const history = [{ fencingToken: 34, holder: 'b' }];
  return creation({ replaces: [seen], holder: 'b', fencingToken: 34, history, ...change });
}

/** A renewal of `a`, which may have written any of `versions`. */
export function renewal(versions: readonly string[], change: Change = {}): RecordWrite {
  const within = { holder: 'a', fencingToken: 33 };
  return creation({ replaces: versions, within, history: undefined, ...change });
}

/** The release of `a`, which may have written any of `versions`. */
export function release(versions: readonly string[], change: Change = {}): RecordWrite {
  return renewal(versions, { released: true, history: [], ...change });
}
