import { describe, expect, it } from 'vitest';
import { createLedger, memoryLedgerStore, type Effect } from '../../src/ledger/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { chargeAt, charging, collected, gate, gateway, term } from './bench.ts';

const setUp = () => {
  const clock = new ManualClock();
  const store = memoryLedgerStore();
  return { clock, store, ledger: createLedger({ store, clock }), downstream: gateway() };
};

const failing: Effect = async () => {
  throw new Error('no answer');
};

describe('the effect of an earlier term that is answered late', () => {
  const late = async (
    sinceThen: (bench: ReturnType<typeof setUp>) => Promise<unknown>,
    options = {},
  ) => {
    const bench = setUp();
    const answered = gate();
    const old = createLedger({ store: bench.store, clock: bench.clock });
    const first = old.once(charging(term(33), options), async (context) => {
      const answer = await chargeAt(bench.downstream)(context);
      await answered.opened;
      return answer;
    });
    await bench.clock.advance(0);
    await sinceThen(bench);
    const before = await collected(bench.ledger.unfinished());
    answered.open();
    const outcome: unknown = await first.catch((error: unknown) => error);
    return { before, outcome, after: await collected(bench.ledger.unfinished()) };
  };

  it('changes nothing that a newer attempt rests on', async () => {
    const { before, outcome, after } = await late(({ ledger }) =>
      ledger.once(charging(term(34)), failing),
    );
    expect(before).toMatchObject([{ state: 'unknown', fencingToken: 34 }]);
    expect(after).toEqual(before);
    expect(outcome).toMatchObject({ code: 'STALE_TOKEN', fencingToken: 33, highestToken: 34 });
  });

  it('returns what the newer attempt has recorded', async () => {
    const { outcome, after } = await late(({ ledger }) =>
      ledger.once(charging(term(34)), async () => ({ status: 'done', result: 'newer' })),
    );
    expect(outcome).toEqual({ status: 'done', result: 'newer' });
    expect(after).toEqual([]);
  });

  it('settles an entry that the later term only gave up on', async () => {
    const never = { keyHonouredForMs: 0 };
    const { before, outcome, after } = await late(
      ({ ledger }) => ledger.once(charging(term(34), never), failing),
      never,
    );
    expect(before).toMatchObject([{ state: 'unknown', fencingToken: 34 }]);
    expect(outcome).toEqual({ status: 'done', result: { chargeId: 'ch-1' } });
    expect(after).toEqual([]);
  });

  it('leaves what a person has settled', async () => {
    const { outcome } = await late(async ({ ledger }) => {
      const [entry] = await collected(ledger.unfinished());
      return entry && ledger.reconcile(entry, { status: 'declined', result: 'by hand' });
    });
    expect(outcome).toEqual({ status: 'declined', result: 'by hand' });
  });
});
