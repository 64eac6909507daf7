import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import { emulatorAccess } from '../../../functions/local/emulator.ts';
import { itSurvivesFaults } from './fault-stories.ts';
import {
  bundleProgram,
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
  program = await bundleProgram('main');
  const file = await program.customersFile(customers);
  small = ['--period', '2026-10', '--lease-ms', '3000', '--customers', file];
});
afterAll(() => program.remove());

/** Every run with schedulers, by its arguments. What each must show is said below. */
const stories = [
  '--fault freeze',
  '--fault kill',
  '--fault partition',
  '--fault outage',
  '--fault none --schedulers 1 --lease-ms 10000',
  '--without lease --gateway forgetful',
  '--without fence',
  '--without lease',
  '--gateway forgetful',
] as const;

describe('the local run', () => {
  const ended = new Map<string, Ended>();
  const storyOf = (args: (typeof stories)[number]) => {
    const end = ended.get(args) ?? { exitCode: null, stdout: '', stderr: '' };
    return { ...end, report: reportIn(end) };
  };

  beforeAll(async () => {
    await pMap(
      stories,
      async (args) => ended.set(args, await program.run([...small, '--json', ...args.split(' ')])),
      { concurrency: 3 },
    );
  }, 240_000);

  itSurvivesFaults(customers, storyOf);

  it('needs no second request where nothing goes wrong', () => {
    const { exitCode, report } = storyOf('--fault none --schedulers 1 --lease-ms 10000');
    expect(report).toMatchObject({ ...nothingWrong, store: 'dynamodb', period: '2026-10' });
    expect(report).toMatchObject({ customers, repeatedRequests: 0, gatewayRequests: customers });
    expect(report).toMatchObject({ leaseDurationMs: 10_000, failoverMs: null, problems: [] });
    expect(report.terms).toEqual([{ scheduler: 'A', fencingToken: 33, endedBy: 'released' }]);
    expect(exitCode).toBe(0);
  });

  it('fails without lease and keys: every customer is charged three times', () => {
    const { exitCode, stdout, report } = storyOf('--without lease --gateway forgetful');
    expect(report).toMatchObject({ charged: customers, chargedTwice: customers, problems: [] });
    expect(report).toMatchObject({ charges: 3 * customers, gatewayRequests: 3 * customers });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/left out +the lease, and with it the ledger/);
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

describe('the local run, started wrongly', () => {
  it.each([
    [['--fault', 'fire'], /--fault must be/],
    [['--period', '2026-13'], /--period: .*"2026-13"/],
    [['--customers', 'absent.csv'], /cannot read "absent.csv"/],
    [['--store', 'azure-blob', '--lease-ms', '3000'], /from 15000 to 60000 on azure-blob/],
  ])('ends with status 2 for %j and starts nothing', async (args, message) => {
    const { exitCode, stdout, stderr } = await program.run(args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it.each([
    ['a malformed line', 'c-1,N,team,100,EUR\nc-2,N,team\n', /line 3: malformed CSV/],
    ['a duplicate id', 'c-1,N,team,100,EUR\nc-1,N,team,100,EUR\n', /line 3: .*already on line 2/],
  ])('ends with status 2 for %s and charges nobody', async (what, rows, message) => {
    const file = join(program.folder, `${what}.csv`);
    await writeFile(file, `id,name,plan,amount,currency\n${rows}`);
    const { exitCode, stdout, stderr } = await program.run(['--customers', file]);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('nobody was charged');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it('prints help', async () => {
    const { exitCode, stdout } = await program.run(['--help']);
    expect(stdout).toContain('--fault NAME');
    expect(exitCode).toBe(0);
  });
});

describe('the local run, on a server that is already running', () => {
  it('counts what its own proxy sees and leaves no tables behind', async () => {
    const server = await startDynalite();
    const args = [...small, '--json', '--fault', 'none', '--endpoint', server.endpoint];
    const end = await program.run(args);
    expect(end.exitCode).toBe(0);
    expect(reportIn(end)).toMatchObject({ ...nothingWrong, terms: [{ fencingToken: 33 }] });
    const client = new DynamoDBClient({ ...emulatorAccess, endpoint: server.endpoint });
    expect(await client.send(new ListTablesCommand({}))).toMatchObject({ TableNames: [] });
    client.destroy();
    await server.close();
  }, 60_000);

  it('says so when nothing answers there', async () => {
    const server = await startDynalite();
    await server.close();
    const { exitCode, stderr } = await program.run([...small, '--endpoint', server.endpoint]);
    expect(stderr).toContain(`no tables at ${server.endpoint}`);
    expect(exitCode).toBe(1);
  });
});

describe('the local run on Azure Blob', () => {
  // Two customers: a lease there lasts for 15 s, and a run for about as long.
  it('needs no second request where nothing goes wrong', async () => {
    const file = await program.customersFile(2);
    const args = `--store azure-blob --period 2026-10 --fault none --schedulers 1 --customers ${file}`;
    const end = await program.run([...args.split(' '), '--json']);
    const report = reportIn(end);
    expect(report).toMatchObject({ ...nothingWrongFor(2), store: 'azure-blob', problems: [] });
    expect(report).toMatchObject({ repeatedRequests: 0, gatewayRequests: 2 });
    expect(report).toMatchObject({ leaseDurationMs: 15_000, failoverMs: null });
    expect(report.terms).toEqual([{ scheduler: 'A', fencingToken: 33, endedBy: 'released' }]);
    expect(end.exitCode).toBe(0);
  }, 60_000);
});
