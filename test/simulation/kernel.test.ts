import { describe, expect, it } from 'vitest';
import { Kernel } from './kernel.ts';
import { ProcessTime } from './process-time.ts';
import { SeededRandom } from './seeded-random.ts';
import { SimClock } from './sim-clock.ts';

function world(rate = 1): {
  readonly kernel: Kernel;
  readonly time: ProcessTime;
  readonly clock: SimClock;
  readonly host: { alive: boolean; blockedUntilMs: number };
} {
  const kernel = new Kernel(new SeededRandom(1));
  const time = new ProcessTime(kernel, { rate, monotonicOriginMs: 500, wallOffsetMs: 9_000 });
  const host = { alive: true, blockedUntilMs: 0 };
  return { kernel, time, clock: new SimClock(kernel, time, host), host };
}

describe('Kernel', () => {
  it('lets events happen in the order of true time', async () => {
    const { kernel } = world();
    const random = new SeededRandom(7);
    const happened: number[] = [];
    for (let event = 0; event < 500; event += 1) {
      kernel.after(random.whole(0, 100), () => happened.push(kernel.nowMs));
    }
    await kernel.run(100, () => {});
    expect(happened).toHaveLength(500);
    expect(happened).toEqual(happened.toSorted((one, other) => one - other));
  });

  it('holds back the events of a blocked process and drops those of a dead one', async () => {
    const { kernel, host } = world();
    const happened: (readonly [string, number])[] = [];
    const note = (what: string) => () => {
      happened.push([what, kernel.nowMs]);
    };
    kernel.after(10, note('timer'), host);
    kernel.after(10, note('elsewhere'));
    host.blockedUntilMs = 50;
    kernel.onResume(host, note('rest of the stretch'));
    kernel.after(60, () => {
      host.alive = false;
    });
    kernel.after(70, note('after the crash'), host);
    await kernel.run(100, () => {});
    expect(happened).toEqual([
      ['elsewhere', 10],
      ['rest of the stretch', 50],
      ['timer', 50],
    ]);
  });
});

describe('SimClock', () => {
  it('runs at its own rate, and its timers with it', async () => {
    const { kernel, clock } = world(2);
    let wokenAtMs = 0;
    void clock.sleep(100).then(() => {
      wokenAtMs = kernel.nowMs;
    });
    await kernel.run(1_000, () => {});
    expect(wokenAtMs).toBeCloseTo(50, 1);
    expect(clock.monotonicMs()).toBeCloseTo(500 + 2 * wokenAtMs);
    expect(clock.wallMs()).toBeCloseTo(9_000 + 2 * wokenAtMs);
  });

  it('stands still on the monotonic side alone while suspended', async () => {
    const { kernel, clock, time } = world();
    let wokenAtMs = 0;
    void clock.sleep(100).then(() => {
      wokenAtMs = kernel.nowMs;
    });
    kernel.after(40, () => time.stopMonotonic(1_000));
    await kernel.run(5_000, () => {});
    expect(wokenAtMs).toBeCloseTo(1_100, 1);
    expect(clock.monotonicMs()).toBeCloseTo(600, 1);
    expect(clock.wallMs()).toBeCloseTo(10_100, 1);
  });

  it('forgets a sleep that is aborted', async () => {
    const { kernel, clock } = world();
    const controller = new AbortController();
    const slept = clock.sleep(100, controller.signal).catch((error: unknown) => error);
    kernel.after(10, () => controller.abort('stop'));
    await kernel.run(5_000, () => {});
    expect(await slept).toBe('stop');
    expect(clock.pendingSleeps).toBe(0);
    expect(kernel.nowMs).toBe(10);
  });
});
