import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SchedulerReport } from './events.ts';
import type { Journal } from './journal.ts';
import { settingsVariable, type SchedulerSettings } from './scheduler-settings.ts';

/** A scheduler, running in a process of its own. */
export interface SchedulerProcess {
  readonly identity: string;
  /** Stops it where it stands; it notices nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends it without a chance to do anything. */
  kill(): void;
  /**
   * Asks it to stop, and waits until it has released what it holds and ended.
   *
   * @returns what is wrong with how it ended, if anything is; nothing if `kill` was called before.
   */
  stop(): Promise<string | undefined>;
}

/** How long a scheduler may take to stop, in milliseconds: its release is bounded by 2 s. */
const stopWithinMs = 10_000;

/**
 * Starts a scheduler whose reports go into `journal`. It is killed when this process exits, and stops by
 * itself when this process is killed; but one that is frozen then notices only when it is continued.
 */
export function startScheduler(settings: SchedulerSettings, journal: Journal): SchedulerProcess {
  const { identity } = settings;
  const child = fork(fileURLToPath(new URL('./scheduler.js', import.meta.url)), {
    execArgv: ['--enable-source-maps'],
    env: {
      ...process.env,
      [settingsVariable]: JSON.stringify(settings),
      // The runner uses the same SDK and prints its warning about old versions of Node once.
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
  });
  let fate: 'free' | 'told-to-stop' | 'killed' = 'free';
  const killNow = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', killNow);
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('exit', (code, signal) => {
      process.off('exit', killNow);
      const how = { exitCode: code ?? undefined, killedBy: signal ?? undefined };
      journal.record({ type: 'exited', scheduler: identity, ...how, expected: fate !== 'free' });
      const isFine = fate === 'killed' || (fate === 'told-to-stop' && code === 0);
      resolve(isFine ? undefined : `${identity} ended with ${signal ?? `exit status ${code}`}`);
    });
  });
  child.on('message', (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by our own scheduler
    journal.record({ ...(message as SchedulerReport), scheduler: identity });
  });
  return {
    identity,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    kill: () => {
      fate = 'killed';
      killNow();
    },
    stop: async () => {
      fate = fate === 'killed' ? fate : 'told-to-stop';
      // A frozen process would hear of the request to stop only when it is continued.
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(killNow, stopWithinMs);
      const problem = await ended;
      clearTimeout(timer);
      return problem;
    },
  };
}
