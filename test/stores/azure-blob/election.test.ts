import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createElection, type Election, type ElectionEvent, type ElectionOptions } from 'tenure';
import { azureBlobLeaseStore } from 'tenure/azure-blob';
import { ManualClock } from 'tenure/testing';
import type { Interception } from '../../../functions/local/http-proxy.ts';
import { Bench, newLease, rawLeaseOf, rejection } from './bench.ts';
import { Faults, type Step } from './faults.ts';

const hangs: Interception = { action: 'hang-request' };

/** The server keeps real time here, and the election's clock stands still until it is moved. */
describe('an election on Azure Blob', () => {
  let bench: Bench;
  let network: Faults;
  let clock: ManualClock;
  let lease: string;
  let events: ElectionEvent[];

  beforeAll(async () => {
    bench = await Bench.start(1);
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    clock = new ManualClock();
    lease = newLease();
    events = [];
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  function election(identity: string, options: Partial<ElectionOptions<unknown>> = {}): Election {
    return createElection({
      store: azureBlobLeaseStore({ containerClient: network.client(bench) }),
      lease,
      identity,
      clock,
      firstToken: 33,
      random: () => 0,
      observer: (event) => events.push(event),
      ...options,
    });
  }

  /** The requests since the last call of this. */
  function requests(): readonly Step[] {
    return network.steps.splice(0);
  }

  /** Waits until a request of this kind has been sent. */
  async function sent(step: Step): Promise<void> {
    await vi.waitFor(() => expect(network.steps).toContain(step));
  }

  it('acquires with four requests at first, three when cold, two when warm', async () => {
    const a = election('a');
    const b = election('b');
    await a
      .lead(() => requests(), { wait: 'none' })
      .then((outcome) => {
        expect(outcome).toMatchObject({
          fencingToken: 33,
          value: ['read', 'create', 'acquire', 'metadata'],
        });
      });
    expect(requests()).toEqual(['metadata', 'release']);
    expect(await b.lead(() => requests())).toMatchObject({
      fencingToken: 34,
      value: ['read', 'acquire', 'metadata'],
    });
    requests();
    expect(await b.lead(() => requests())).toMatchObject({
      fencingToken: 35,
      value: ['acquire', 'metadata'],
    });
  });

  it('follows with one request, which is no error of the service', async () => {
    await election('a').lead(async () => {
      requests();
      const outcome = await election('b').lead(() => {}, { wait: 'none' });
      expect(outcome).toMatchObject({
        status: 'followed',
        reason: 'held',
        leader: { holder: 'a', fencingToken: 33, state: 'alive' },
      });
      expect(requests()).toEqual(['read']);
    });
  });

  it('renews with one request, and saves progress with a second one only if it is new', async () => {
    await election('a').lead(async (leadership) => {
      requests();
      await leadership.checkpoint({ done: 1 });
      expect(requests()).toEqual([]);
      await clock.advance(5_000);
      await leadership.checkpoint();
      expect(requests()).toEqual(['renew', 'metadata']);
      await clock.advance(5_000);
      await leadership.checkpoint({ done: 1 });
      expect(requests()).toEqual(['renew']);
    });
    expect(rawLeaseOf(await bench.raw(lease))).toMatchObject({
      released: true,
      progress: '{"done":1}',
    });
  });

  it('keeps leading while progress cannot be saved, and saves it as soon as it can', async () => {
    const outcome = await election('a').lead(async (leadership) => {
      for (let interval = 1; interval <= 4; interval += 1) {
        await clock.advance(5_000);
        network.next('metadata', hangs);
        requests();
        const checkpoint = leadership.checkpoint({ done: interval });
        await sent('metadata');
        await clock.advance(2_000);
        await checkpoint;
        leadership.assertLeader();
      }
      expect(rawLeaseOf(await bench.raw(lease))).toMatchObject({ progress: undefined });
      await clock.advance(5_000);
      await leadership.checkpoint();
      expect(rawLeaseOf(await bench.raw(lease))).toMatchObject({ progress: '{"done":4}' });
    });
    expect(outcome).toMatchObject({ status: 'led', end: 'completed' });
    expect(events.filter(({ type }) => type === 'renewal-failed')).toHaveLength(4);
  });

  it('loses at once what a stranger has broken, and goes on with a higher token', async () => {
    const a = election('a');
    const outcome = await a.lead(async (leadership) => {
      await bench.blob(lease).getBlobLeaseClient('').breakLease(0);
      await clock.advance(5_000);
      await leadership.checkpoint();
    });
    expect(outcome).toEqual({ status: 'lost', reason: 'taken-over', fencingToken: 33 });
    expect(await a.lead(() => {})).toMatchObject({ status: 'led', fencingToken: 34 });
  });

  it('loses a container that was deleted, and says what to do', async () => {
    const { containerName } = bench.container;
    const a = election('a');
    const outcome = await a.lead(async (leadership) => {
      await bench.container.delete();
      await clock.advance(5_000);
      await leadership.checkpoint();
    });
    expect(outcome).toMatchObject({ status: 'lost', reason: 'taken-over' });
    expect(await rejection(a.lead(() => {}))).toMatchObject({
      code: 'STORE_REJECTED',
      message: expect.stringContaining(containerName),
    });
    await bench.container.create();
  });

  it('does not wait for a term of its own that it could not release', async () => {
    const a = election('a');
    let isWorkDone = false;
    const first = a.lead(() => {
      network.next('metadata', hangs, hangs, hangs);
      requests();
      isWorkDone = true;
    });
    await vi.waitFor(() => expect(isWorkDone).toBe(true));
    await sent('metadata');
    await clock.advance(5_000);
    expect(await first).toMatchObject({ status: 'led', fencingToken: 33 });
    network.reset();
    expect((await bench.raw(lease))?.leaseState).toBe('leased');
    expect(await a.lead(() => {}, { wait: 'none' })).toMatchObject({
      status: 'led',
      fencingToken: 34,
    });
  });

  it.each(['acquire', 'metadata'] as const)(
    'does not wait for an attempt of its own whose %s was applied without an answer',
    async (step) => {
      await election('before').lead(() => {});
      const a = election('a');
      const lost: Interception = { action: 'drop-reply' };
      network.next(step, lost, lost, lost);
      network.next(
        'read',
        { action: 'pass' },
        ...Array.from({ length: 4 }, (): Interception => ({ action: 'drop-request' })),
      );
      network.next('release', { action: 'drop-request' });
      expect(await rejection(a.lead(() => {}))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      network.reset();
      expect((await bench.raw(lease))?.leaseState).toBe('leased');
      const outcome = await a.lead(() => {}, { wait: 'none' });
      expect(outcome).toMatchObject({ status: 'led' });
      expect(outcome).toHaveProperty(
        'fencingToken',
        expect.toSatisfy((token: number) => token >= 34),
      );
    },
  );

  it('mints rising tokens although the blob is deleted and made again within a second', async () => {
    const candidates = ['a', 'b', 'c'].map((identity) =>
      createElection({ store: bench.store(), lease, identity }),
    );
    const tokens: number[] = [];
    const startMs = performance.now();
    for (let round = 0; round < 24; round += 1) {
      const outcome = await candidates[round % 3]?.lead(() => {}, { wait: 'none' });
      expect(outcome).toMatchObject({ status: 'led' });
      tokens.push(outcome?.status === 'led' ? outcome.fencingToken : 0);
      if (round % 4 === 3) {
        await bench.blob(lease).delete();
      }
    }
    expect(tokens).toEqual([...new Set(tokens)].toSorted((one, other) => one - other));
    const deletions = 6;
    expect((performance.now() - startMs) / deletions).toBeLessThan(1_000);
  });

  it('reports an identity, a label and progress of any language as they are', async () => {
    const a = election('เซิร์ฟเวอร์ 1');
    await a.lead(
      async (leadership) => {
        const leader = await election('b').leader();
        expect(leader).toMatchObject({ holder: 'เซิร์ฟเวอร์ 1/ครั้งที่ 7' });
        await leadership.checkpoint({ ลูกค้า: '😀' });
      },
      { label: 'ครั้งที่ 7' },
    );
    const progress = await a.lead((leadership) => leadership.progress);
    expect(progress).toMatchObject({ value: { ลูกค้า: '😀' } });
  });
});
