import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  createElection,
  recordLeaseStore,
  StoreRejectedError,
  type Bid,
  type LeaseStore,
  type Look,
} from 'tenure';
import {
  faultyLeaseStore,
  faultyRecordStore,
  ManualClock,
  seededFaults,
  type FaultScript,
} from 'tenure/testing';
import { MemoryRecordStore } from '../../src/stores/memory/record-store.ts';

const calls = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal });

function bidFor(look: Look, change: Partial<Bid> = {}): Bid {
  return {
    attemptId: crypto.randomUUID(),
    look,
    holder: 'a',
    fencingToken: 33,
    leaseDurationMs: 15_000,
    history: [],
    endedMarks: [],
    ...change,
  };
}

const absent: Look = { state: 'absent' };

/** A store behind faults, and the same records without them. */
function benchWith(script: FaultScript, layer: 'lease' | 'record' = 'lease') {
  const clock = new ManualClock();
  const records = new MemoryRecordStore();
  const direct = recordLeaseStore(records);
  const behindRecords = faultyRecordStore(records, { clock, script });
  const behindLease = faultyLeaseStore(direct, { clock, script });
  const store: LeaseStore = layer === 'lease' ? behindLease : recordLeaseStore(behindRecords);
  const raw = async (): Promise<unknown> => {
    const stored = await records.read('orders', calls());
    return stored && [stored.record.holder, stored.record.fencingToken, stored.released];
  };
  const { calls: made } = layer === 'lease' ? behindLease : behindRecords;
  return { clock, direct, store, raw, made };
}

async function held(store: LeaseStore, bid: Bid = bidFor(absent)) {
  const result = await store.acquire('orders', bid, calls());
  if (!result.acquired) {
    throw new Error('not acquired');
  }
  return result.held;
}

describe.each(['lease', 'record'] as const)('faults in front of a %s store', (layer) => {
  it('passes what has no fault', async () => {
    const { store, raw, made } = benchWith({}, layer);
    expect(await store.look('orders', calls())).toEqual(absent);
    const term = await held(store);
    expect(await term.renew({ progress: '1' }, calls())).toEqual({ renewed: true });
    expect(await raw()).toEqual(['a', 33, false]);
    const release = await term.release({ progress: '2', history: [] }, calls());
    expect(release).toMatchObject({ released: true, look: { record: { progress: '2' } } });
    expect(await raw()).toEqual(['a', 33, true]);
    expect(made.map(({ operation, fault }) => [operation, fault])).toEqual([
      ['look', undefined],
      ['acquire', undefined],
      ['renew', undefined],
      ['release', undefined],
    ]);
  });

  it('loses a request: nothing is applied, and a write has an unknown outcome', async () => {
    const lost = [{ type: 'lose-request' }] as const;
    const { store, raw } = benchWith(
      { look: lost, acquire: lost, renew: lost, release: lost },
      layer,
    );
    const code = 'OUTCOME_UNKNOWN';
    await expect(store.look('orders', calls())).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      lease: 'orders',
      store: 'memory',
    });
    const bid = bidFor(absent);
    await expect(store.acquire('orders', bid, calls())).rejects.toMatchObject({ code });
    expect(await raw()).toBeUndefined();
    const term = await held(store, bid);
    await expect(term.renew({ progress: '1' }, calls())).rejects.toMatchObject({ code });
    await expect(term.release({ progress: '2', history: [] }, calls())).rejects.toMatchObject({
      code,
    });
    expect(await raw()).toEqual(['a', 33, false]);
    expect(await store.look('orders', calls())).toMatchObject({ record: { progress: undefined } });
  });

  it('loses a reply: the request is applied', async () => {
    const lost = [{ type: 'lose-reply' }] as const;
    const { store, raw, direct } = benchWith({ acquire: lost, renew: lost, release: lost }, layer);
    const code = 'OUTCOME_UNKNOWN';
    const bid = bidFor(absent);
    await expect(store.acquire('orders', bid, calls())).rejects.toMatchObject({ code });
    expect(await raw()).toEqual(['a', 33, false]);
    const term = await held(store, bid);
    await expect(term.renew({ progress: '1' }, calls())).rejects.toMatchObject({ code });
    expect(await direct.look('orders', calls())).toMatchObject({ record: { progress: '1' } });
    const final = { progress: '2', history: [] };
    await expect(term.release(final, calls())).rejects.toMatchObject({ code });
    expect(await raw()).toEqual(['a', 33, true]);
    expect(await term.release(final, calls())).toMatchObject({ released: true });
  });

  it.each([
    ['lose-request', undefined],
    ['lose-reply', ['a', 33, false]],
  ] as const)('hangs until the caller gives up after %s', async (type, stored) => {
    const { store, raw } = benchWith({ acquire: [{ type, hangs: true }] }, layer);
    const controller = new AbortController();
    const { signal } = controller;
    let settled = false;
    const hung = store
      .acquire('orders', bidFor(absent), { signal })
      .catch((reason: unknown) => reason)
      .finally(() => {
        settled = true;
      });
    await new Promise((resolve) => setImmediate(resolve));
    expect([settled, await raw()]).toEqual([false, stored]);
    controller.abort('enough');
    expect(await hung).toBe('enough');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('delivers a delayed request although its caller has given up', async () => {
    const { store, raw, clock } = benchWith(
      { acquire: [{ type: 'delay', requestMs: 5_000, replyMs: 1_000 }] },
      layer,
    );
    const controller = new AbortController();
    const sent = store
      .acquire('orders', bidFor(absent), controller)
      .catch((error: unknown) => error);
    await clock.advance(2_000);
    controller.abort('timeout');
    expect(await sent).toBe('timeout');
    await clock.advance(2_999);
    expect(await raw()).toBeUndefined();
    await clock.advance(1);
    expect(await raw()).toEqual(['a', 33, false]);
    await clock.advance(1_000);
    expect(clock.pendingSleeps).toBe(0);
  });

  it('answers a delayed request after both delays', async () => {
    const { store, raw, clock } = benchWith(
      { acquire: [{ type: 'delay', requestMs: 50, replyMs: 10 }] },
      layer,
    );
    let answeredAtMs: number | undefined;
    const call = calls();
    const sent = store.acquire('orders', bidFor(absent), call).finally(() => {
      answeredAtMs = clock.monotonicMs();
    });
    await clock.advance(50);
    expect([await raw(), answeredAtMs]).toEqual([['a', 33, false], undefined]);
    await clock.advance(100);
    expect([(await sent).acquired, answeredAtMs]).toEqual([true, 60]);
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
  });

  it('delivers a request a second time, which changes nothing once its term has ended', async () => {
    const { store, raw, clock, direct } = benchWith(
      {
        acquire: [{ type: 'duplicate', afterMs: 100 }],
        renew: [{ type: 'duplicate', afterMs: 90 }],
      },
      layer,
    );
    const term = await held(store);
    await term.renew({ progress: '1' }, calls());
    await term.release({ progress: undefined, history: [] }, calls());
    const before = await direct.look('orders', calls());
    expect(clock.pendingSleeps).toBe(2);
    await clock.advance(200);
    expect(clock.pendingSleeps).toBe(0);
    expect(await raw()).toEqual(['a', 33, true]);
    expect(await direct.look('orders', calls())).toEqual(before);
  });

  it('rejects with the error of the script, and applies nothing', async () => {
    const error = new StoreRejectedError('no such table', { store: 'memory' });
    const { store, raw } = benchWith({ acquire: [undefined, { type: 'reject', error }] }, layer);
    const term = await held(store);
    const look = await store.look('orders', calls());
    const second = store.acquire('orders', bidFor(look, { holder: 'b' }), calls());
    await expect(second).rejects.toBe(error);
    expect(await raw()).toEqual(['a', 33, false]);
    expect(term.marks).toContain(look.state === 'absent' ? '' : look.mark);
  });

  it('neither sends nor counts a request whose signal has aborted', async () => {
    const { store, raw, made } = benchWith({ acquire: [{ type: 'lose-reply' }] }, layer);
    const call = { signal: AbortSignal.abort('stop') };
    await expect(store.acquire('orders', bidFor(absent), call)).rejects.toBe('stop');
    expect([await raw(), made]).toEqual([undefined, []]);
  });
});

describe('faultyLeaseStore', () => {
  it('keeps an abandon apart from a release', async () => {
    const { store, made } = benchWith({ abandon: [{ type: 'lose-request' }] });
    const bid = bidFor(absent);
    await held(store, bid);
    await expect(store.abandon('orders', bid, calls())).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    expect(made.map(({ operation }) => operation)).toEqual(['acquire', 'abandon']);
  });

  it('is outlasted by an election whose renewals are lost now and then', async () => {
    const { store, clock, made, raw } = benchWith({
      acquire: [{ type: 'lose-reply', hangs: true }],
      renew: [{ type: 'lose-reply' }, { type: 'lose-request', hangs: true }],
      release: [{ type: 'lose-request' }],
    });
    const options = { store, lease: 'orders', clock, identity: 'a', firstToken: 33 };
    const led = createElection(options).lead(async (leadership) => {
      for (let step = 0; step < 20; step += 1) {
        await clock.sleep(1_000);
        await leadership.checkpoint(step);
      }
    });
    await clock.advance(60_000);
    expect(await led).toMatchObject({ status: 'led', end: 'completed', fencingToken: 33 });
    expect(made.filter(({ fault }) => fault)).toHaveLength(4);
    expect(await raw()).toEqual(['a', 33, true]);
  });
});

describe('faultyRecordStore', () => {
  it('delivers late what was sent, not what would be sent by then', async () => {
    const { store, clock, direct } = benchWith(
      { renew: [{ type: 'delay', requestMs: 1_000 }] },
      'record',
    );
    const term = await held(store);
    const controller = new AbortController();
    const first = term.renew({ progress: '"old"' }, controller).catch((reason: unknown) => reason);
    await clock.advance(10);
    controller.abort('timeout');
    expect(await first).toBe('timeout');
    await term.renew({ progress: '"new"' }, calls());
    await clock.advance(1_000);
    expect(await direct.look('orders', calls())).toMatchObject({ record: { progress: '"new"' } });
    expect(await term.renew({}, calls())).toEqual({ renewed: true });
  });
});

describe('seededFaults', () => {
  const decisions = (seed: number, ratio?: number): unknown[] => {
    const decide = seededFaults(seed, ratio === undefined ? {} : { ratio, longestMs: 10 });
    return Array.from({ length: 2_000 }, (_, index) =>
      decide({ operation: 'renew', count: index + 1 }),
    );
  };

  it('decides the same for the same seed, and otherwise for another', () => {
    expect(decisions(7)).toEqual(decisions(7));
    expect(decisions(7)).not.toEqual(decisions(8));
    expect(decisions(0).filter(Boolean)).not.toEqual([]);
  });

  it('strikes as often as asked, with every kind of fault and within the longest delay', () => {
    const faults = decisions(7, 0.5).filter((fault) => fault !== undefined) as {
      type: string;
      hangs?: boolean;
      requestMs?: number;
    }[];
    expect(faults.length).toBeGreaterThan(900);
    expect(faults.length).toBeLessThan(1_100);
    for (const type of ['lose-request', 'lose-reply', 'delay', 'duplicate']) {
      expect(faults.filter((fault) => fault.type === type).length).toBeGreaterThan(150);
    }
    expect(new Set(faults.map(({ hangs }) => hangs))).toEqual(new Set([true, false, undefined]));
    const delays = faults.flatMap(({ requestMs }) => requestMs ?? []);
    expect([Math.min(...delays), Math.max(...delays)]).toEqual([1, 10]);
    expect(decisions(7, 0).filter(Boolean)).toEqual([]);
  });
});
