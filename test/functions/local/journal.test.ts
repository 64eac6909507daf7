import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Journal, MissingEventError } from '../../../functions/local/journal.ts';

const never = new AbortController().signal;
const soon = { timeoutMs: 10_000, signal: never };
const acquired = (scheduler: string, fencingToken: number) =>
  ({ type: 'acquired', scheduler, fencingToken }) as const;

describe('Journal', () => {
  it('finds what has happened already', async () => {
    const journal = new Journal();
    journal.record(acquired('A', 33));
    expect(await journal.waitFor({ type: 'acquired' }, soon)).toEqual(acquired('A', 33));
  });

  it('waits for what fits, and for as many as asked for', async () => {
    const journal = new Journal();
    journal.record(acquired('A', 33));
    const where = (event: { readonly fencingToken: number }) => event.fencingToken > 33;
    const third = journal.waitFor({ type: 'acquired', where, times: 2 }, soon);
    journal.record({ type: 'staged', text: 'other' });
    journal.record(acquired('B', 34));
    journal.record(acquired('C', 35));
    expect(await third).toEqual(acquired('C', 35));
  });

  it('skips what happened before a position', async () => {
    const journal = new Journal();
    journal.record(acquired('A', 33));
    const later = journal.waitFor({ type: 'acquired', after: journal.position }, soon);
    journal.record(acquired('B', 34));
    expect(await later).toEqual(acquired('B', 34));
    expect(journal.latest('acquired')).toEqual(acquired('B', 34));
  });

  it('says what did not happen in time', async () => {
    const waiting = new Journal().waitFor({ type: 'lost' }, { timeoutMs: 5, signal: never });
    await expect(waiting).rejects.toThrow(
      new MissingEventError('"lost" did not happen within 5 ms'),
    );
  });

  it('rejects with the reason of the signal, also one that has aborted, and forgets it', async () => {
    const reason = new Error('stopped');
    const stop = new AbortController();
    const limits = { timeoutMs: 10_000, signal: stop.signal };
    const journal = new Journal();
    const before = journal.waitFor({ type: 'lost' }, limits);
    stop.abort(reason);
    await expect(before).rejects.toBe(reason);
    await expect(journal.waitFor({ type: 'lost' }, limits)).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});
