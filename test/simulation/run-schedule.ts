import { createElection, recordLeaseStore } from '../../src/index.ts';
import type { LeaseStore } from '../../src/core/lease-store.ts';
import type { RecordStore } from '../../src/core/record-store.ts';
import { MemoryExpiringStore } from '../../src/stores/memory/expiring-store.ts';
import { MemoryRecordStore } from '../../src/stores/memory/record-store.ts';
import { liveAsCandidate } from './candidate-script.ts';
import { scheduleFaults } from './fault-script.ts';
import { atomicGuard, GuardedResource, type Guard } from './guarded-resource.ts';
import { History } from './history.ts';
import { Kernel } from './kernel.ts';
import { leaseName, LeaseServer, lookAtLease, lookAtRecord } from './lease-server.ts';
import { Network } from './network.ts';
import { drawClocks, drawPlan, type Plan } from './plan.ts';
import { ProcessTime } from './process-time.ts';
import { RemoteLeaseStore } from './remote-lease-store.ts';
import { RemoteRecords } from './remote-records.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimClock } from './sim-clock.ts';
import { SimProcess } from './sim-process.ts';
import type { Done } from './work-script.ts';

/** What a schedule is run with in place of the correct parts. */
export interface BrokenParts {
  /** Changes the table, at the store's side. */
  readonly records?: (records: RecordStore) => RecordStore;
  /** Changes what a process sees of the table. */
  readonly client?: (records: RecordStore) => RecordStore;
  readonly guard?: (kernel: Kernel) => Guard;
}

/** A schedule that has run. */
export interface RunSchedule {
  readonly seed: number;
  readonly plan: Plan;
  readonly history: History;
}

/** Runs the schedule of a seed. The same seed gives the same history. */
export async function runSchedule(seed: number, broken: BrokenParts = {}): Promise<RunSchedule> {
  const random = new SeededRandom(seed);
  const plan = drawPlan(random);
  const kernel = new Kernel(random.fork());
  const history = new History(() => kernel.nowMs);
  // Nobody reads the traces of the thousands of errors here, and they take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await new Schedule({ random, plan, kernel, history, broken }).run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return { seed, plan, history };
}

interface ScheduleParts {
  readonly random: SeededRandom;
  readonly plan: Plan;
  readonly kernel: Kernel;
  readonly history: History;
  readonly broken: BrokenParts;
}

/** Three nodes, a store, a guarded resource, and a network between them. */
class Schedule {
  readonly #parts: ScheduleParts;
  readonly #network: Network;
  readonly #resource: GuardedResource;
  readonly #storeFor: (process: SimProcess) => LeaseStore;
  readonly #processes: SimProcess[][] = [[], [], []];

  constructor(parts: ScheduleParts) {
    const { random, plan, kernel, history, broken } = parts;
    this.#parts = parts;
    this.#network = new Network(kernel, random.fork(), plan.network);
    this.#resource = new GuardedResource(broken.guard?.(kernel) ?? atomicGuard, history);
    this.#storeFor = this.#makeStore();
  }

  async run(): Promise<void> {
    const { kernel, plan, random } = this.#parts;
    for (const node of this.#processes.keys()) {
      this.#start(node);
    }
    scheduleFaults(plan, random.fork(), {
      kernel,
      network: this.#network,
      processOn: (node) => this.#current(node),
      start: (node) => this.#start(node),
    });
    await kernel.run(plan.endMs, () => {
      if (plan.probes) {
        for (const node of this.#processes.keys()) {
          this.#current(node)?.probe();
        }
      }
    });
  }

  #current(node: number): SimProcess | undefined {
    const process = this.#processes[node]?.at(-1);
    return process?.alive ? process : undefined;
  }

  #start(node: number): void {
    const { kernel, history, random, plan } = this.#parts;
    const timing = plan.timings[node];
    const processes = this.#processes[node];
    const identity = 'abc'[node];
    if (!timing || !processes || identity === undefined) {
      throw new RangeError(`node must be 0 to 2, got ${node}`);
    }
    const process = new SimProcess({
      kernel,
      history,
      random: random.fork(),
      timing,
      clocks: drawClocks(random, plan.weather),
      identity,
      restarts: processes.length,
    });
    processes.push(process);
    history.fault(process.name, 'start');
    const election = createElection<Done>({
      store: this.#storeFor(process),
      lease: leaseName,
      identity,
      timing,
      firstToken: 33,
      clock: process.clock,
      random: () => process.random.next(),
      observer: (event) => {
        const fencingToken = 'fencingToken' in event ? event.fencingToken : undefined;
        const detail = event.type === 'lost' ? event.reason : '';
        const atMs = kernel.nowMs;
        const { name } = process;
        history.add({
          type: 'report',
          atMs,
          process: name,
          event: event.type,
          fencingToken,
          detail,
        });
      },
    });
    const place = { process, network: this.#network, resource: this.#resource };
    void liveAsCandidate(place, election, plan.weather === 'calm');
  }

  #makeStore(): (process: SimProcess) => LeaseStore {
    const { random, plan, kernel, broken } = this.#parts;
    const host = { alive: true, blockedUntilMs: 0 };
    const time = new ProcessTime(kernel, drawClocks(random, plan.weather));
    const clock = new SimClock(kernel, time, host);
    if (plan.expiry === 'store') {
      const store = new MemoryExpiringStore(clock);
      const server = new LeaseServer(
        () => lookAtLease(store),
        () => clock.monotonicMs(),
      );
      return (process) => new RemoteLeaseStore(store, server, this.#network, process);
    }
    const memory = new MemoryRecordStore();
    const records = broken.records?.(memory) ?? memory;
    const server = new LeaseServer(
      () => lookAtRecord(memory),
      () => clock.monotonicMs(),
    );
    return (process) => {
      const remote = new RemoteRecords(records, server, this.#network, process);
      return recordLeaseStore(broken.client?.(remote) ?? remote);
    };
  }
}
