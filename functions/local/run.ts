import { setTimeout as sleep } from 'node:timers/promises';
import { idempotencyKeyOf } from '../billing/payment-gateway.ts';
import { strike } from './faults.ts';
import type { HeldReply } from './payment-gateway.ts';
import { reportOf, type RunReport } from './report.ts';
import { castSchedulers, setUp, type Closers, type Plan, type Scene } from './scene.ts';

/**
 * Plays one billing run with real processes, from the first candidate to the last release.
 *
 * @throws the reason of `signal`, and what keeps the run from starting.
 */
export async function playRun(plan: Plan): Promise<RunReport> {
  const { options, customers, signal } = plan;
  const closers: Closers = [];
  try {
    const scene = await setUp(plan, closers);
    const problems = await play(scene);
    signal.throwIfAborted();
    problems.push(...(await dismiss(scene)));
    await everyWriteIsJudged(scene);
    return reportOf(options, {
      customers,
      gateway: scene.gateway.records(),
      rows: await scene.store.readCharges(),
      audit: await scene.audit.result(),
      problems,
    });
  } finally {
    for (const close of closers.toReversed()) {
      // eslint-disable-next-line no-await-in-loop -- what was started last is stopped first
      await close();
    }
  }
}

/** Resolves with what did not go as told. */
async function play(scene: Scene): Promise<string[]> {
  const { options, customers, stage, narrator } = scene;
  const { fault } = options;
  const { limits, journal } = stage;
  try {
    const held = fault === 'none' ? undefined : holdReplyInMidRun(scene);
    await castSchedulers(scene);
    if (fault !== 'none' && held !== undefined) {
      await strike(fault, held, stage);
    }
    // Without a lease nobody waits for anybody: each of them bills everybody.
    const times = options.without === 'lease' ? options.schedulers : 1;
    const timeoutMs = limits.timeoutMs + customers.length * 500;
    await journal.waitFor({ type: 'finished', times }, { ...limits, timeoutMs });
    narrator.say('runner', 'the period is complete; the schedulers are told to stop');
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function holdReplyInMidRun({ options, customers, gateway, stage }: Scene): HeldReply {
  const customerId = customers[Math.floor(customers.length / 2)]?.id ?? '';
  const held = gateway.holdReplyTo(idempotencyKeyOf({ customerId, period: options.period }));
  void held.reached.then(() => stage.journal.record({ type: 'held', customerId }));
  return held;
}

/**
 * Asks every scheduler to stop: followers first, since one of them would take a lease that is
 * released. Resolves with what was wrong.
 */
async function dismiss({ stage }: Scene): Promise<string[]> {
  const leader = stage.journal.latest('acquired')?.scheduler;
  const all = [...stage.cast.values()].map(({ process }) => process);
  const problems = await Promise.all(
    all.filter(({ identity }) => identity !== leader).map((process) => process.stop()),
  );
  problems.push(await all.find(({ identity }) => identity === leader)?.stop());
  return problems.filter((problem) => problem !== undefined);
}

/** How long late requests are waited for, in milliseconds; the store may have lost one. */
const settleWithinMs = 5_000;

/** Lets late requests arrive, so that none is missing from the counts. */
async function everyWriteIsJudged({ stage }: Scene): Promise<void> {
  const lines = [...stage.cast.values()].map(({ line }) => line);
  for (const line of lines) {
    line.mend();
  }
  const timer = new AbortController();
  await Promise.race([
    Promise.all(lines.map((line) => line.settled())),
    sleep(settleWithinMs, undefined, { signal: timer.signal }).catch(() => {}),
  ]);
  timer.abort();
}
