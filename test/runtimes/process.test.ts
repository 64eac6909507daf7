import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createElection } from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { runUntilSignal } from 'tenure/process';

let directory = '';
const children: ChildProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenure-process-'));
  await build({
    entryPoints: [fileURLToPath(new URL('campaigner.ts', import.meta.url))],
    outfile: join(directory, 'campaigner.mjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
  });
});

afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

interface Campaigner {
  readonly lines: readonly string[];
  /** Resolves when the line has been printed; rejects if the process ends without it. */
  printed(line: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves to the exit status, or to the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

function campaigner(plan: string, onLoss: 'follow' | 'exit' = 'follow'): Campaigner {
  const child = spawn(process.execPath, [join(directory, 'campaigner.mjs'), plan, onLoss], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    lines.push(line);
    waiting.forEach((check) => check());
  });
  const drained = new Promise<void>((resolve) => output.once('close', resolve));
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  const ended = exited.then(async (status) => {
    await drained;
    return status;
  });
  return {
    lines,
    ended,
    kill: (signal) => child.kill(signal),
    printed: (line) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (lines.includes(line)) {
            resolve();
          }
        };
        waiting.push(check);
        check();
        void ended.then((status) =>
          reject(new Error(`ended with ${status} after ${lines.join(', ')}, without ${line}`)),
        );
      }),
  };
}

describe('runUntilSignal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'aborts, waits for the work, releases and exits 0 on %s',
    async (signal) => {
      const process = campaigner('winds-up');
      await process.printed('leads-33');
      process.kill(signal);
      expect(await process.ended).toBe(0);
      expect(process.lines).toEqual([
        'leads-33',
        'winding-up',
        'wound-up',
        'released',
        'led-completed',
      ]);
    },
  );

  it.each(['follow', 'exit'] as const)(
    'exits 0 when the work ends with the error of the leadership, onLoss: %s',
    async (onLoss) => {
      const process = campaigner('gives-in', onLoss);
      await process.printed('leads-33');
      process.kill('SIGTERM');
      expect(await process.ended).toBe(0);
      expect(process.lines).toEqual(['leads-33', 'released']);
    },
  );

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)('is ended at once by a second signal: %s, then %s', async (first, second) => {
    const process = campaigner('ignores-signals');
    await process.printed('leads-33');
    process.kill(first);
    await process.printed('ignoring');
    process.kill(second);
    expect(await process.ended).toBe(second);
    expect(process.lines).not.toContain('released');
  });

  it('exits when the last of several campaigns has ended, each stopped by the one signal', async () => {
    const process = campaigner('winds-up-beside-another');
    await process.printed('leads-33');
    process.kill('SIGTERM');
    expect(await process.ended).toBe(0);
    expect(process.lines.toSorted()).toEqual(
      [
        'leads-33',
        'winding-up',
        'other-gave-in',
        'released',
        'wound-up',
        'released',
        'led-completed',
      ].toSorted(),
    );
    expect(process.lines.indexOf('other-gave-in')).toBeLessThan(process.lines.indexOf('wound-up'));
  });

  it("exits 1 at a loss, without waiting for the work, with onLoss 'exit'", async () => {
    const process = campaigner('hangs', 'exit');
    expect(await process.ended).toBe(1);
    expect(process.lines).toEqual(['leads-33']);
  });

  it("exits 1 with onLoss 'exit' when a guarded write was rejected for its token", async () => {
    const process = campaigner('writes-stale', 'exit');
    expect(await process.ended).toBe(1);
    expect(process.lines).toEqual(['leads-33', 'released', 'lost-taken-over']);
  });

  it("waits for the work after a loss and stands again with onLoss 'follow'", async () => {
    const process = campaigner('hangs');
    await process.printed('leads-34');
    expect(process.lines).toEqual(['leads-33', 'wound-up', 'released', 'lost-expired', 'leads-34']);
  });

  it('rejects with an error of the work and leaves no listener for signals', async () => {
    const process = campaigner('fails');
    expect(await process.ended).toBe(7);
    expect(process.lines).toEqual(['leads-33', 'released', 'rejects-disk-full-0']);
  });

  it("rejects with an error of the work's own also when a signal came first", async () => {
    const process = campaigner('fails-when-aborted');
    await process.printed('leads-33');
    process.kill('SIGTERM');
    expect(await process.ended).toBe(7);
    expect(process.lines).toEqual(['leads-33', 'released', 'rejects-disk-full-0']);
  });

  it.each([
    ['onLoss', { onLoss: 'restart' }, '"restart"'],
    ['onLoss', {}, 'undefined'],
    ['onOutcome', { onLoss: 'follow', onOutcome: 'log' }, '"log"'],
  ])('refuses as %s what it does not know: %o', async (name, options, received) => {
    const election = createElection({ store: memoryLeaseStore(), lease: 'orders' });
    const before = process.listenerCount('SIGTERM');
    const refused = runUntilSignal(election, () => {}, options as { onLoss: 'follow' });
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(new RegExp(`${name}.*got ${received}`));
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('refuses what is no work', async () => {
    const election = createElection({ store: memoryLeaseStore(), lease: 'orders' });
    const work = 'work' as unknown as () => void;
    const refused = runUntilSignal(election, work, { onLoss: 'follow' });
    await expect(refused).rejects.toThrow('work must be a function, got "work"');
  });
});
