import { describe, expect, it } from 'vitest';
import { Bench, expiries, rejection } from './bench.ts';

describe('a record that is no longer of the term', () => {
  it.each([
    [
      'a foreign version of another holder',
      (bench: Bench) => bench.records.overwrite({ holder: 'other', fencingToken: 34 }),
    ],
    ['a foreign version under our own name', (bench: Bench) => bench.records.overwrite({})],
    ['a record that somebody freed', (bench: Bench) => bench.records.overwrite({ released: true })],
    ['a deleted record', async (bench: Bench) => bench.records.delete()],
    ['something that is no record', async (bench: Bench) => bench.records.break()],
  ])('ends the leadership at the next renewal: %s', async (_, tamper) => {
    const bench = new Bench();
    const outcome = await bench.lead(async (leadership) => {
      await bench.clock.sleep(1_000);
      await tamper(bench);
      await leadership.checkpoint();
      await bench.clock.sleep(4_000);
      const error = await rejection(leadership.checkpoint({ done: 1 }));
      expect(error).toMatchObject({ code: 'LEASE_LOST', reason: 'taken-over' });
      expect(bench.clock.monotonicMs()).toBe(5_000);
      expect(leadership.signal.reason).toBe(error);
      expect(leadership.remainingMs()).toBe(0);
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
    expect(bench.store.count('renew')).toBe(1);
    bench.expectQuiet();
  });

  it('is left as it is by the term that lost it', async () => {
    const bench = new Bench();
    const foreign = { holder: 'other', fencingToken: 34, progress: '"theirs"' };
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      await bench.records.overwrite(foreign);
      await rejection(leadership.checkpoint({ done: 1 }));
    });
    expect(await bench.records.stored()).toMatchObject({ released: false, record: foreign });
    expect(bench.store.count('release')).toBe(0);
  });

  it('carries the error of what is no record as its cause', async () => {
    const bench = new Bench();
    await bench.lead(async (leadership) => {
      await bench.clock.sleep(5_000);
      bench.records.break();
      expect(await rejection(leadership.checkpoint())).toMatchObject({
        reason: 'taken-over',
        cause: { code: 'LEASE_RECORD_INVALID' },
      });
    });
    expect.assertions(1);
  });

  it('makes the loser a follower of the new holder', async () => {
    const bench = new Bench();
    const election = bench.election('a');
    await bench.settled(
      election.lead(async (leadership) => {
        await bench.clock.sleep(5_000);
        await bench.records.overwrite({ holder: 'other', fencingToken: 34 });
        await rejection(leadership.checkpoint());
      }),
    );
    expect(await election.lead(() => {}, { wait: 'none' })).toMatchObject({
      status: 'followed',
      reason: 'held',
      leader: { holder: 'other', fencingToken: 34 },
    });
  });

  it.each(expiries)(
    'is what a frozen leader finds when it wakes, judged by: %s',
    async (expiry) => {
      const bench = new Bench(expiry);
      const outcome = await bench.lead(async (leadership) => {
        const other = bench.election('b').lead((next) => next.fencingToken);
        expect(await other).toMatchObject({ status: 'led', value: 34 });
        expect(await rejection(leadership.checkpoint())).toMatchObject({ reason: 'expired' });
      });
      expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
      expect(await bench.election('c').lead((leadership) => leadership.fencingToken)).toMatchObject(
        {
          value: 35,
        },
      );
    },
  );
});
