import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { uploadLeased } from 'tenure/azure-blob';
import { Bench, final, newLease, patiently, rejection, win } from './bench.ts';
import { Faults } from './faults.ts';

describe('uploadLeased', () => {
  let bench: Bench;
  let network: Faults;
  let lease: string;

  beforeAll(async () => {
    bench = await Bench.start();
    network = await Faults.start(bench);
  });

  beforeEach(() => {
    network.reset();
    lease = newLease();
  });

  afterAll(async () => {
    await network.proxy.close();
    await bench.close();
  });

  const upload = (content: string, fencingToken: number, containerClient = bench.container) =>
    uploadLeased(
      { containerClient, lease },
      { body: content, contentLength: content.length },
      fencingToken,
    );
  const content = async () => (await bench.blob(lease).downloadToBuffer()).toString();

  it('writes content under the lease and leaves the record as it is', async () => {
    const { held } = await win(bench.store(), lease);
    await held.renew({ progress: '"done"' }, patiently());
    const before = await bench.metadata(lease);
    await upload('mine', 33);
    expect(await content()).toBe('mine');
    expect(await bench.metadata(lease)).toEqual(before);
    expect(await held.renew({ progress: '"more"' }, patiently())).toEqual({ renewed: true });
    expect(await held.release(final, patiently())).toMatchObject({ released: true });
    expect(await content()).toBe('mine');
    await win(bench.store(), lease, { fencingToken: 34 });
    expect(await content()).toBe('mine');
  });

  it('is rejected after another has taken over', async () => {
    await win(bench.store(), lease);
    await bench.pass();
    await win(bench.store(), lease, { holder: 'b', fencingToken: 34 });
    const error = await rejection(upload('stale', 33));
    expect(error).toMatchObject({ code: 'STALE_TOKEN', fencingToken: 33, highestToken: 34 });
    expect(await content()).toBe('');
  });

  it('is rejected when another takes over between its read and its write', async () => {
    await win(bench.store(), lease);
    const { proxy } = network;
    let takeOver: () => void = () => {};
    const until = new Promise<void>((resolve) => {
      takeOver = resolve;
    });
    network.next('create', { action: 'hold-request', until });
    const uploading = rejection(upload('stale', 33, network.client(bench)));
    await bench.pass();
    await win(bench.store(), lease, { holder: 'b', fencingToken: 34 });
    takeOver();
    expect(await uploading).toMatchObject({ code: 'STALE_TOKEN', highestToken: 34 });
    await proxy.settled();
    expect(await content()).toBe('');
  });

  it('is rejected once the lease has expired, though nobody has taken over', async () => {
    await win(bench.store(), lease);
    await bench.pass();
    const error = await rejection(upload('late', 33));
    expect(error).toMatchObject({ code: 'LEASE_LOST', reason: 'expired', fencingToken: 33 });
    expect(await content()).toBe('');
  });

  it('is repeated when a renewal has changed the record meanwhile', async () => {
    const { held } = await win(bench.store(), lease);
    let renewed: () => void = () => {};
    const until = new Promise<void>((resolve) => {
      renewed = resolve;
    });
    network.next('create', { action: 'hold-request', until });
    const uploading = upload('mine', 33, network.client(bench));
    await vi.waitFor(() => expect(network.steps).toContain('create'));
    await held.renew({ progress: '"done"' }, patiently());
    renewed();
    await uploading;
    expect(network.steps).toEqual(['read', 'create', 'read', 'create']);
    expect(await content()).toBe('mine');
    expect((await bench.metadata(lease))['progress']).toBe(
      Buffer.from('"done"').toString('base64url'),
    );
  });

  it('is refused where the record names no such term', async () => {
    await win(bench.store(), lease);
    expect(await rejection(upload('early', 34))).toMatchObject({ code: 'LEASE_RECORD_INVALID' });
    await bench.blob(newLease()).upload('', 0);
    expect(await content()).toBe('');
  });
});
