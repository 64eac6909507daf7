import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createElection } from 'tenure';
import { azureBlobLeaseStore } from 'tenure/azure-blob';
import { ManualClock } from 'tenure/testing';
import { createJobElection } from '../../../src/core/create-election.ts';
import type { JobElection } from '../../../src/core/job-election.ts';
import { Bench, newLease, patiently, rawLeaseOf, win } from './bench.ts';
import { Faults, type Step } from './faults.ts';

/** The server keeps real time here, and the election's clock stands still until it is moved. */
describe('what jobs keep in the metadata of a blob', () => {
  let bench: Bench;
  let network: Faults;
  let clock: ManualClock;
  let lease: string;

  beforeAll(async () => {
    bench = await Bench.start(1);
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    clock = new ManualClock();
    lease = newLease();
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  const options = (identity: string) => {
    const store = azureBlobLeaseStore({ containerClient: network.client(bench) });
    return { store, lease, identity, clock, firstToken: 33, random: () => 0 };
  };
  const jobElection = (identity: string): JobElection => createJobElection(options(identity));
  const stored = async () => rawLeaseOf(await bench.raw(lease));
  /** The requests since the last call of this. */
  const requests = (): readonly Step[] => network.steps.splice(0);

  it('costs one read to look at, and none more to lead after that', async () => {
    const first = jobElection('a');
    expect(await first.look(undefined)).toBeUndefined();
    expect(requests()).toEqual(['read']);
    await first.lead((_, slot) => {
      expect(requests()).toEqual(['create', 'acquire', 'metadata']);
      slot.leave('{"客户":1}');
    }, {});
    expect(requests()).toEqual(['metadata', 'release']);

    const second = jobElection('b');
    expect(await second.look(undefined)).toMatchObject({ jobState: '{"客户":1}' });
    expect(requests()).toEqual(['read']);
    const outcome = await second.lead((_, slot) => [slot.stored, ...requests()], {});
    expect(outcome).toMatchObject({ value: ['{"客户":1}', 'acquire', 'metadata'] });
  });

  it('is written with the progress in one request, and only if one of them has changed', async () => {
    const { held } = await win(
      azureBlobLeaseStore({ containerClient: network.client(bench) }),
      lease,
    );
    const legacies = [
      { progress: '"p1"', jobState: '"j1"' },
      { progress: '"p1"', jobState: '"j1"' },
      { progress: '"p1"', jobState: '"j2"' },
      { progress: '"p2"', jobState: '"j2"' },
      { jobState: '"j2"' },
      {},
      { jobState: null },
      { jobState: null },
    ];
    const sent: unknown[] = [];
    requests();
    for (const checkpoint of legacies) {
      expect(await held.renew(checkpoint, patiently())).toEqual({ renewed: true });
      const { progress, jobState } = (await stored()) ?? {};
      sent.push([requests().join(), progress, jobState]);
    }
    expect(sent).toEqual([
      ['renew,metadata', '"p1"', '"j1"'],
      ['renew', '"p1"', '"j1"'],
      ['renew,metadata', '"p1"', '"j2"'],
      ['renew,metadata', '"p2"', '"j2"'],
      ['renew', '"p2"', '"j2"'],
      ['renew', '"p2"', '"j2"'],
      ['renew,metadata', '"p2"', undefined],
      ['renew', '"p2"', undefined],
    ]);
  });

  it('is repeated with the next renewal where its write had no answer', async () => {
    network.next('metadata', { action: 'pass' }, { action: 'drop-request' });
    const { held } = await win(
      azureBlobLeaseStore({ containerClient: network.client(bench) }),
      lease,
    );
    const checkpoint = { jobState: '"j1"' };
    await expect(held.renew(checkpoint, patiently())).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    expect(await stored()).toMatchObject({ jobState: undefined });
    expect(await held.renew(checkpoint, patiently())).toEqual({ renewed: true });
    expect(await stored()).toMatchObject({ jobState: '"j1"' });
  });

  it('stands beside the history, which one read shows', async () => {
    const startMs = clock.wallMs();
    await jobElection('a').lead((_, slot) => slot.leave('1'), {});
    await clock.advance(1_000);
    await createElection(options('b')).lead(() => {});
    requests();
    expect(await createElection(options('w')).history()).toEqual([
      { fencingToken: 33, holder: 'a', startedMs: startMs, end: 'released' },
      { fencingToken: 34, holder: 'b', startedMs: startMs + 1_000, end: 'released' },
    ]);
    expect(requests()).toEqual(['read']);
    expect(await stored()).toMatchObject({ jobState: '1' });
  });
});
