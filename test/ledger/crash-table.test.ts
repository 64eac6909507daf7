import { afterAll, describe, expect, it } from 'vitest';
import {
  createLedger,
  idempotencyKeyOf,
  memoryLedgerStore,
  type LedgerStore,
} from '../../src/ledger/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import {
  chargeAt,
  charging,
  dayMs,
  gate,
  gateway,
  hourMs,
  key,
  term,
  type Gateway,
} from './bench.ts';
import { crashSteps, losesLeadership, stoppingAt, type CrashStep } from './crash-steps.ts';
import { printTable } from './print-table.ts';

/** When the successor comes, and what the downstream promises. */
const successors = {
  'within the window': { afterMs: hourMs, keyHonouredForMs: dayMs },
  'after the window': { afterMs: dayMs, keyHonouredForMs: dayMs },
  'key never honoured': { afterMs: hourMs, keyHonouredForMs: 0 },
} as const;

type Successor = keyof typeof successors;

/** A leader of token `fencingToken` that stops at `step` and goes on when it is told to. */
function leaderStoppingAt(
  step: CrashStep,
  fencingToken: number,
  bench: { readonly clock: ManualClock; readonly store: LedgerStore; readonly downstream: Gateway },
) {
  const { clock, downstream, store } = bench;
  const leader = term(fencingToken);
  const [stopped, resumed] = [gate(), gate()];
  const stop = (): Promise<void> => {
    stopped.open();
    return resumed.opened;
  };
  const parts = stoppingAt(step, stop, { store, effect: chargeAt(downstream) });
  let checks = 0;
  const leadership = {
    fencingToken,
    assertLeader: () => {
      checks += 1;
      if (checks === 2 && losesLeadership(step)) {
        leader.lose();
      }
      leader.assertLeader();
    },
  };
  return {
    lose: () => leader.lose(),
    stopped: stopped.opened,
    resume: resumed.open,
    once: (keyHonouredForMs: number) =>
      createLedger({ store: parts.store, clock })
        .once(charging(leadership, { keyHonouredForMs }), parts.effect)
        .catch((error: unknown) => error),
  };
}

/** Stops a leader at `step`, lets a successor try, and then lets the first one go on. */
async function play(step: CrashStep, successor: Successor) {
  const { afterMs, keyHonouredForMs } = successors[successor];
  const clock = new ManualClock();
  const store = memoryLedgerStore();
  const downstream = gateway();
  const stateNow = async () => {
    const call = { signal: new AbortController().signal };
    return (await store.read(idempotencyKeyOf(key), call))?.record.state ?? 'none';
  };
  const standing = async () => `${await stateNow()}, ${downstream.charged.length}`;

  const old = leaderStoppingAt(step, 33, { clock, store, downstream });
  const first = old.once(keyHonouredForMs);
  await old.stopped;
  const left = await standing();
  old.lose();
  clock.advanceWall(afterMs);
  if (afterMs >= dayMs) {
    downstream.prune();
  }
  const next = createLedger({ store, clock });
  await next.once(charging(term(34), { keyHonouredForMs }), chargeAt(downstream));
  const after = await standing();
  const keys = new Set(downstream.charged);
  old.resume();
  await first;
  return { left, after, keys, resumed: await standing() };
}

/**
 * State of the entry and charges made: as the stopped leader leaves it, after its successor, and
 * after the stopped one, no longer leader, has gone on.
 */
const expected: Record<CrashStep, Record<Successor | 'left', string>> = {
  'before the first look': {
    left: 'none, 0',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'done, 1 > done, 1',
    'key never honoured': 'done, 1 > done, 1',
  },
  'pending not sent': {
    left: 'none, 0',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'done, 1 > done, 1',
    'key never honoured': 'done, 1 > done, 1',
  },
  'pending applied, reply on its way': {
    left: 'pending, 0',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'unknown, 0 > untried, 0',
    'key never honoured': 'unknown, 0 > untried, 0',
  },
  'checks passed, effect not sent': {
    left: 'pending, 0',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'unknown, 0 > done, 1',
    'key never honoured': 'unknown, 0 > done, 1',
  },
  'effect took place, reply on its way': {
    left: 'pending, 1',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'unknown, 1 > done, 1',
    'key never honoured': 'unknown, 1 > done, 1',
  },
  'reply seen, outcome not sent': {
    left: 'pending, 1',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'unknown, 1 > done, 1',
    'key never honoured': 'unknown, 1 > done, 1',
  },
  'outcome applied, reply on its way': {
    left: 'done, 1',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'done, 1 > done, 1',
    'key never honoured': 'done, 1 > done, 1',
  },
  'leadership over, attempt not taken back': {
    left: 'pending, 0',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'unknown, 0 > untried, 0',
    'key never honoured': 'unknown, 0 > untried, 0',
  },
  'attempt taken back, reply on its way': {
    left: 'untried, 0',
    'within the window': 'done, 1 > done, 1',
    'after the window': 'done, 1 > done, 1',
    'key never honoured': 'done, 1 > done, 1',
  },
};

describe('a leader that stops at any step, and its successor', () => {
  const rows: string[][] = [];

  afterAll(() => {
    const head = ['stopped', 'left', ...Object.keys(successors)];
    printTable('State and charges: left > after the successor > after the old one went on', [
      head,
      ...rows,
    ]);
  });

  it.each(crashSteps)('charge once and lose no entry: %s', async (step) => {
    const row = [step, ''];
    for (const successor of Object.keys(successors) as Successor[]) {
      const played = await play(step, successor);
      expect(played.left).toBe(expected[step].left);
      expect(`${played.after} > ${played.resumed}`).toBe(expected[step][successor]);
      expect(played.keys.size).toBeLessThanOrEqual(1);
      row[1] = played.left;
      row.push(`${played.after} > ${played.resumed}`);
    }
    rows.push(row);
  });
});

describe('an old leader that goes on while the new one stands at a step of its own', () => {
  const newSteps = crashSteps.filter((step) => !losesLeadership(step));
  const pairs = crashSteps.flatMap((step) => newSteps.map((newStep) => [step, newStep] as const));

  it.each(pairs)('changes nothing: %s, new one %s', async (step, newStep) => {
    const bench = { clock: new ManualClock(), store: memoryLedgerStore(), downstream: gateway() };
    const old = leaderStoppingAt(step, 33, bench);
    const first = old.once(dayMs);
    await old.stopped;
    old.lose();
    const next = leaderStoppingAt(newStep, 34, bench);
    const second = next.once(dayMs);
    // If the old one has settled the entry already, the new one only reads that.
    await Promise.race([next.stopped, second]);

    const newest = async () => {
      const call = { signal: new AbortController().signal };
      const record = (await bench.store.read(idempotencyKeyOf(key), call))?.record;
      const ofNew = record?.fencingToken === 34;
      return ofNew
        ? [record.state, record.attempts.at(-1)?.attemptId, record.result]
        : 'not written';
    };
    const before = await newest();
    old.resume();
    await first;
    expect(await newest()).toEqual(before);
    next.resume();
    expect(await second).toEqual({ status: 'done', result: { chargeId: 'ch-1' } });
    expect(bench.downstream.charged.length).toBe(1);
  });
});
