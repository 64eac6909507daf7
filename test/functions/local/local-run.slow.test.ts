import { once } from 'node:events';
import { BlobServiceClient } from '@azure/storage-blob';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountUrl, credential, startAzurite } from '../../support/azurite.ts';
import { itSurvivesFaults } from './fault-stories.ts';
import {
  bundleProgram,
  haveEnded,
  nothingWrong as nothingWrongFor,
  reportIn,
  type Ended,
  type Program,
} from './run-program.ts';

const customers = 8;
const nothingWrong = nothingWrongFor(customers);
let program: Program;
let small: readonly string[];

beforeAll(async () => {
  program = await bundleProgram('slow');
  const file = await program.customersFile(customers);
  small = ['--store', 'azure-blob', '--period', '2026-10', '--customers', file];
});
afterAll(() => program.remove());

/** Every run in real time, by its arguments; the longest first. */
const stories = [
  '--fault outage',
  '--fault partition',
  '--fault freeze',
  '--without fence',
  '--fault kill',
  '--gateway forgetful',
  '--fault none',
  '--without lease --gateway forgetful',
  '--without lease',
] as const;

describe('the local run on Azure Blob', () => {
  const ended = new Map<string, Ended>();
  const storyOf = (args: (typeof stories)[number]) => {
    const end = ended.get(args) ?? { exitCode: null, stdout: '', stderr: '' };
    return { ...end, report: reportIn(end) };
  };

  beforeAll(async () => {
    await pMap(
      stories,
      async (args) => ended.set(args, await program.run([...small, '--json', ...args.split(' ')])),
      { concurrency: 2 },
    );
  }, 600_000);

  itSurvivesFaults(customers, storyOf);

  it('needs no second request where nothing goes wrong', () => {
    const { exitCode, report } = storyOf('--fault none');
    expect(report).toMatchObject({ ...nothingWrong, repeatedRequests: 0, failoverMs: null });
    expect(report.terms).toMatchObject([{ fencingToken: 33, endedBy: 'released' }]);
    expect(exitCode).toBe(0);
  });

  it('fails without lease and keys: every customer is charged three times', () => {
    const { exitCode, report } = storyOf('--without lease --gateway forgetful');
    expect(report).toMatchObject({ charged: customers, chargedTwice: customers, problems: [] });
    expect(report).toMatchObject({ charges: 3 * customers, gatewayRequests: 3 * customers });
    expect(exitCode).toBe(1);
  });

  it('fails without the fence: a stale write is accepted', () => {
    const { exitCode, report } = storyOf('--without fence');
    expect(report).toMatchObject({ charged: customers, chargedTwice: 0, problems: [] });
    expect(report.staleWritesAccepted).toBeGreaterThanOrEqual(1);
    expect(exitCode).toBe(1);
  });

  it('fails without keys: a successor charges again what its predecessor had charged', () => {
    const { exitCode, report } = storyOf('--gateway forgetful');
    expect(report).toMatchObject({ missed: 0, staleWritesAccepted: 0, problems: [] });
    expect(report.chargedTwice).toBeGreaterThanOrEqual(1);
    expect(exitCode).toBe(1);
  });

  it('charges nobody twice without a lease where the gateway honours keys', () => {
    const { exitCode, report } = storyOf('--without lease');
    expect(report).toMatchObject({ ...nothingWrong, repeatedRequests: 2 * customers });
    expect(exitCode).toBe(0);
  });
});

describe('the local run on Azure Blob, in other circumstances', () => {
  it('uses a server that is already running, and leaves no containers behind', async () => {
    const server = await startAzurite();
    const endpoint = accountUrl(server);
    const end = await program.run([...small, '--json', '--fault', 'none', '--endpoint', endpoint]);
    expect(end.exitCode).toBe(0);
    expect(reportIn(end)).toMatchObject({ ...nothingWrong, terms: [{ fencingToken: 33 }] });
    const containers = new BlobServiceClient(endpoint, credential).listContainers();
    expect(await containers.next()).toMatchObject({ done: true });
    await server.close();
  }, 120_000);

  it('leaves neither schedulers nor Azurite running when killed', async () => {
    const [child, children] = await program.startUntil('leads with fencing token 33', small);
    expect(children).toHaveLength(4);
    child.kill('SIGKILL');
    await haveEnded(children);
  }, 60_000);

  it('ends with status 1 and takes everybody with it when interrupted', async () => {
    const [child, children] = await program.startUntil(' freezes ', small);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await haveEnded(children);
  }, 60_000);
});
