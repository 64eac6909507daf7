import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseStore } from 'tenure';
import { Bench, bidOn, final, newLease, patiently, win } from './bench.ts';
import { Faults, type Step } from './faults.ts';

/** What the network delivers once more after the term that sent it is over. */
describe('a request of azureBlobLeaseStore that arrives late', () => {
  let bench: Bench;
  let network: Faults;
  let store: LeaseStore;
  let lease: string;

  beforeAll(async () => {
    bench = await Bench.start(1);
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    lease = newLease();
    store = bench.store(network.client(bench));
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  const steps: readonly Step[] = ['create', 'acquire', 'metadata', 'renew', 'release'];

  /** A whole term, of which the first request of one kind is delivered once more later. */
  async function termWithDuplicate(step: Step): Promise<void> {
    network.next(step, { action: 'duplicate-later', ms: 1_000 });
    const { held } = await win(store, lease);
    await held.renew({ progress: '"done"' }, patiently());
    expect(await held.release(final, patiently())).toMatchObject({ released: true });
    expect(network.left).toBe(0);
  }

  it.each(steps)('changes nothing and holds nothing when it is a second %s', async (step) => {
    await termWithDuplicate(step);
    const before = await bench.raw(lease);
    expect(before).toMatchObject({ leaseState: 'available' });
    await network.proxy.settled();
    expect(await bench.raw(lease)).toEqual(before);
  });

  it.each(steps)('leaves the next term alone when it is a second %s', async (step) => {
    await termWithDuplicate(step);
    const { held } = await win(bench.store(), lease, { holder: 'b', fencingToken: 34 });
    const before = await bench.raw(lease);
    await network.proxy.settled();
    expect(await bench.raw(lease)).toEqual(before);
    expect(await held.renew({}, patiently())).toEqual({ renewed: true });
  });

  it('is told that the term was released when it is a release that is repeated', async () => {
    const { held } = await win(store, lease);
    await held.release(final, patiently());
    expect(await held.release(final, patiently())).toMatchObject({ released: true });
    await win(bench.store(), lease, { holder: 'b', fencingToken: 34 });
    expect(await held.release(final, patiently())).toMatchObject({
      released: false,
      found: { state: 'held', record: { holder: 'b' } },
    });
  });

  it('does not hold the lease while its bid is refused for what it saw', async () => {
    const first = await win(bench.store(), lease);
    const stale = bidOn(await store.look(lease, patiently()), { fencingToken: 34 });
    await first.held.release(final, patiently());
    network.reset();
    expect(await store.acquire(lease, stale, patiently())).toMatchObject({ acquired: false });
    // Refused at once: nothing was acquired that had to be given back.
    expect(network.steps).toEqual(['acquire', 'read', 'read']);
  });
});
