/**
 * What goes wrong in a run: each fault strikes the leader while the gateway, which has made a charge
 * already, holds back its reply. That is the worst moment: money has moved and nobody knows yet.
 *
 * @module
 */
import type { EventOf, RunEvent } from './events.ts';
import type { Awaited, Journal } from './journal.ts';
import type { Fault } from './options.ts';
import type { HeldReply } from './payment-gateway.ts';
import type { SchedulerProcess } from './scheduler-process.ts';
import type { StoreLine } from './store-line.ts';

/** A scheduler and its way to the store. */
export interface Cast {
  readonly process: SchedulerProcess;
  readonly line: StoreLine;
}

/** Everything that a fault may touch. */
export interface Stage {
  readonly journal: Journal;
  readonly cast: ReadonlyMap<string, Cast>;
  readonly leaseMs: number;
  /** Milliseconds since an arbitrary origin. */
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Bounds of every wait for the next step. */
  readonly limits: { readonly timeoutMs: number; readonly signal: AbortSignal };
}

/** The moment in which the fault strikes. */
interface Incident extends Cast {
  readonly leader: string;
  readonly fencingToken: number;
  /** Whose charge was made, and is not recorded yet. */
  readonly customerId: string;
  readonly held: HeldReply;
  /** Of the journal, when the fault strikes. */
  readonly position: number;
}

/** Waits for the held reply, lets the fault strike, and plays its story to the end. */
export async function strike(
  fault: Exclude<Fault, 'none'>,
  held: HeldReply,
  stage: Stage,
): Promise<void> {
  const { customerId } = await next(stage, { type: 'held' });
  const first = await next(stage, { type: 'acquired' });
  const { scheduler: leader, fencingToken } = stage.journal.latest('acquired') ?? first;
  const cast = stage.cast.get(leader);
  if (cast === undefined) {
    throw new TypeError(`the lease names ${leader}, which is no scheduler of this run`);
  }
  await stories[fault](stage, {
    ...cast,
    leader,
    fencingToken,
    customerId,
    held,
    position: stage.journal.position,
  });
}

const stories: Readonly<
  Record<Exclude<Fault, 'none'>, (stage: Stage, incident: Incident) => Promise<void>>
> = {
  freeze: async (stage, incident) => {
    const { leader, fencingToken, customerId, held, process: scheduler } = incident;
    const frozenAtMs = stage.nowMs();
    scheduler.freeze();
    tell(stage, `freezes ${leader}. ${customerId} is charged, but ${leader} has not heard of it`);
    await Promise.all([stage.pause(1.1 * stage.leaseMs), successorHasBilled(stage, incident)]);
    const seconds = ((stage.nowMs() - frozenAtMs) / 1_000).toFixed(1);
    tell(
      stage,
      `lets ${leader} go on after ${seconds} s. The reply is there, so ${leader} records ${customerId}, under ${fencingToken}`,
    );
    held.release();
    scheduler.thaw();
    await staleWriteIsJudged(stage, incident);
    await isFollowerAgain(stage, incident);
  },
  kill: async (stage, incident) => {
    incident.process.kill();
    const { leader, customerId } = incident;
    tell(stage, `kills ${leader}. ${customerId} is charged, but not recorded`);
    await successorHasBilled(stage, incident);
    incident.held.release();
  },
  partition: async (stage, incident) => {
    const { leader, customerId, held, line } = incident;
    line.cut('delay');
    held.release();
    tell(
      stage,
      `cuts ${leader} off from the store, not from the gateway. ${customerId} is charged; ${leader}'s record of it is on its way`,
    );
    await successorHasBilled(stage, incident);
    await leaderHasLost(stage, incident);
    await next(stage, { type: 'finished' });
    tell(
      stage,
      `lets ${leader} reach the store again, and with it the requests that it sent meanwhile`,
    );
    line.mend();
    await staleWriteIsJudged(stage, incident);
    await isFollowerAgain(stage, incident);
  },
  outage: async (stage, incident) => {
    const { fencingToken, customerId, held } = incident;
    const lines = [...stage.cast.values()].map(({ line }) => line);
    for (const line of lines) {
      line.cut('swallow');
    }
    held.release();
    tell(
      stage,
      `cuts everybody off from the store. ${customerId} is charged, but cannot be recorded`,
    );
    await Promise.all([stage.pause(2 * stage.leaseMs), leaderHasLost(stage, incident)]);
    tell(stage, 'lets everybody reach the store again');
    for (const line of lines) {
      line.mend();
    }
    await next(stage, { type: 'acquired', where: (term) => term.fencingToken > fencingToken });
  },
};

function tell({ journal }: Stage, text: string): void {
  journal.record({ type: 'staged', text });
}

async function successorHasBilled(stage: Stage, incident: Incident): Promise<void> {
  await next(stage, {
    type: 'row',
    where: ({ customerId, accepted, fencingToken = 0 }) =>
      accepted && customerId === incident.customerId && fencingToken > incident.fencingToken,
  });
}

async function staleWriteIsJudged(stage: Stage, incident: Incident): Promise<void> {
  await next(stage, {
    type: 'row',
    where: ({ scheduler, customerId, stale }) =>
      stale && scheduler === incident.leader && customerId === incident.customerId,
  });
}

async function leaderHasLost(stage: Stage, { leader, position: after }: Incident): Promise<void> {
  await next(stage, { type: 'lost', where: ({ scheduler }) => scheduler === leader, after });
}

async function isFollowerAgain(stage: Stage, incident: Incident): Promise<void> {
  const { leader, position: after } = incident;
  await leaderHasLost(stage, incident);
  await next(stage, { type: 'followed', where: ({ scheduler }) => scheduler === leader, after });
}

function next<Type extends RunEvent['type']>(
  { journal, limits }: Stage,
  awaited: Awaited<Type>,
): Promise<EventOf<Type>> {
  return journal.waitFor(awaited, limits);
}
