/**
 * A process that campaigns as `runUntilSignal` lets it, and prints one word per line for each thing
 * that happens. Its one argument says what its work does.
 */
import { writeSync } from 'node:fs';
import { setInterval, setTimeout } from 'node:timers';
import { createElection, StaleTokenError, type Leadership } from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { runUntilSignal } from 'tenure/process';

const [, , plan = '', onLoss = 'follow'] = process.argv;

// Not by a stream: what is printed right before an exit must not be lost.
const print = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const aborted = ({ signal }: Leadership): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function renewsUntilAborted(leadership: Leadership): Promise<void> {
  for (;;) {
    await leadership.checkpoint();
    await sleep(10);
  }
}

const plans: Readonly<Record<string, (leadership: Leadership) => Promise<void>>> = {
  'winds-up': async (leadership) => {
    await renewsUntilAborted(leadership).catch(() => {});
    print('winding-up');
    await sleep(150);
    print('wound-up');
  },
  'winds-up-beside-another': (leadership) => plans['winds-up']?.(leadership) ?? Promise.resolve(),
  'gives-in': renewsUntilAborted,
  'ignores-signals': async (leadership) => {
    await renewsUntilAborted(leadership).catch(() => {});
    print('ignoring');
    setInterval(() => {}, 1_000);
    await new Promise(() => {});
  },
  hangs: async (leadership) => {
    await aborted(leadership);
    await sleep(leadership.fencingToken === 33 ? 300 : 0);
    print('wound-up');
    if (leadership.fencingToken > 33) {
      await sleep(60_000);
    }
  },
  'writes-stale': async (leadership) => {
    const { fencingToken } = leadership;
    throw new StaleTokenError('a newer leader has written', {
      store: 'table',
      fencingToken,
      highestToken: fencingToken + 1,
    });
  },
  fails: async () => {
    throw new Error('disk-full');
  },
  'fails-when-aborted': async (leadership) => {
    await renewsUntilAborted(leadership).catch(() => {});
    throw new Error('disk-full');
  },
};

const electionFor = (lease: string) =>
  createElection({
    store: memoryLeaseStore(),
    lease,
    identity: 'a',
    firstToken: 33,
    timing: { leaseDurationMs: plan === 'hangs' ? 300 : 3_000 },
    observer: (event) => {
      if (event.type === 'released') {
        print('error' in event ? 'not-released' : 'released');
      }
    },
  });

if (plan === 'winds-up-beside-another') {
  // It gives in at once, and must not end the process while the other one winds up.
  void runUntilSignal(
    electionFor('parcels'),
    async (leadership: Leadership) => {
      await renewsUntilAborted(leadership).finally(() => print('other-gave-in'));
    },
    { onLoss: 'follow' },
  );
}

try {
  await runUntilSignal(
    electionFor('orders'),
    async (leadership: Leadership) => {
      print(`leads-${leadership.fencingToken}`);
      await plans[plan]?.(leadership);
    },
    {
      onLoss: onLoss === 'exit' ? 'exit' : 'follow',
      onOutcome: (outcome) => {
        const detail = 'end' in outcome ? outcome.end : outcome.reason;
        print(`${outcome.status}-${detail}`);
      },
    },
  );
} catch (error) {
  const listeners = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
  print(`rejects-${error instanceof Error ? error.message : String(error)}-${listeners}`);
  process.exitCode = 7;
}
