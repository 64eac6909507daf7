import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createElection, isTenureError, type Leadership, type LeaseStore } from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { ManualClock, testLeadership } from 'tenure/testing';

interface Done {
  readonly done: number;
}

/** What happens around the checkpoints of a work, from outside. */
interface Surroundings {
  beforeSecond(): Promise<void>;
  afterSecond(): Promise<void>;
}

/** A work that tries everything before and after its second checkpoint, and tells what it saw. */
async function probe(leadership: Leadership<Done>, outside: Surroundings): Promise<unknown[]> {
  const { signal } = leadership;
  const seen: unknown[] = [leadership.fencingToken, leadership.progress, signal.aborted];
  const errors: unknown[] = [];
  const attempt = async (name: string, action: () => unknown): Promise<void> => {
    try {
      seen.push([name, await action()]);
    } catch (error) {
      errors.push(error);
      seen.push([name, describeError(error), `error ${[...new Set(errors)].indexOf(error)}`]);
    }
  };
  const atMostMs = 60_000;
  await attempt('first checkpoint', () => leadership.checkpoint({ done: 1 }));
  await attempt('assert', () => leadership.assertLeader());
  await attempt('during', () => leadership.during((own) => own.signal.aborted, { atMostMs }));
  await attempt('no progress', () => leadership.checkpoint(new Map() as unknown as Done));
  await attempt('endless', () => leadership.during(() => 1, { atMostMs: Infinity }));
  await outside.beforeSecond();
  await attempt('second checkpoint', () => leadership.checkpoint({ done: 2 }));
  for (const when of ['at once', 'later']) {
    seen.push([when, signal.aborted, signal.aborted && errors.indexOf(signal.reason)]);
    seen.push(leadership.remainingMs() > 0);
    await attempt('assert', () => leadership.assertLeader());
    await attempt('checkpoint', () => leadership.checkpoint());
    await attempt('during', () => leadership.during(() => 'ran', { atMostMs }));
    await outside.afterSecond();
  }
  return seen;
}

function describeError(error: unknown): unknown {
  const { name, message } = error as Error;
  const text = message.replace(/ \[.*\]$/, '');
  return isTenureError(error)
    ? [name, error.code, error.retryable, text, 'reason' in error && error.reason]
    : [name, text];
}

/** What a work sees that a real election runs, after an earlier term saved `{ done: 0 }`. */
async function probeElected(end: 'lost' | 'spent'): Promise<unknown> {
  const clock = new ManualClock();
  const store = memoryLeaseStore();
  const options = { store, lease: 'orders', clock, random: () => 0, firstToken: 33 };
  const election = createElection<Done>({ ...options, identity: 'a' });
  await election.lead((leadership) => leadership.checkpoint({ done: 0 }));
  const startMs = clock.monotonicMs();
  const budget = { remainingMs: () => startMs + 6_000 - clock.monotonicMs(), reserveMs: 2_000 };
  const outside: Surroundings = {
    beforeSecond: async () => {
      if (end === 'lost') {
        await takeOver(store);
        await clock.advance(5_000);
      } else {
        await clock.advance(4_000);
      }
    },
    afterSecond: () => clock.advance(1_000),
  };
  let seen: unknown;
  await election.lead(
    async (leadership) => {
      seen = await probe(leadership, outside);
    },
    end === 'spent' ? { budget } : {},
  );
  return seen;
}

async function takeOver(store: LeaseStore): Promise<void> {
  const call = { signal: new AbortController().signal };
  await store.acquire(
    'orders',
    {
      attemptId: randomUUID(),
      look: await store.look('orders', call),
      holder: 'b',
      fencingToken: 35,
      leaseDurationMs: 15_000,
      history: [],
      endedMarks: [],
    },
    call,
  );
}

const start = { fencingToken: 34, progress: { done: 0 } };
const nothing = async (): Promise<void> => {};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('testLeadership', () => {
  it('shows a work the same as an election that is lost at its second checkpoint', async () => {
    const leadership = testLeadership<Done>({ ...start, loseAtCheckpoint: 2 });
    const seen = await probe(leadership, { beforeSecond: nothing, afterSecond: turn });
    expect(seen).toEqual(await probeElected('lost'));
    expect(seen).toContainEqual([
      'second checkpoint',
      ['LeaseLostError', 'LEASE_LOST', false, 'the record is no longer of this term', 'taken-over'],
      'error 2',
    ]);
    expect(seen).toContainEqual(['at once', true, 2]);
  });

  it.each(['its own clock', 'the clock of the test'])(
    'shows a work the same as an election whose budget is spent at its second checkpoint, on %s',
    async (which) => {
      const clock = new ManualClock();
      const given = which === 'its own clock' ? {} : { clock };
      const leadership = testLeadership<Done>({ ...start, ...given, spendBudgetAtCheckpoint: 2 });
      const afterSecond = which === 'its own clock' ? turn : () => clock.advance(1_000);
      const seen = await probe(leadership, { beforeSecond: nothing, afterSecond });
      expect(seen).toEqual(await probeElected('spent'));
      expect(seen).toContainEqual(['at once', false, false]);
      expect(seen).toContainEqual(['later', true, 2]);
    },
  );

  it('remembers what each checkpoint was given, as it was at that time', async () => {
    const leadership = testLeadership<{ done: number[] }>({ fencingToken: 33 });
    const progress = { done: [1] };
    await leadership.checkpoint(progress);
    progress.done.push(2);
    await leadership.checkpoint();
    await leadership.checkpoint(progress);
    await leadership.checkpoint(null);
    expect(leadership.checkpoints).toEqual([{ done: [1] }, undefined, { done: [1, 2] }, null]);
    expect(leadership.progress).toBeUndefined();
  });

  it('hands out progress as it would have been stored', () => {
    const progress = { done: 1, left: undefined };
    const leadership = testLeadership({ fencingToken: 33, progress });
    progress.done = 2;
    expect(leadership.progress).toStrictEqual({ done: 1 });
    expect(() => testLeadership({ fencingToken: 33, progress: new Map() })).toThrow(TypeError);
  });

  it('remembers the progress of the checkpoint at which it ends, which a release would save', async () => {
    const leadership = testLeadership<Done>({ fencingToken: 33, loseAtCheckpoint: 1 });
    await expect(leadership.checkpoint({ done: 1 })).rejects.toMatchObject({ fencingToken: 33 });
    expect(leadership.checkpoints).toEqual([{ done: 1 }]);
  });

  it('neither counts nor remembers a checkpoint whose progress is refused', async () => {
    const leadership = testLeadership({ fencingToken: 33, loseAtCheckpoint: 1 });
    await expect(leadership.checkpoint(new Date(0))).rejects.toThrow(TypeError);
    await expect(leadership.checkpoint('x'.repeat(2_047))).rejects.toThrow(RangeError);
    expect(leadership.checkpoints).toEqual([]);
    expect(leadership.signal.aborted).toBe(false);
  });

  it('leads for as long as the test takes', async () => {
    const leadership = testLeadership({ fencingToken: 33 });
    await turn();
    expect(leadership.remainingMs()).toBe(10_000);
    expect(() => leadership.assertLeader()).not.toThrow();
  });

  it('expires on the clock that it is given unless a checkpoint renews it', async () => {
    const clock = new ManualClock();
    const leadership = testLeadership({ fencingToken: 33, clock });
    await clock.advance(9_000);
    await leadership.checkpoint();
    await clock.advance(9_000);
    leadership.assertLeader();
    await clock.advance(1_000);
    expect(() => leadership.assertLeader()).toThrow('not renewed before the renew deadline');
    expect(clock.pendingSleeps).toBe(0);
  });

  it('aborts an operation that takes longer than declared on the clock that it is given', async () => {
    const clock = new ManualClock();
    const leadership = testLeadership({ fencingToken: 33, clock });
    const operation = leadership.during(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { atMostMs: 30_000 },
    );
    const ended = operation.catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await ended).toMatchObject({ name: 'TimeoutError' });
    expect(leadership.remainingMs()).toBeGreaterThan(0);
  });

  it('aborts an operation during which it is lost', async () => {
    const leadership = testLeadership({ fencingToken: 33, loseAtCheckpoint: 1 });
    let reason: unknown;
    const operation = leadership.during(
      async ({ signal }) => {
        await leadership.checkpoint().catch(() => {});
        ({ reason } = signal);
      },
      { atMostMs: 1_000 },
    );
    await expect(operation).rejects.toBe(leadership.signal.reason);
    expect(reason).toBe(leadership.signal.reason);
    expect(reason).toMatchObject({ code: 'LEASE_LOST' });
  });

  it.each([
    [{ fencingToken: 0 }, 'fencingToken must be a safe integer of at least 1, got 0'],
    [{ fencingToken: 1.5 }, 'fencingToken must be a safe integer of at least 1, got 1.5'],
    [
      { fencingToken: 1, loseAtCheckpoint: 0 },
      'loseAtCheckpoint must be a whole number from 1, the first, got 0',
    ],
    [
      { fencingToken: 1, spendBudgetAtCheckpoint: 2.5 },
      'spendBudgetAtCheckpoint must be a whole number from 1, the first, got 2.5',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => testLeadership(options)).toThrow(new RangeError(message));
  });
});
