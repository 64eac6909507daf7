import { beforeEach, describe, expect, it } from 'vitest';
import { StepMeter } from '../../src/core/step-meter.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

describe('StepMeter', () => {
  let clock: ManualClock;
  let meter: StepMeter;

  beforeEach(() => {
    clock = new ManualClock();
    meter = new StepMeter(clock);
  });

  it('knows no step before the first has ended', () => {
    clock.block(500);
    expect(meter.longestMs).toBe(0);
  });

  it('keeps the longest step, the first one included', () => {
    const seen = [300, 700, 100].map((ms) => {
      clock.block(ms);
      meter.endStep();
      return meter.longestMs;
    });
    expect(seen).toEqual([300, 700, 700]);
  });

  it('leaves out the time that a checkpoint takes', () => {
    clock.block(300);
    meter.endStep();
    clock.block(5_000);
    meter.beginStep();
    clock.block(200);
    meter.endStep();
    expect(meter.longestMs).toBe(300);
  });

  it('counts a freeze that only the wall clock saw', () => {
    clock.advanceWall(900);
    meter.endStep();
    expect(meter.longestMs).toBe(900);
  });

  it('leaves out what a long operation covers', () => {
    clock.block(100);
    meter.beginCover();
    clock.block(8_000);
    meter.endCover();
    clock.block(50);
    meter.endStep();
    expect(meter.longestMs).toBe(150);
  });

  it('leaves out the time that overlapping operations cover once, not twice', () => {
    meter.beginCover();
    clock.block(1_000);
    meter.beginCover();
    clock.block(1_000);
    meter.endCover();
    clock.block(1_000);
    meter.endCover();
    clock.block(70);
    meter.endStep();
    expect(meter.longestMs).toBe(70);
  });

  it('leaves out operations one after the other', () => {
    for (let operation = 0; operation < 3; operation += 1) {
      meter.beginCover();
      clock.block(1_000);
      meter.endCover();
      clock.block(10);
    }
    meter.endStep();
    expect(meter.longestMs).toBe(30);
  });

  it('splits an operation that runs over a checkpoint between two steps', () => {
    clock.block(10);
    meter.beginCover();
    clock.block(1_000);
    meter.endStep();
    expect(meter.longestMs).toBe(10);
    meter.beginStep();
    clock.block(2_000);
    meter.endCover();
    clock.block(40);
    meter.endStep();
    expect(meter.longestMs).toBe(40);
  });

  it('counts again in full after an operation', () => {
    meter.beginCover();
    clock.block(1_000);
    meter.endCover();
    meter.endStep();
    clock.block(600);
    meter.endStep();
    expect(meter.longestMs).toBe(600);
  });
});
