import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TextWrite } from '../../src/core/lease-store.ts';
import { bench, lease, renewUnder, take, type Bench } from './record-lease-bench.ts';
import { patient, type Fault } from './scripted-records.ts';

const faults: readonly Fault[] = [
  'pass',
  'unavailable',
  'lose-request',
  'lose-reply',
  'late-request',
  'late-reply',
];
const texts = fc.constantFrom<TextWrite>(undefined, null, '{"n":1}', '{"n":2}');
const legacies = fc.record({ progress: texts, jobState: texts });
const anyFault = fc.constantFrom(...faults);

/** One thing that happens to a term: a renewal, or the arrival of something under way. */
const events = fc.array(
  fc.oneof(
    fc.record({ fault: anyFault, checkpoint: legacies }),
    fc.record({ deliver: fc.nat({ max: 5 }) }),
  ),
  { maxLength: 30 },
);
type Event = typeof events extends fc.Arbitrary<readonly (infer E)[]> ? E : never;

/** Lets things happen to a term; resolves to how each renewal was answered. */
async function happen(
  under: Bench,
  held: Awaited<ReturnType<typeof take>>['held'],
  happened: readonly Event[],
): Promise<readonly (boolean | 'no answer')[]> {
  const answers: (boolean | 'no answer')[] = [];
  for (const event of happened) {
    if ('deliver' in event) {
      await under.records.deliver(event.deliver);
    } else {
      answers.push(await renewUnder(under, held, event.fault, event.checkpoint));
    }
  }
  return answers;
}

describe('a term under faults', () => {
  let under: Bench;

  beforeEach(() => {
    under = bench();
  });

  it('is not lost by lost requests and replies, nor by late ones in any order', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (happened) => {
        under = bench();
        const { held } = await take(under);
        expect(await happen(under, held, happened)).not.toContain(false);
        expect(await renewUnder(under, held, 'pass')).toBe(true);
        const stored = await under.records.stored(lease);
        expect(stored).toMatchObject({
          released: false,
          record: { holder: 'a', fencingToken: 33 },
        });
        expect(held.marks).toContain(stored?.version);
      }),
      { numRuns: 300 },
    );
  });

  it('is released after them, and nothing that arrives later changes anything', async () => {
    await fc.assert(
      fc.asyncProperty(events, legacies, async (happened, checkpoint) => {
        under = bench();
        const { held } = await take(under);
        await happen(under, held, happened);
        const result = await held.release({ ...checkpoint, history: [] }, patient);
        const stored = await under.records.stored(lease);
        expect(stored).toMatchObject({ released: true });
        expect(result).toEqual({ released: true, look: await under.store.look(lease, patient) });
        await under.records.deliverAll();
        expect(await under.records.stored(lease)).toEqual(stored);
        // Also when the same release is sent again.
        await held.release({ ...checkpoint, history: [] }, patient);
        expect(await under.records.stored(lease)).toEqual(stored);
      }),
      { numRuns: 300 },
    );
  });

  it('changes nothing after it was taken over, whatever arrives', async () => {
    await fc.assert(
      fc.asyncProperty(events, events, async (before, after) => {
        under = bench();
        const { held } = await take(under);
        await happen(under, held, before);
        const next = await take(under, { holder: 'b', fencingToken: 34 });
        const stored = await under.records.stored(lease);
        expect(await happen(under, held, after)).not.toContain(true);
        const result = await held.release({ progress: null, history: [] }, patient);
        expect(result).toMatchObject({ released: false });
        await under.records.deliverAll();
        expect(await under.records.stored(lease)).toEqual(stored);
        expect(await next.held.renew({}, patient)).toEqual({ renewed: true });
      }),
      { numRuns: 300 },
    );
  });

  it('shows in the look after its release what is stored for successors', async () => {
    await fc.assert(
      fc.asyncProperty(legacies, anyFault, legacies, legacies, async (older, fault, one, last) => {
        under = bench();
        const first = await take(under);
        await first.held.release({ ...older, history: [] }, patient);
        const { held } = await take(under, { fencingToken: 34 });
        await renewUnder(under, held, fault, one);
        const result = await held.release({ ...last, history: [] }, patient);
        expect(result).toEqual({ released: true, look: await under.store.look(lease, patient) });
        const newest = (kind: 'progress' | 'jobState'): string | undefined =>
          [last, one, older]
            .map((checkpoint) => checkpoint[kind])
            .find((text) => text !== undefined) ?? undefined;
        const stored = await under.records.stored(lease);
        expect(stored?.record.progress).toBe(newest('progress'));
        expect(stored?.record.jobState).toBe(newest('jobState'));
      }),
      { numRuns: 400 },
    );
  });

  it('takes late answers out of order', async () => {
    const { held } = await take(under);
    await renewUnder(under, held, 'late-reply');
    await renewUnder(under, held, 'late-reply');
    await renewUnder(under, held, 'late-reply');
    await under.records.deliver(1);
    await under.records.deliver(0);
    expect(await renewUnder(under, held, 'pass')).toBe(true);
    await under.records.deliver(0);
    expect(await renewUnder(under, held, 'pass')).toBe(true);
  });
});

describe('a term with many renewals of unknown outcome', () => {
  /** A term whose next renewal has to shorten its list of versions first. */
  async function crowded(
    fault: Fault,
  ): Promise<Awaited<ReturnType<typeof take>> & { under: Bench }> {
    const under = bench();
    const term = await take(under);
    for (let renewal = 0; renewal < 63; renewal += 1) {
      await renewUnder(under, term.held, fault);
    }
    expect(under.records.reads).toBe(1);
    return { ...term, under };
  }

  it.each([
    ['lose-request', 64],
    ['late-request', 64],
    // A stored version of its own makes all older ones impossible.
    ['lose-reply', 63],
  ] as const)('names at most 64 versions: by %s up to %i', async (fault, most) => {
    const { under, held } = await crowded(fault);
    for (let renewal = 0; renewal < 10; renewal += 1) {
      await renewUnder(under, held, fault);
    }
    await held.release({ progress: undefined, history: [] }, patient);
    const [, ...renewals] = under.records.writes;
    expect(Math.max(...renewals.map(({ replaces }) => replaces.length))).toBe(most);
  });

  it('asks which one is stored and forgets the older ones', async () => {
    const { under, held } = await crowded('lose-reply');
    const stored = await under.records.stored(lease);
    expect(await renewUnder(under, held, 'pass')).toBe(true);
    expect(under.records.reads).toBe(2);
    expect(under.records.writes.at(-1)?.replaces).toEqual([stored?.version]);
  });

  it('keeps those that may still arrive', async () => {
    const { under, held } = await crowded('late-request');
    await under.records.deliver(60);
    await renewUnder(under, held, 'lose-request');
    expect(under.records.writes.at(-1)?.replaces).toHaveLength(3);
    await under.records.deliver(61);
    await under.records.deliver(60);
    expect(await renewUnder(under, held, 'pass')).toBe(true);
  });

  it('sends no more while all of them may still arrive, and is not lost', async () => {
    const { under, held } = await crowded('late-request');
    const { length } = under.records.writes;
    await expect(held.renew({}, patient)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(under.records.writes).toHaveLength(length);
    await under.records.deliverAll();
    expect(await renewUnder(under, held, 'pass')).toBe(true);
  });

  it('is not lost when a late renewal is applied and answered before the read is answered', async () => {
    const { under, held } = await crowded('late-request');
    const read = under.records.read.bind(under.records);
    under.records.read = async (...given) => {
      const found = await read(...given);
      await under.records.deliver(5);
      return found;
    };
    expect(await held.renew({}, patient)).toEqual({ renewed: true });
  });

  it('learns from the same read that the lease was taken over', async () => {
    const { under, held } = await crowded('lose-request');
    await take(under, { holder: 'b', fencingToken: 34 });
    const { length } = under.records.writes;
    const found = await under.store.look(lease, patient);
    expect(await held.renew({}, patient)).toEqual({ renewed: false, found });
    expect(under.records.writes).toHaveLength(length);
  });
});
