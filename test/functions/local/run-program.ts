import { build } from 'esbuild';
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFailed } from 'vitest';
import type { RunReport } from '../../../functions/local/report.ts';

/** How a run of the program ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run under way, and what it goes on to print. */
type Started = ChildProcessByStdio<null, Readable, Readable>;

/** The program behind `npm start`, bundled as it is there, and a folder for its input. */
export interface Program {
  readonly folder: string;
  /** Writes a list of so many customers, and resolves to its path. */
  customersFile(count: number): Promise<string>;
  run(args: readonly string[]): Promise<Ended>;
  /**
   * Starts it, in a process group of its own, and waits until it has printed `text`; resolves to it and
   * the ids of its children.
   */
  startUntil(text: string, args: readonly string[]): Promise<readonly [Started, readonly number[]]>;
  remove(): Promise<void>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

export async function bundleProgram(name: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'billing-'));
  // As deep below the root as the program that `npm start` bundles, and beside it.
  const bundle = join(root, 'dist-functions', `test-${name}-${process.pid}`);
  const main = join(bundle, 'main.js');
  await build({
    entryPoints: ['main', 'scheduler'].map((entry) => join(root, 'functions/local', `${entry}.ts`)),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    outdir: bundle,
  });
  return {
    folder,
    customersFile: async (count) => {
      const file = join(folder, `customers-${count}.csv`);
      const rows = Array.from({ length: count }, (_, index) => `c-${index},N,team,100,EUR`);
      await writeFile(file, ['id,name,plan,amount,currency', ...rows].join('\n'));
      return file;
    },
    run: (args) =>
      new Promise((resolve) => {
        const child = execFile(process.execPath, [main, ...args], (_error, stdout, stderr) => {
          resolve({ exitCode: child.exitCode, stdout, stderr });
        });
      }),
    startUntil: async (text, args) => {
      const child = spawn(process.execPath, [main, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
        // Whatever else is on stderr is what a test looks for.
        env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
      });
      await new Promise<void>((resolve) => {
        // Goes on reading: a runner whose output nobody takes ends for that reason.
        child.stdout.on('data', (chunk: Buffer) => {
          if (chunk.toString('utf8').includes(text)) {
            resolve();
          }
        });
      });
      const children = await childrenOf(child.pid);
      onTestFailed(() => children.filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL')));
      return [child, children];
    },
    remove: async () => {
      await rm(folder, { recursive: true, force: true });
      await rm(bundle, { recursive: true, force: true });
    },
  };
}

async function childrenOf(parent: number | undefined): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid);
}

/** Resolves when none of these processes is left. */
export async function haveEnded(pids: readonly number[]): Promise<void> {
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

/** The object that `--json` printed. */
export function reportIn({ stdout }: Pick<Ended, 'stdout'>): RunReport {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as RunReport;
}

/** What a report says if nothing went wrong for so many customers. */
export function nothingWrong(customers: number): Partial<RunReport> {
  return { charged: customers, chargedTwice: 0, missed: 0, unknown: 0, staleWritesAccepted: 0 };
}

/** Expects that one leader was followed by another, who had to wait for it. */
export function expectFailover({ terms, failoverMs, leaseDurationMs }: RunReport): void {
  expect(terms.length).toBeGreaterThanOrEqual(2);
  expect(terms.map(({ fencingToken }) => fencingToken)).toEqual(
    terms.map((_, index) => 33 + index),
  );
  expect(terms.map(({ endedBy }) => endedBy)).toContain('taken-over');
  expect(terms.at(-1)?.endedBy).toBe('released');
  // No candidate may take over before the lease was silent for its duration; a load may delay it.
  expect(failoverMs).toBeGreaterThan(leaseDurationMs * 0.95);
}

/** Expects that a story of a leader that is frozen was told in the right order. */
export function expectStoryOfFreeze(stdout: string): void {
  const [, leader] = / freezes ([A-C])\./.exec(stdout) ?? [];
  expect(stdout).toMatch(
    new RegExp(
      ` freezes ${leader}\\.[^]* leads with fencing token[^]* rejects ${leader}'s write[^]*` +
        ` ${leader} +reports that it lost[^]* ${leader} +follows `,
    ),
  );
}
