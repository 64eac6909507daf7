import { describe, expect, it } from 'vitest';
import { StaleTokenError, type Election, type LeaseRecordInvalidError } from 'tenure';
import { Bench, deferred, expiries, rejection, type Done } from './bench.ts';

const tokenOf = (election: Election<Done>): Promise<unknown> =>
  election.lead((leadership) => leadership.fencingToken);

/** Work that a guarded resource rejects because it has seen `highestToken`. */
const meets = (highestToken: number, rejected?: number) => (leadership: { fencingToken: number }) =>
  Promise.reject(
    new StaleTokenError('a newer leader has written', {
      store: 'table',
      fencingToken: rejected ?? leadership.fencingToken,
      highestToken,
    }),
  );

describe.each(expiries)('fencing tokens where expiry is judged by: %s', (expiry) => {
  it('rise by one with each term, whoever leads and however it ended', async () => {
    const bench = new Bench(expiry);
    const tokens: unknown[] = [];
    for (const identity of ['a', 'b', 'b', 'a', 'c']) {
      const election = bench.election(identity);
      const led = election.lead((leadership) => {
        tokens.push(leadership.fencingToken);
        return identity === 'c' ? undefined : Promise.reject(new Error('?'));
      });
      await led.catch(() => {});
    }
    expect(tokens).toEqual([33, 34, 35, 36, 37]);
  });

  it('stay the same through the renewals of a term', async () => {
    const bench = new Bench(expiry);
    await bench.lead(async (leadership) => {
      await leadership.during(() => bench.clock.sleep(60_000), { atMostMs: 120_000 });
      expect(leadership.fencingToken).toBe(33);
      expect(await bench.election('b').leader()).toMatchObject({ fencingToken: 33 });
    });
    expect.assertions(2);
  });

  it('start above the wall clock for a new record', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a', { firstToken: undefined } as object);
    expect(await tokenOf(election)).toMatchObject({ value: bench.clock.wallMs() + 1 });
  });

  it('ignore the wall clock and the first token once there is a record', async () => {
    const bench = new Bench(expiry);
    await bench.lead(() => {});
    const byClock = bench.election('b', { firstToken: undefined } as object);
    expect(await tokenOf(byClock)).toMatchObject({ value: 34 });
    expect(await tokenOf(bench.election('c', { firstToken: 1_000 }))).toMatchObject({ value: 35 });
  });

  it('are at least minimumToken', async () => {
    const bench = new Bench(expiry);
    const higher = { minimumToken: 500 };
    expect(await tokenOf(bench.election('a', higher))).toMatchObject({ value: 500 });
    expect(await tokenOf(bench.election('b'))).toMatchObject({ value: 501 });
    expect(await tokenOf(bench.election('c', higher))).toMatchObject({ value: 502 });
    expect(await tokenOf(bench.election('d', { minimumToken: 600 }))).toMatchObject({ value: 600 });
  });

  it('rise above the mark that rejected this term', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    expect(await election.lead(meets(700))).toMatchObject({ status: 'lost', reason: 'taken-over' });
    expect(await tokenOf(election)).toMatchObject({ value: 701 });
    expect(await tokenOf(bench.election('b'))).toMatchObject({ value: 702 });
  });

  it('do not rise with a mark that rejected another term', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    expect(await rejection(election.lead(meets(700, 32)))).toMatchObject({ code: 'STALE_TOKEN' });
    expect(await tokenOf(election)).toMatchObject({ value: 34 });
  });

  it('do not rise with a mark that the work has dealt with', async () => {
    const bench = new Bench(expiry);
    const election = bench.election('a');
    const outcome = await election.lead((leadership) =>
      meets(700)(leadership).catch(() => 'skipped'),
    );
    expect(outcome).toMatchObject({ status: 'led', value: 'skipped' });
    expect(await tokenOf(election)).toMatchObject({ value: 34 });
  });
});

describe('fencing tokens', () => {
  it('rise above the mark also when the leadership was over by then', async () => {
    const bench = new Bench();
    const election = bench.election('a');
    const outcome = await bench.settled(
      election.lead(async (leadership) => {
        await bench.clock.sleep(10_000);
        return meets(700)(leadership);
      }),
    );
    expect(outcome).toEqual({ status: 'lost', reason: 'expired', fencingToken: 33 });
    expect(await tokenOf(election)).toMatchObject({ value: 701 });
  });

  it('do not go back when the record is deleted', async () => {
    const bench = new Bench();
    const byClock = { firstToken: undefined } as object;
    const election = bench.election('a', byClock);
    const tokens: number[] = [];
    for (let term = 0; term < 5; term += 1) {
      await election.lead((leadership) => tokens.push(leadership.fencingToken));
      bench.records.delete();
      await bench.clock.advance(1);
      await bench.election(`p${term}`, byClock).lead((leadership) => {
        tokens.push(leadership.fencingToken);
      });
      await bench.clock.advance(1);
    }
    expect(tokens).toHaveLength(10);
    expect(tokens).toEqual([...new Set(tokens)].toSorted((one, other) => one - other));
  });

  it('never repeat one that this election minted or saw, also with a fixed first token', async () => {
    const bench = new Bench();
    const one = bench.election('a');
    const other = bench.election('b');
    await one.lead(() => {});
    await other.lead(() => {});
    bench.records.delete();
    expect(await tokenOf(one)).toMatchObject({ value: 34 });
    bench.records.delete();
    expect(await tokenOf(other)).toMatchObject({ value: 35 });
  });

  it('start above the wall clock when a record has lost its token, whatever the first one is', async () => {
    const bench = new Bench();
    await bench.lead(() => {});
    await bench.records.overwrite({ fencingToken: undefined, released: true } as object);
    expect(await tokenOf(bench.election('b'))).toMatchObject({ value: bench.clock.wallMs() + 1 });
  });

  it('keep their floor when the record is deleted', async () => {
    const bench = new Bench();
    const election = bench.election('a');
    await election.lead(meets(700));
    bench.records.delete();
    expect(await tokenOf(election)).toMatchObject({ value: 701 });
  });

  it('end with an error and without a request when no greater one can be represented', async () => {
    const bench = new Bench();
    await bench.lead(() => {});
    await bench.records.overwrite({ fencingToken: Number.MAX_SAFE_INTEGER, released: true });
    const before = await bench.records.stored();
    const error = (await rejection(tokenOf(bench.election('b')))) as LeaseRecordInvalidError;
    expect(error).toMatchObject({ code: 'LEASE_RECORD_INVALID', reason: 'token-exhausted' });
    expect(await bench.records.stored()).toEqual(before);
  });
});

describe('the history in the record', () => {
  it('names the last ten terms and how they ended', async () => {
    const bench = new Bench();
    for (let term = 0; term < 12; term += 1) {
      await bench.election(`p${term}`).lead(() => {});
    }
    const history = (await bench.records.stored())?.record.history;
    expect(history).toHaveLength(10);
    const term = { startedMs: bench.clock.wallMs(), end: 'released' };
    expect(history?.[0]).toEqual({ fencingToken: 35, holder: 'p2', ...term });
    expect(history?.[9]).toEqual({ fencingToken: 44, holder: 'p11', ...term });
  });

  it('says that a silent term was taken over, and cuts long names', async () => {
    const bench = new Bench();
    const startMs = bench.clock.wallMs();
    const end = deferred();
    const long = 'ä'.repeat(60);
    const led = bench.election(long).lead(() => end.promise);
    await bench.clock.advance(0);
    const next = deferred();
    const taken = bench.election('b').lead(() => next.promise);
    await bench.clock.advance(15_000);
    expect((await bench.records.stored())?.record.history).toEqual([
      { fencingToken: 33, holder: 'ä'.repeat(40), startedMs: startMs, end: 'taken-over' },
      { fencingToken: 34, holder: 'b', startedMs: startMs + 15_000 },
    ]);
    end.resolve();
    next.resolve();
    await bench.settled(Promise.all([led, taken]));
  });
});
