import type { Kernel } from './kernel.ts';
import type { Direction, Network } from './network.ts';
import type { Plan } from './plan.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimProcess } from './sim-process.ts';

/** What the faults of a schedule happen to. */
export interface FaultTargets {
  readonly kernel: Kernel;
  readonly network: Network;
  /** The process that runs on each node now; undefined between a crash and the restart. */
  readonly processOn: (node: number) => SimProcess | undefined;
  readonly start: (node: number) => void;
}

/** Lets a fault happen now and then, for as long as the schedule runs. */
export function scheduleFaults(plan: Plan, random: SeededRandom, targets: FaultTargets): void {
  const { kernel } = targets;
  const next = (): void => {
    kernel.after(random.between(0.2, 1.8) * plan.faultEveryMs, () => {
      const node = drawNode(random, targets);
      const process = targets.processOn(node);
      if (process) {
        strike(plan, random, targets, { node, process });
      }
      next();
    });
  };
  next();
}

/** More often one that leads, since most harm can be done there. */
function drawNode(random: SeededRandom, { processOn }: FaultTargets): number {
  const working = [0, 1, 2].filter((node) => processOn(node)?.isWorking);
  const node = random.whole(0, 2);
  return random.chance(0.5) ? (working[0] ?? node) : node;
}

function strike(
  plan: Plan,
  random: SeededRandom,
  targets: FaultTargets,
  { node, process }: { readonly node: number; readonly process: SimProcess },
): void {
  const draw = plan.weather === 'calm' ? 0 : random.next();
  if (draw < 0.2) {
    crash(random, targets, node, process);
  } else if (draw < 0.6) {
    freeze(plan, random, process);
  } else if (draw < 0.75) {
    moveWall(plan, random, process);
  } else {
    const direction = random.pick<Direction>('requests', 'replies', 'both');
    const ms = random.between(1_000, 25_000);
    process.history.fault(process.name, `cut off (${direction}) for ${Math.round(ms)} ms`);
    targets.network.cut(process.identity, direction, ms);
  }
}

function crash(
  random: SeededRandom,
  { kernel, start }: FaultTargets,
  node: number,
  process: SimProcess,
): void {
  if (random.chance(0.5)) {
    process.crash();
  } else {
    process.strikeAtSend(random.whole(1, 4), () => process.crash());
  }
  kernel.after(random.between(1_000, 30_000), () => {
    process.crash();
    start(node);
  });
}

function freeze(plan: Plan, random: SeededRandom, process: SimProcess): void {
  const { renewDeadlineMs } = process.timing;
  const ms = random.pick(
    random.between(100, renewDeadlineMs),
    random.between(0.4, 1.2) * renewDeadlineMs,
    random.between(1, 2.5) * renewDeadlineMs,
  );
  const stopsMonotonic = plan.suspends && random.chance(0.5);
  if (random.chance(0.5)) {
    process.freeze(ms, { stopsMonotonic });
  } else {
    // Between a request and its reply is where a pause does the most harm.
    process.strikeAtSend(random.whole(1, 3), () => process.freeze(ms, { stopsMonotonic }));
  }
}

function moveWall(plan: Plan, random: SeededRandom, process: SimProcess): void {
  const mayGoBack = plan.weather === 'unbounded' || !plan.suspends;
  const farthestMs = random.pick(5_000, 3_600_000);
  const ms = random.between(mayGoBack ? -farthestMs : 0, farthestMs);
  process.history.fault(process.name, `wall clock moved by ${Math.round(ms)} ms`);
  process.time.moveWall(ms);
}
