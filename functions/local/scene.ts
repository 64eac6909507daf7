import { setTimeout as sleep } from 'node:timers/promises';
import { idempotencyKeyOf } from 'tenure/ledger';
import { chargeKey } from '../billing/charge-key.ts';
import type { Customer } from '../billing/customers.ts';
import type { DemoStore } from './demo-store.ts';
import type { Cast, Stage } from './faults.ts';
import { Journal } from './journal.ts';
import { Narrator } from './narrator.ts';
import type { RunOptions } from './options.ts';
import { startPaymentGateway, type RunningGateway } from './payment-gateway.ts';
import { startScheduler } from './scheduler-process.ts';
import { StoreAudit } from './store-audit.ts';
import { storeKinds } from './store-kinds.ts';
import { openStoreLine } from './store-line.ts';

/** Token of the first term. */
const firstToken = 33;

/** What has to be closed at the end, in the order in which it was opened. */
export type Closers = (() => Promise<void>)[];

/** What a run is made of. */
export interface Plan {
  readonly options: RunOptions;
  readonly customers: readonly Customer[];
  /** Where the schedulers read the same customers. */
  readonly customersFile: string;
  readonly print: (line: string) => void;
  /** Ends the run early; everything that was started is stopped all the same. */
  readonly signal: AbortSignal;
}

/** Everything that is running. */
export interface Scene extends Plan {
  readonly store: DemoStore;
  readonly gateway: RunningGateway;
  readonly audit: StoreAudit;
  readonly narrator: Narrator;
  readonly stage: Stage & { readonly cast: Map<string, Cast> };
}

/** Starts everything but the schedulers. What it has started is in `closers`, also if it fails. */
export async function setUp(plan: Plan, closers: Closers): Promise<Scene> {
  const { options, customers, print } = plan;
  const { leaseMs } = options;
  const startedAtMs = performance.now();
  const nowMs = (): number => performance.now() - startedAtMs;
  const journal = new Journal();
  const narrator = new Narrator({ customers: customers.length, leaseMs, nowMs, print });
  journal.subscribe((event) => narrator.tell(event));
  const store = await storeKinds[options.store].open(options.endpoint, plan.signal);
  closers.push(() => store.close());
  const chargedAgain = options.gateway === 'forgetful';
  const keyOf = (customerId: string): string =>
    idempotencyKeyOf(chargeKey(customerId, options.period));
  const gateway = await startPaymentGateway({
    honoursKeys: !chargedAgain,
    latencyMs: chargeLatencyMs(leaseMs, customers.length),
    onRepeated: (key) => {
      const customerId = customers.find(({ id }) => keyOf(id) === key)?.id ?? key;
      journal.record({ type: 'repeated', customerId, chargedAgain });
    },
  });
  closers.push(() => gateway.close());
  const audit = new StoreAudit({ store, journal, nowMs });
  const signal = endOf(plan.signal, journal);
  const stage = {
    journal,
    cast: new Map<string, Cast>(),
    leaseMs,
    nowMs,
    pause: (ms: number): Promise<void> => sleep(ms, undefined, { signal }),
    limits: { timeoutMs: stepWithinMs(leaseMs, customers.length), signal },
  };
  closers.push(() => clear(stage.cast));
  return { ...plan, store, gateway, audit, narrator, stage };
}

/** Starts the schedulers, each with a way of its own to the store. */
export async function castSchedulers(scene: Scene): Promise<void> {
  const { options, store, audit, stage, narrator } = scene;
  const identities = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, options.schedulers).split('');
  narrator.say('runner', `${identities.join(', ')} start; each of them could run the billing`);
  const lines = await Promise.all(
    identities.map(async (identity) => ({
      identity,
      line: await openStoreLine(identity, store, audit),
    })),
  );
  for (const { identity, line } of lines) {
    const process = startScheduler(
      {
        identity,
        customersFile: scene.customersFile,
        period: options.period,
        gatewayEndpoint: scene.gateway.endpoint,
        gatewayTimeoutMs: 2 * stage.limits.timeoutMs,
        store: options.store,
        access: store.accessBy(line.endpoint),
        leaseMs: options.leaseMs,
        firstToken,
        ...(options.without !== undefined && { without: options.without }),
      },
      stage.journal,
    );
    stage.cast.set(identity, { process, line });
  }
}

/**
 * How long a step of the story may take, in milliseconds: some leases, and up to all customers, who
 * take their time at the store however quick the gateway is.
 */
function stepWithinMs(leaseMs: number, customers: number): number {
  return 10 * leaseMs + 20_000 + 500 * customers;
}

/**
 * How long a charge takes: so long that a run outlasts some renewals, and so short that no step
 * comes near the renew deadline, however many customers there are.
 */
function chargeLatencyMs(leaseMs: number, customers: number): number {
  return Math.round(Math.min(leaseMs / 10, (1.5 * leaseMs) / customers));
}

/** Aborts with `signal`, or as soon as a scheduler ends that nobody asked to. */
function endOf(signal: AbortSignal, journal: Journal): AbortSignal {
  const end = new AbortController();
  signal.addEventListener('abort', () => end.abort(signal.reason), { once: true });
  journal.subscribe((event) => {
    if (event.type === 'exited' && !event.expected) {
      end.abort(new Error(`${event.scheduler} ended while it was needed`));
    }
  });
  return end.signal;
}

/** Ends what is left of the schedulers, then closes their ways to the store. */
async function clear(cast: ReadonlyMap<string, Cast>): Promise<void> {
  for (const { process } of cast.values()) {
    process.kill();
  }
  await Promise.all([...cast.values()].map(({ process }) => process.stop()));
  await Promise.all([...cast.values()].map(({ line }) => line.close()));
}
