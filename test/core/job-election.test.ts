import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from 'tenure';
import { maxJobStateBytes, type JobStateSlot } from '../../src/core/job-election.ts';
import { Bench, budgetOf, deferred, expiries, rejection, thrown } from './bench.ts';
import { failsWith } from './scripted-store.ts';

const down = new StoreUnavailableError('no contact', { lease: 'orders', store: 'scripted' });
const none = {};

/** Leads once as `identity` and leaves `text`. */
async function leave(bench: Bench, identity: string, text: string): Promise<void> {
  await bench.jobElection(identity).lead((_, slot) => slot.leave(text), none);
}

/** What each renewal and release asked to be written. */
function writesOf(bench: Bench): unknown {
  return bench.store.calls
    .filter(({ operation }) => operation === 'renew' || operation === 'release')
    .map(({ operation, progress, jobState }) => [operation, progress, jobState]);
}

/** What the record holds for jobs, as a look shows it. */
async function storedState(bench: Bench): Promise<string | undefined> {
  return (await bench.jobElection('w').look(undefined))?.jobState;
}

describe.each(expiries)('a job election where expiry is judged by: %s', (expiry) => {
  it('looks once, and shows the record or that there is none', async () => {
    const bench = new Bench(expiry);
    const election = bench.jobElection('a');
    expect(await election.look(undefined)).toBeUndefined();
    await leave(bench, 'b', '"left"');
    const looks = bench.store.count('look');
    expect(await election.look(undefined)).toMatchObject({
      holder: 'b',
      fencingToken: 33,
      jobState: '"left"',
      history: [{ holder: 'b', end: 'released' }],
    });
    expect(bench.store.count('look')).toBe(looks + 1);
  });

  it('leads on what it has looked at, with no second look', async () => {
    const bench = new Bench(expiry);
    const first = bench.jobElection('a');
    await first.look(undefined);
    await first.lead((_, slot) => slot.leave('"left"'), none);
    const second = bench.jobElection('b');
    await second.look(undefined);
    const outcome = await second.lead((_, slot) => [slot.stored], none);
    expect(outcome).toMatchObject({ status: 'led', value: ['"left"'] });
    const term = ['look', 'acquire', 'release'];
    expect(bench.store.operations).toEqual([...term, ...term]);
  });

  it('finds what was acquired, and not what it had looked at before', async () => {
    const bench = new Bench(expiry);
    await leave(bench, 'a', '"older"');
    const election = bench.jobElection('b');
    expect(await election.look(undefined)).toMatchObject({ jobState: '"older"' });
    await leave(bench, 'c', '"newer"');
    const outcome = await bench.settled(election.lead((_, slot) => [slot.stored], none));
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 35, value: ['"newer"'] });
  });

  it('finds nothing at first, and what it left itself when it is warm', async () => {
    const bench = new Bench(expiry);
    const election = bench.jobElection('a');
    const found: unknown[] = [];
    const work = (_: unknown, slot: JobStateSlot): void => {
      found.push(slot.stored);
      slot.leave(JSON.stringify(found.length));
    };
    await election.lead(work, none);
    await election.lead(work, none);
    await election.lead(() => {}, none);
    await election.lead(work, none);
    expect(found).toEqual([undefined, '1', '2']);
    expect(bench.store.count('look')).toBe(1);
  });

  it('finds what a holder left that fell silent', async () => {
    const bench = new Bench(expiry);
    const never = deferred();
    void bench.jobElection('a').lead(async (leadership, slot) => {
      slot.leave('"half"');
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
      slot.leave('"never renewed"');
      await never.promise;
    }, none);
    await bench.clock.advance(5_000);
    const taken = bench.jobElection('b').lead((_, slot) => [slot.stored], none);
    expect(await bench.settled(taken)).toMatchObject({ fencingToken: 34, value: ['"half"'] });
  });

  it('saves what is left with the next due renewal, beside the progress, and at the end', async () => {
    const bench = new Bench(expiry);
    const led = bench.jobElection('a').lead(async (leadership, slot) => {
      slot.leave('"j0"');
      slot.leave('"j1"');
      await leadership.checkpoint();
      expect(bench.store.count('renew')).toBe(0);
      await bench.clock.sleep(5_000);
      await leadership.checkpoint({ done: 1 });
      expect(await storedState(bench)).toBe('"j1"');
      await bench.clock.sleep(5_000);
      await leadership.checkpoint();
      await leadership.checkpoint({ done: 2 });
      slot.leave('"j2"');
      expect(slot.stored).toBeUndefined();
    }, none);
    expect(await bench.settled(led)).toMatchObject({ status: 'led', end: 'completed' });
    expect(writesOf(bench)).toEqual([
      ['renew', '{"done":1}', '"j1"'],
      ['renew', '{"done":1}', '"j1"'],
      ['release', '{"done":2}', '"j2"'],
    ]);
    const record = await bench.jobElection('w').look(undefined);
    expect(record).toMatchObject({ progress: '{"done":2}', jobState: '"j2"' });
  });

  it('leaves what it found where the work leaves nothing, whatever becomes of the progress', async () => {
    const bench = new Bench(expiry);
    await leave(bench, 'a', '"kept"');
    const led = bench.jobElection('b').lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await leadership.checkpoint({ done: 1 });
      await leadership.checkpoint(null);
    }, none);
    await bench.settled(led);
    const record = await bench.jobElection('w').look(undefined);
    expect(record).toMatchObject({ fencingToken: 34, progress: undefined, jobState: '"kept"' });
  });

  it('saves what is left when the work fails', async () => {
    const bench = new Bench(expiry);
    const failed = bench.jobElection('a').lead((_, slot) => {
      slot.leave('"so far"');
      throw new Error('the work failed');
    }, none);
    expect(await rejection(failed)).toMatchObject({ message: 'the work failed' });
    expect(await storedState(bench)).toBe('"so far"');
  });

  it('saves again what a renewal without an answer may not have saved', async () => {
    const bench = new Bench(expiry);
    bench.store.next('renew', failsWith(down));
    const led = bench.jobElection('a').lead(async (leadership, slot) => {
      slot.leave('"j1"');
      const steps = async (count: number): Promise<void> => {
        for (let step = 0; step < count; step += 1) {
          await bench.clock.sleep(1_000);
          await leadership.checkpoint();
        }
      };
      await steps(5);
      expect(await storedState(bench)).toBeUndefined();
      await steps(2);
      expect(await storedState(bench)).toBe('"j1"');
    }, none);
    expect(await bench.settled(led)).toMatchObject({ status: 'led', end: 'completed' });
    expect.assertions(3);
  });

  it('saves it at the reserve of the budget, if no renewal has', async () => {
    const bench = new Bench(expiry);
    const saved: unknown[] = [];
    const run = (text: string | undefined): Promise<unknown> =>
      bench.settled(
        bench.jobElection('a').lead(
          async (leadership, slot) => {
            if (text !== undefined) {
              slot.leave(text);
            }
            await bench.clock.sleep(3_500);
            const before = bench.store.count('renew');
            await rejection(leadership.checkpoint());
            saved.push(bench.store.count('renew') - before, await storedState(bench));
          },
          { budget: budgetOf(bench.clock, 5_000, 2_000) },
        ),
      );
    await run('"j1"');
    await run(undefined);
    expect(saved).toEqual([1, '"j1"', 0, '"j1"']);
  });

  it('does not write over what its successor left', async () => {
    const bench = new Bench(expiry);
    const end = deferred();
    const led = bench.jobElection('a').lead(async (_, slot) => {
      await end.promise;
      slot.leave('"too late"');
    }, none);
    await bench.clock.advance(0);
    await bench.settled(bench.jobElection('b').lead((_, slot) => slot.leave('"newer"'), none));
    end.resolve();
    expect(await bench.settled(led)).toMatchObject({ status: 'lost' });
    expect(await storedState(bench)).toBe('"newer"');
  });
});

describe('a job election', () => {
  it('takes at most 1 KiB of UTF-8, and keeps what was left before', async () => {
    const bench = new Bench();
    const fits = JSON.stringify('é'.repeat(511));
    await bench.jobElection('a').lead((_, slot) => {
      slot.leave(fits);
      const error = thrown(() => slot.leave(`${fits} `));
      expect(error).toEqual(
        new RangeError('the state of a job must be at most 1024 bytes of JSON, got 1025'),
      );
    }, none);
    expect(maxJobStateBytes).toBe(1_024);
    expect(await storedState(bench)).toBe(fits);
    expect.assertions(3);
  });

  it('is busy while it leads, and sends nothing then', async () => {
    const bench = new Bench();
    const election = bench.jobElection('a');
    await election.lead(async () => {
      const before = bench.store.calls.length;
      const second = await election.lead(() => 'second', none);
      expect(second).toMatchObject({ status: 'followed', reason: 'busy' });
      expect(bench.store.calls).toHaveLength(before);
    }, none);
    expect.assertions(2);
  });

  it('knows its identity, and refuses the options that an election refuses', () => {
    const bench = new Bench();
    expect(bench.jobElection('job-a').identity).toBe('job-a');
    expect(thrown(() => bench.jobElection('ü'.repeat(129)))).toBeInstanceOf(RangeError);
  });

  it('alone hands out a place for state: the work of an election gets its leadership only', async () => {
    const bench = new Bench();
    const counts: number[] = [];
    const work = (...given: readonly unknown[]): void => {
      counts.push(given.length);
    };
    await bench.election('a').lead(work);
    for await (const outcome of bench.election('a').campaign(work)) {
      expect(outcome.status).toBe('led');
      break;
    }
    expect(counts).toEqual([1, 1]);
  });
});
