import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createElection } from 'tenure';
import { Bench, newLease, patiently, win } from './bench.ts';

/** In real time: the shortest lease that Azure has. */
describe('a lease of 15 seconds in real time', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await Bench.start(1);
  });

  afterAll(async () => {
    await bench.close();
  });

  it('outlasts its duration while it is renewed, and keeps others out', async () => {
    const lease = newLease();
    const a = createElection({ store: bench.store(), lease, identity: 'a', firstToken: 33 });
    const b = createElection({ store: bench.store(), lease, identity: 'b' });
    const startMs = performance.now();
    const outcome = await a.lead(async (leadership) => {
      while (performance.now() - startMs < 20_000) {
        await leadership.checkpoint();
        await new Promise((resolve) => {
          setTimeout(resolve, 500);
        });
      }
      return b.lead(() => {}, { wait: 'none' });
    });
    expect(outcome).toMatchObject({ status: 'led', value: { status: 'followed', reason: 'held' } });
    expect(await b.lead(() => {}, { wait: 'none' })).toMatchObject({ fencingToken: 34 });
  });

  it('passes to another within the bound after its holder fell silent', async () => {
    const lease = newLease();
    const { held } = await win(bench.store(), lease);
    await held.renew({ progress: '"half"' }, patiently());
    const startMs = performance.now();
    const b = createElection({ store: bench.store(), lease, identity: 'b' });
    const outcome = await b.lead(({ progress }) => progress);
    const failoverMs = performance.now() - startMs;
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34, value: 'half' });
    // Before the lease has expired would be a second leader; the rest is a retry period and three
    // round trips.
    expect(failoverMs).toBeGreaterThan(14_900);
    expect(failoverMs).toBeLessThan(15_000 + 2_000 + 3 * 2_000);
    expect(await held.renew({}, patiently())).toMatchObject({ renewed: false });
  });
});
