import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isTenureError, type HeldLease, type LeaseStore } from 'tenure';
import type { Interception } from '../../../functions/local/http-proxy.ts';
import { defaultRetries, noRetries } from '../../support/azurite.ts';
import {
  Bench,
  bidOn,
  final,
  newLease,
  patiently,
  rawLeaseOf,
  rejection,
  win,
  within,
} from './bench.ts';
import { Faults, refusal, type Step } from './faults.ts';

const faults: readonly (readonly [string, Interception])[] = [
  ['its reply was lost', { action: 'drop-reply' }],
  ['it was lost', { action: 'drop-request' }],
  [
    'Azure answered that it is busy after applying it',
    { action: 'respond-after-applying', ...refusal(503, 'ServerBusy') },
  ],
  [
    'Azure failed after applying it',
    { action: 'respond-after-applying', ...refusal(500, 'InternalError') },
  ],
  ['its reply never came', { action: 'hang-reply' }],
  ['it hung', { action: 'hang-request' }],
];

const retries = [
  ['without retries', noRetries],
  ['with the default retries', defaultRetries],
] as const;

describe.each(retries)('a lease of the SDK %s', (_, options) => {
  let bench: Bench;
  let network: Faults;
  let store: LeaseStore;
  let lease: string;

  beforeAll(async () => {
    // Nothing waits for an expiry here, and a hung request must not cost the lease.
    bench = await Bench.start(2);
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    lease = newLease();
    store = bench.store(network.client(bench, options));
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  /** Repeats a call while its outcome is unknown, as the election does. */
  async function settled<T>(send: (call: ReturnType<typeof within>) => Promise<T>): Promise<T> {
    for (let sends = 1; ; sends += 1) {
      try {
        return await send(within(400));
      } catch (error) {
        if (!isTenureError(error) || error.code !== 'OUTCOME_UNKNOWN' || sends === 3) {
          throw error;
        }
      }
    }
  }

  const stored = async () => rawLeaseOf(await bench.raw(lease));
  const leaseState = async () => (await bench.raw(lease))?.leaseState;

  async function lead(): Promise<HeldLease> {
    return (await win(bench.store(network.client(bench, options)), lease)).held;
  }

  describe.each(['create', 'acquire', 'metadata'] as Step[])('whose bid sends %s', (step) => {
    it.each(faults)('is won with the token of the bid when %s', async (__, fault) => {
      network.next(step, fault);
      const bid = bidOn({ state: 'absent' });
      const result = await settled((call) => store.acquire(lease, bid, call));
      expect(result.acquired).toBe(true);
      expect(network.left).toBe(0);
      await network.proxy.settled();
      expect(await stored()).toMatchObject({ holder: 'a', fencingToken: 33, released: false });
      expect(await leaseState()).toBe('leased');
      const renewal = result.acquired && (await result.held.renew({ progress: '1' }, patiently()));
      expect(renewal).toEqual({ renewed: true });
      expect(await stored()).toMatchObject({ fencingToken: 33, progress: '1' });
    });
  });

  it.each(faults)('is still held after a renewal of which %s', async (__, fault) => {
    const held = await lead();
    network.next('renew', fault);
    expect(await settled((call) => held.renew({}, call))).toEqual({ renewed: true });
    expect(network.left).toBe(0);
    expect(await leaseState()).toBe('leased');
  });

  it.each(faults)('keeps its progress after a write of which %s', async (__, fault) => {
    const held = await lead();
    network.next('metadata', fault);
    expect(await settled((call) => held.renew({ progress: '"done"' }, call))).toEqual({
      renewed: true,
    });
    expect(network.left).toBe(0);
    await network.proxy.settled();
    expect(await stored()).toMatchObject({ fencingToken: 33, progress: '"done"' });
    expect(await settled((call) => held.renew({ progress: '"more"' }, call))).toEqual({
      renewed: true,
    });
    expect(await stored()).toMatchObject({ fencingToken: 33, progress: '"more"' });
  });

  it('is not rewritten by progress that arrives after newer progress', async () => {
    const held = await lead();
    await held.renew({ progress: '"a"' }, patiently());
    let arrive: () => void = () => {};
    const until = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    network.next('metadata', { action: 'hold-request', until });
    const error = await rejection(held.renew({ progress: '"b"' }, within(300)));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await held.renew({ progress: '"a"' }, patiently())).toEqual({ renewed: true });
    arrive();
    await network.proxy.settled();
    expect(await stored()).toMatchObject({ progress: '"a"' });
    expect(await held.renew({ progress: '"c"' }, patiently())).toEqual({ renewed: true });
    expect(await stored()).toMatchObject({ progress: '"c"' });
  });

  describe.each(['metadata', 'release'] as Step[])('whose release sends %s', (step) => {
    it.each(faults)('is free, and released, when %s', async (__, fault) => {
      const held = await lead();
      network.next(step, fault);
      const result = await settled((call) => held.release({ ...final, progress: '1' }, call));
      expect(network.left).toBe(0);
      expect(result).toMatchObject({ released: true, look: { state: 'free' } });
      await network.proxy.settled();
      expect(await stored()).toMatchObject({ fencingToken: 33, released: true, progress: '1' });
      expect(await leaseState()).toBe('available');
      // The look of the release is one on which the next bid can rest.
      const look = result.released ? result.look : result.found;
      const next = await store.acquire(lease, bidOn(look, { fencingToken: 34 }), patiently());
      expect(next.acquired).toBe(true);
    });
  });
});
