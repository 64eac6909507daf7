import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import { emulatorAccess } from '../../../functions/local/emulator.ts';
import type { RunReport } from '../../../functions/local/report.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
// As deep below the root as the program that `npm start` bundles, and beside it.
const bundle = join(root, 'dist-functions', `test-${process.pid}`);
const main = join(bundle, 'main.js');
const customers = 8;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-'));
  const rows = Array.from({ length: customers }, (_, index) => `c-${index},N,team,100,EUR`);
  await writeFile(
    join(folder, 'customers.csv'),
    ['id,name,plan,amount,currency', ...rows].join('\n'),
  );
  await build({
    entryPoints: ['main', 'scheduler'].map((name) => join(root, 'functions/local', `${name}.ts`)),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    outdir: bundle,
  });
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(bundle, { recursive: true, force: true });
});

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode, stdout, stderr });
    });
  });
}

const small = () =>
  `--period 2026-10 --lease-ms 3000 --customers ${join(folder, 'customers.csv')}`.split(' ');

function reportIn({ stdout }: Ended): RunReport {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as RunReport;
}

const nothingWrong = { charged: customers, chargedTwice: 0, missed: 0, staleWritesAccepted: 0 };

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
      async (args) => ended.set(args, await run([...small(), '--json', ...args.split(' ')])),
      { concurrency: 3 },
    );
  }, 240_000);

  it('survives a leader that is frozen, and rejects its late write', () => {
    const { exitCode, stdout, report } = storyOf('--fault freeze');
    expect(report).toMatchObject({ ...nothingWrong, problems: [] });
    expect(report.staleWritesRejected).toBeGreaterThanOrEqual(1);
    expect(report.repeatedRequests).toBeGreaterThanOrEqual(1);
    expect(report.gatewayRequests).toBe(customers + report.repeatedRequests);
    expect(exitCode).toBe(0);
    expectFailover(report);
    const [, leader] = / freezes ([A-C])\./.exec(stdout) ?? [];
    expect(stdout).toMatch(
      new RegExp(
        ` freezes ${leader}\\.[^]* leads with fencing token[^]* rejects ${leader}'s write[^]*` +
          ` ${leader} +reports that it lost[^]* ${leader} +follows `,
      ),
    );
  });

  it('survives a leader that is killed', () => {
    const { exitCode, report } = storyOf('--fault kill');
    expect(report).toMatchObject({ ...nothingWrong, staleWritesRejected: 0, problems: [] });
    expect(report.repeatedRequests).toBeGreaterThanOrEqual(1);
    expect(exitCode).toBe(0);
    expectFailover(report);
  });

  it('survives a leader that is cut off from the store, and rejects its late write', () => {
    const { exitCode, report } = storyOf('--fault partition');
    expect(report).toMatchObject({ ...nothingWrong, problems: [] });
    expect(report.staleWritesRejected).toBeGreaterThanOrEqual(1);
    expect(exitCode).toBe(0);
    expectFailover(report);
  });

  it('survives a store that answers nobody', () => {
    const { exitCode, report } = storyOf('--fault outage');
    expect(report).toMatchObject({ ...nothingWrong, problems: [] });
    expect(report.terms.some(({ endedBy }) => endedBy !== 'released')).toBe(true);
    expect(report.terms.at(-1)?.endedBy).toBe('released');
    expect(report.failoverMs).toBeGreaterThan(2 * report.leaseDurationMs);
    expect(exitCode).toBe(0);
  });

  it('needs no second request where nothing goes wrong', () => {
    const { exitCode, report } = storyOf('--fault none --schedulers 1 --lease-ms 10000');
    expect(report).toMatchObject({ ...nothingWrong, store: 'dynamodb', period: '2026-10' });
    expect(report).toMatchObject({ customers, repeatedRequests: 0, gatewayRequests: customers });
    expect(report).toMatchObject({ leaseDurationMs: 10_000, failoverMs: null, problems: [] });
    expect(report.terms).toEqual([{ scheduler: 'A', fencingToken: 33, endedBy: 'released' }]);
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

  function expectFailover({ terms, failoverMs, leaseDurationMs }: RunReport): void {
    expect(terms.length).toBeGreaterThanOrEqual(2);
    expect(terms.map(({ fencingToken }) => fencingToken)).toEqual(
      terms.map((_, index) => 33 + index),
    );
    expect(terms.map(({ endedBy }) => endedBy)).toContain('taken-over');
    expect(terms.at(-1)?.endedBy).toBe('released');
    // No candidate may take over before the lease was silent for its duration; a load may delay it.
    expect(failoverMs).toBeGreaterThan(leaseDurationMs * 0.95);
  }
});

describe('the local run, started wrongly', () => {
  it.each([
    [['--fault', 'fire'], /--fault must be/],
    [['--period', '2026-13'], /--period: .*"2026-13"/],
    [['--customers', 'absent.csv'], /cannot read "absent.csv"/],
  ])('ends with status 2 for %j and starts nothing', async (args, message) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it.each([
    ['a malformed line', 'c-1,N,team,100,EUR\nc-2,N,team\n', /line 3: malformed CSV/],
    ['a duplicate id', 'c-1,N,team,100,EUR\nc-1,N,team,100,EUR\n', /line 3: .*already on line 2/],
  ])('ends with status 2 for %s and charges nobody', async (what, rows, message) => {
    const file = join(folder, `${what}.csv`);
    await writeFile(file, `id,name,plan,amount,currency\n${rows}`);
    const { exitCode, stdout, stderr } = await run(['--customers', file]);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('nobody was charged');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  it('prints help', async () => {
    const { exitCode, stdout } = await run(['--help']);
    expect(stdout).toContain('--fault NAME');
    expect(exitCode).toBe(0);
  });
});

describe('the local run, on a server that is already running', () => {
  it('counts what its own proxy sees and leaves no tables behind', async () => {
    const server = await startDynalite();
    const args = [...small(), '--json', '--fault', 'none', '--endpoint', server.endpoint];
    const end = await run(args);
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
    const { exitCode, stderr } = await run([...small(), '--endpoint', server.endpoint]);
    expect(stderr).toContain(`no tables at ${server.endpoint}`);
    expect(exitCode).toBe(1);
  });
});

describe('the local run, ended early', () => {
  async function startUntil(text: string): Promise<[ChildProcess, readonly number[]]> {
    const child = spawn(process.execPath, [main, ...small()], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise<void>((resolve) => {
      // Goes on reading: a runner whose output nobody takes ends for that reason.
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString('utf8').includes(text)) {
          resolve();
        }
      });
    });
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const children = stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === child.pid)
      .map(([pid = 0]) => pid);
    onTestFailed(() => children.filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL')));
    return [child, children];
  }

  async function haveEnded(pids: readonly number[]): Promise<void> {
    while (pids.some((pid) => isAlive(pid))) {
      await sleep(20);
    }
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  it('takes a frozen scheduler and the others with it when interrupted', async () => {
    const [child, schedulers] = await startUntil(' freezes ');
    expect(schedulers).toHaveLength(3);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    await haveEnded(schedulers);
  }, 60_000);

  it('leaves no scheduler running when killed', async () => {
    const [child, schedulers] = await startUntil('leads with fencing token 33');
    expect(schedulers).toHaveLength(3);
    child.kill('SIGKILL');
    await haveEnded(schedulers);
  }, 60_000);
});
