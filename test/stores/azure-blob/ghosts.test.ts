import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseStore } from 'tenure';
import { Bench, bidOn, final, newLease, patiently, rejection, win, within } from './bench.ts';
import { Faults } from './faults.ts';

/** What an attempt or a term of this process left behind must not keep it waiting. */
describe('azureBlobLeaseStore after an attempt without an answer', () => {
  let bench: Bench;
  let network: Faults;
  let store: LeaseStore;
  let lease: string;

  beforeAll(async () => {
    bench = await Bench.start();
    network = await Faults.start(bench);
  });

  beforeEach(async () => {
    network.reset();
    lease = newLease();
    store = bench.store(network.client(bench));
    const { held } = await win(bench.store(), lease, { holder: 'before', fencingToken: 32 });
    await held.release(final, patiently());
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  /** Bids, gets the blob's lease, and hears nothing of it; the record still names another. */
  async function haunt() {
    const bid = bidOn(await store.look(lease, patiently()));
    network.next('acquire', { action: 'drop-reply' });
    const error = await rejection(store.acquire(lease, bid, patiently()));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect((await bench.raw(lease))?.leaseState).toBe('leased');
    return bid;
  }

  it('frees the lease when the attempt is abandoned', async () => {
    const bid = await haunt();
    await store.abandon(lease, bid, patiently());
    expect((await bench.raw(lease))?.leaseState).toBe('available');
    expect((await store.look(lease, patiently())).state).toBe('free');
  });

  it('recognises the lease as its own although the record names another, and replaces it', async () => {
    const ghost = await haunt();
    const look = await store.look(lease, patiently());
    expect(look).toMatchObject({ state: 'held', mark: ghost.attemptId });
    const bid = bidOn(look, { endedMarks: [ghost.attemptId] });
    expect(await store.acquire(lease, bid, patiently())).toMatchObject({ acquired: true });
  });

  it('does not take the lease of another for its own', async () => {
    const ghost = await haunt();
    await bench.pass();
    await win(bench.store(), lease, { holder: 'b', fencingToken: 33 });
    const look = await store.look(lease, patiently());
    expect(look).toMatchObject({ state: 'held', record: { holder: 'b' } });
    expect(look.state === 'held' && look.mark).not.toBe(ghost.attemptId);
    const bid = bidOn(look, { fencingToken: 34, endedMarks: [ghost.attemptId] });
    expect(await store.acquire(lease, bid, patiently())).toMatchObject({ acquired: false });
  });

  it('asks about an attempt once, and not again after it has proved to be gone', async () => {
    await haunt();
    await bench.pass();
    await win(bench.store(), lease, { holder: 'b', fencingToken: 33 });
    await store.look(lease, patiently());
    network.reset();
    await store.look(lease, patiently());
    expect(network.steps).toEqual(['read']);
  });

  it('does not bid again for a lease that another has acquired but not written', async () => {
    // Otherwise the record of this process's own term would let it bid without a pause.
    const { held } = await win(store, lease, { fencingToken: 33 });
    await held.release(final, patiently());
    const stranger = bench.blob(lease).getBlobLeaseClient(crypto.randomUUID());
    await stranger.acquireLease(15);
    const look = await store.look(lease, patiently());
    expect(look).toMatchObject({ state: 'held', record: { holder: 'a' } });
    expect(look.state === 'held' && held.marks.includes(look.mark)).toBe(false);
  });

  it('replaces a term of its own whose release never arrived', async () => {
    const { held } = await win(store, lease, { fencingToken: 33 });
    network.next('metadata', { action: 'hang-request' });
    await rejection(held.release(final, within(50)));
    const look = await store.look(lease, patiently());
    expect(look).toMatchObject({ state: 'held' });
    const bid = bidOn(look, { fencingToken: 34, endedMarks: held.marks });
    expect(await store.acquire(lease, bid, patiently())).toMatchObject({ acquired: true });
  });
});
