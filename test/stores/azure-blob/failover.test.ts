import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createElection, type ElectionEvent } from 'tenure';
import { azureBlobLeaseStore } from 'tenure/azure-blob';
import {
  startHttpProxy,
  type HttpProxy,
  type Interception,
} from '../../../functions/local/http-proxy.ts';
import { quickRetries } from '../../support/azurite.ts';
import { Bench, clockOf, newLease, win } from './bench.ts';
import { refusal } from './faults.ts';

/** A lease of 60 s takes 3 s, and a request may take 400 ms. */
const timing = { leaseDurationMs: 60_000, requestTimeoutMs: 8_000, retryPeriodMs: 2_000 };

/** Pseudo-random numbers that a failure can be repeated with. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('elections that share a container', () => {
  let bench: Bench;
  let proxy: HttpProxy;
  let faults: () => Interception | undefined = () => undefined;
  /** Token and mark of every record that the server has taken, in its order. */
  const written: { readonly path: string; readonly token: number; readonly mark: string }[] = [];
  let injected = 0;

  beforeAll(async () => {
    bench = await Bench.start();
    proxy = await startHttpProxy({
      target: bench.server.endpoint,
      intercept: () => {
        const fault = faults();
        injected += fault ? 1 : 0;
        return fault ?? { action: 'pass' };
      },
      observe: ({ request, status }) => {
        const { 'x-ms-meta-token': token, 'x-ms-meta-mark': mark = '' } = request.headers;
        const { path } = request;
        if (path.includes('comp=metadata') && status === 200 && token !== undefined) {
          written.push({ path, token: Number(token), mark });
        }
      },
    });
  });

  afterAll(async () => {
    await proxy.close();
    await bench.close();
  });

  const store = () => azureBlobLeaseStore({ containerClient: bench.through(proxy, quickRetries) });

  it('replace a leader that died when its lease has expired, and not before', async () => {
    const lease = newLease();
    const clock = clockOf(bench);
    const { held } = await win(bench.store(), lease, { leaseDurationMs: 15_000 });
    const startMs = clock.monotonicMs();
    await held.renew({ progress: '"half"' }, { signal: new AbortController().signal });
    const b = createElection({ store: store(), lease, identity: 'b', clock, timing });
    const outcome = await b.lead(({ progress }) => progress);
    expect(outcome).toMatchObject({ status: 'led', fencingToken: 34, value: 'half' });
    expect(clock.monotonicMs() - startMs).toBeGreaterThan(15_000);
  });

  it('take over from a leader that releases, without waiting for its lease to expire', async () => {
    const lease = newLease();
    const clock = clockOf(bench);
    const { bid, held } = await win(bench.store(), lease, { leaseDurationMs: 60_000 });
    const startMs = clock.monotonicMs();
    const looked = new Promise<void>((resolve) => {
      faults = () => {
        resolve();
        return undefined;
      };
    });
    const b = createElection({ store: store(), lease, identity: 'b', clock, timing });
    const waiting = b.lead(() => {}, { wait: 60_000 });
    await looked;
    const final = { progress: undefined, history: bid.history };
    await held.release(final, { signal: new AbortController().signal });
    expect(await waiting).toMatchObject({ status: 'led', fencingToken: 34 });
    expect(clock.monotonicMs() - startMs).toBeLessThan(60_000);
  });

  it('mint each token once, in rising order, under lost requests, lost replies and pauses', async () => {
    const lease = newLease();
    const clock = clockOf(bench);
    const next = random(7);
    faults = () => {
      const roll = next();
      if (roll < 0.04) {
        return { action: 'drop-request' };
      }
      if (roll < 0.08) {
        return { action: 'drop-reply' };
      }
      if (roll < 0.1) {
        return { action: 'respond-after-applying', ...refusal(503, 'ServerBusy') };
      }
      // So late that another term may have come and gone since the look.
      return roll < 0.25 ? { action: 'delay-request', ms: 130 } : undefined;
    };
    const events: ElectionEvent[] = [];
    const stop = new AbortController();
    let highest = 0;
    let stale = 0;
    const campaign = async (identity: string): Promise<void> => {
      const election = createElection({
        store: store(),
        lease,
        identity,
        clock,
        timing: {
          leaseDurationMs: 15_000,
          requestTimeoutMs: 3_000,
          renewDeadlineMs: 9_500,
          retryPeriodMs: 1_000,
        },
        observer: (event) => events.push(event),
      });
      const outcomes = election.campaign(
        async (leadership) => {
          for (let step = 0; step < 3; step += 1) {
            // Sometimes for longer than the lease, as a stopped process would.
            await clock.sleep(next() < 0.15 ? 24_000 : 500);
            if (leadership.fencingToken < highest) {
              stale += 1;
            }
            highest = Math.max(highest, leadership.fencingToken);
            await leadership.checkpoint({ step });
          }
        },
        { signal: stop.signal },
      );
      for await (const outcome of outcomes) {
        expect(['led', 'lost']).toContain(outcome.status);
      }
    };
    const campaigns = ['a', 'b', 'c', 'd', 'e'].map(campaign);
    const terms = (): readonly number[] =>
      events.flatMap((event) => (event.type === 'acquired' ? [event.fencingToken] : []));
    // Until each thing that could go wrong has come up.
    await vi.waitFor(
      () => {
        expect(terms().length).toBeGreaterThan(12);
        expect(injected).toBeGreaterThan(12);
        expect(stale).toBeGreaterThan(0);
      },
      { timeout: 40_000, interval: 50 },
    );
    stop.abort();
    await Promise.all(campaigns);
    faults = () => undefined;

    const minted = terms();
    expect(new Set(minted).size).toBe(minted.length);
    // What the server has taken is the truth: each term's token is higher than the one before.
    const ofLease = written.filter(({ path }) => path.includes(lease));
    const begun = ofLease.filter(({ mark }, index) => ofLease[index - 1]?.mark !== mark);
    const tokens = begun.map(({ token }) => token);
    expect(tokens).toEqual([...new Set(tokens)].toSorted((one, other) => one - other));
  }, 60_000);
});
