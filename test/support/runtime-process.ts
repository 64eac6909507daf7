import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** One line that a runtime wrote, or one entry of its log. */
export interface RuntimeLine {
  readonly source: 'stdout' | 'stderr' | 'log';
  /** What the function said, without what its runtime puts before it. */
  readonly text: string;
  /** The line as it was written. */
  readonly raw: string;
  /** As the runtime calls it, such as `INFO` on Lambda and `information` on Azure Functions. */
  readonly level?: string;
  /** On Azure Functions: `user` for what the function said, `system` for what was said about it. */
  readonly category?: string;
  /** Of the invocation that the runtime names with it. */
  readonly invocationId?: string;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process under test, with all that it says. */
export interface RuntimeProcess {
  readonly child: ChildProcess;
  /** All lines so far, in the order in which they arrived. */
  readonly lines: readonly RuntimeLine[];
  /** Settles when the process has ended and its last line was read. */
  readonly ended: Promise<ProcessEnd>;
  hasEnded(): boolean;
  /** Adds an entry that came another way than by the streams. */
  readonly add: (line: RuntimeLine) => void;
  /**
   * Resolves to the first line that fits, earlier ones included.
   *
   * @throws Error if the process ends without one.
   */
  waitForLine(fits: (line: RuntimeLine) => boolean): Promise<RuntimeLine>;
  /** Stops the process where it is (SIGSTOP); resolves once it stands still. */
  freeze(): Promise<void>;
  /** Lets a frozen process go on (SIGCONT). */
  thaw(): void;
  /** Ends the process at once (SIGKILL), frozen or not; resolves when it has ended. */
  kill(): Promise<ProcessEnd>;
}

/** What to start, and how to read its lines. */
export interface ProcessOrder {
  readonly command: readonly [executable: string, ...args: string[]];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What its descriptor 3 is, read by the caller: a pipe, or a channel for messages. */
  readonly extra: 'pipe' | 'ipc';
}

/** Starts a process that ends with this one. */
export function startRuntimeProcess(order: ProcessOrder): RuntimeProcess {
  const { command, cwd, env, extra } = order;
  const [executable, ...args] = command;
  const child = spawn(executable, args, {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', extra],
  });
  const said = newTranscript();
  for (const source of ['stdout', 'stderr'] as const) {
    eachLine(child[source], (raw) => said.add({ source, text: raw, raw }));
  }
  const killWithUs = (): boolean => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  // Not 'exit': the streams may still hold the last lines then.
  const ended = once(child, 'close').then(([exitCode, signal]): ProcessEnd => {
    process.removeListener('exit', killWithUs);
    said.end();
    return { exitCode, signal };
  });
  return {
    child,
    lines: said.lines,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    add: said.add,
    waitForLine: said.waitForLine,
    freeze: async () => {
      if (child.kill('SIGSTOP')) {
        await standsStill(child);
      }
    },
    thaw: () => void child.kill('SIGCONT'),
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

function newTranscript() {
  const lines: RuntimeLine[] = [];
  const waiting = new Set<{ see(line: RuntimeLine): void; giveUp(): void }>();
  let over = false;
  const nothingFits = (): Error =>
    new Error(
      `the process ended without the line; it said:\n${lines.map(({ raw }) => raw).join('\n')}`,
    );
  return {
    lines,
    add: (line: RuntimeLine): void => {
      lines.push(line);
      waiting.forEach((waiter) => waiter.see(line));
    },
    end: (): void => {
      over = true;
      waiting.forEach((waiter) => waiter.giveUp());
    },
    waitForLine: async (fits: (line: RuntimeLine) => boolean): Promise<RuntimeLine> => {
      const earlier = lines.find(fits);
      if (earlier !== undefined) {
        return earlier;
      }
      if (over) {
        throw nothingFits();
      }
      return new Promise((resolve, reject) => {
        const waiter = {
          see: (line: RuntimeLine): void => {
            if (fits(line)) {
              waiting.delete(waiter);
              resolve(line);
            }
          },
          giveUp: (): void => reject(nothingFits()),
        };
        waiting.add(waiter);
      });
    },
  };
}

function eachLine(stream: Readable | null, take: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
  stream?.on('end', () => {
    if (rest !== '') {
      take(rest);
    }
  });
}

/** A signal has been sent when `kill` returns; another processor may still run the process then. */
async function standsStill({ pid }: ChildProcess): Promise<void> {
  while (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The state follows the name, which may contain anything: T is stopped, Z and X have ended.
    if (stat === undefined || /[TZX]/.test(stat.charAt(stat.lastIndexOf(')') + 2))) {
      return;
    }
    await sleep(1);
  }
}
