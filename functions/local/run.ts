import { setTimeout as sleep } from 'node:timers/promises';
import { idempotencyKeyOf } from 'tenure/ledger';
import { chargeKey } from '../billing/charge-key.ts';
import { messageOf } from '../message-of.ts';
import { strike } from './faults.ts';
import type { HeldReply } from './payment-gateway.ts';
import { reportOf, type RunReport } from './report.ts';
import { castSchedulers, setUp, type Closers, type Plan, type Scene } from './scene.ts';
import { untilAborted } from './store-calls.ts';

/**
 * Plays one billing run with real processes, from the first candidate to the last release.
 *
 * @throws the reason of `signal`, and what keeps the run from starting.
 */
export async function playRun(plan: Plan): Promise<RunReport> {
  const { signal } = plan;
  const closers: Closers = [];
  try {
    const scene = await setUp(plan, closers);
    const problems = await play(scene);
    signal.throwIfAborted();
    return await untilAborted(conclude(scene, problems), signal);
  } finally {
    await closeAll(closers);
  }
}

/** Ends the run in good order, and counts what its records show. */
async function conclude(scene: Scene, problems: readonly string[]): Promise<RunReport> {
  const { options, customers, gateway, store, audit } = scene;
  const lateProblems = await dismiss(scene);
  await everyWriteIsJudged(scene);
  return reportOf(options, {
    customers,
    gateway: gateway.records(),
    rows: await store.readCharges(),
    unfinished: await store.readUnfinished(),
    audit: await audit.result(),
    problems: [...problems, ...lateProblems],
  });
}

/** Stops first what was started last, and goes on if something cannot be stopped. */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}

/** Resolves with what did not go as told. */
async function play(scene: Scene): Promise<readonly string[]> {
  const { options, stage, narrator } = scene;
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
    await journal.waitFor({ type: 'finished', times }, limits);
    narrator.say('runner', 'the period is complete; the schedulers are told to stop');
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

function holdReplyInMidRun({ options, customers, gateway, stage }: Scene): HeldReply {
  const customerId = customers[Math.floor(customers.length / 2)]?.id ?? '';
  const held = gateway.holdReplyTo(idempotencyKeyOf(chargeKey(customerId, options.period)));
  void held.reached.then(() => stage.journal.record({ type: 'held', customerId }));
  return held;
}

/**
 * Asks every scheduler to stop: followers first, since one of them would take a lease that is
 * released. Resolves with what was wrong.
 */
async function dismiss({ stage }: Scene): Promise<readonly string[]> {
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
