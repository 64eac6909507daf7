import { describe, expect, it } from 'vitest';
import { completed, emptyState, type JobState } from '../../src/jobs/job-state.ts';
import { planPeriods, readyFor } from '../../src/jobs/plan.ts';
import { april, interrupted, job, left, periods, tick } from './plan-bench.ts';

function done(state: JobState, ...names: readonly string[]): JobState {
  return names.reduce((before, name) => completed(before, name, periods), state);
}

describe('planPeriods', () => {
  it('names what is due, oldest first', () => {
    expect(planPeriods(job, emptyState, april)).toEqual({
      periods: ['2026-01', '2026-02', '2026-03'],
      incomplete: ['2026-01', '2026-02', '2026-03'],
      stuck: [],
      passedOver: [],
      lagMs: Date.parse('2026-04-10T00:00:00Z') - Date.parse('2026-02-01T00:00:00Z'),
      completedThrough: undefined,
      idle: undefined,
    });
  });

  it('names at most as many as one invocation may work for, and reports all', () => {
    const plan = planPeriods({ ...job, maxPeriodsPerRun: 2 }, emptyState, april);
    expect(plan.periods).toEqual(['2026-01', '2026-02']);
    expect(plan.incomplete).toHaveLength(3);
  });

  it('is idle before the first period is due, and where all that are due are complete', () => {
    expect(planPeriods(job, emptyState, tick('2026-01-31T12:00:00Z'))).toMatchObject({
      periods: [],
      incomplete: [],
      lagMs: 0,
      idle: 'nothing-due',
    });
    const all = done(emptyState, '2026-01', '2026-02', '2026-03');
    expect(planPeriods(job, all, april)).toMatchObject({
      periods: [],
      lagMs: 0,
      completedThrough: '2026-03',
      idle: 'nothing-due',
    });
  });

  it('fills the gap that was left between complete periods', () => {
    const plan = planPeriods(job, done(emptyState, '2026-01', '2026-03'), april);
    expect(plan).toMatchObject({ periods: ['2026-02'], completedThrough: '2026-01' });
  });

  it('goes on with an interrupted period in its turn', () => {
    const plan = planPeriods(job, interrupted(done(emptyState, '2026-01'), '2026-02'), april);
    expect(plan.periods).toEqual(['2026-02', '2026-03']);
  });

  it('goes by the nominal time and not by the clock', () => {
    const late = { ...tick('2026-02-01T00:00:00Z'), wallMs: Date.parse('2026-05-01T00:00:00Z') };
    expect(planPeriods(job, emptyState, late).periods).toEqual(['2026-01']);
  });

  it('takes up what a sweep left unfinished after what is new', () => {
    const state = left(emptyState, '2026-01', { unfinished: 2, unknown: 1 });
    const plan = planPeriods(job, state, april);
    expect(plan.periods).toEqual(['2026-02', '2026-03', '2026-01']);
    expect(plan.incomplete).toEqual(['2026-01', '2026-02', '2026-03']);
    expect(plan.stuck).toEqual([]);
    const one = planPeriods({ ...job, maxPeriodsPerRun: 1 }, state, april);
    expect(one.periods).toEqual(['2026-02']);
  });

  it('takes up first what was left unfinished for longest, so that none starves another', () => {
    const early = left(emptyState, '2026-02', { unfinished: 1, at: '2026-04-09T00:00:00Z' });
    const state = left(early, '2026-01', { unfinished: 1, at: '2026-04-09T00:15:00Z' });
    const plan = planPeriods({ ...job, maxPeriodsPerRun: 1 }, done(state, '2026-03'), april);
    expect(plan.periods).toEqual(['2026-02']);
  });
});

describe('a stuck period', () => {
  const at = '2026-04-10T00:00:00Z';
  const stuck = left(done(emptyState, '2026-02', '2026-03'), '2026-01', { unknown: 3, at });

  it.each([
    ['2026-04-10T00:00:00Z', []],
    ['2026-04-10T00:59:59Z', []],
    ['2026-04-10T01:00:00Z', ['2026-01']],
    ['2026-04-12T00:00:00Z', ['2026-01']],
  ])('is reported at each tick and swept at most hourly: %s', (instant, expected) => {
    const plan = planPeriods(job, stuck, tick(instant));
    expect(plan.periods).toEqual(expected);
    expect(plan).toMatchObject({ incomplete: ['2026-01'], stuck: ['2026-01'] });
    expect(plan.idle).toBe(expected.length === 0 ? 'stuck' : undefined);
  });

  it('is swept when the clock was set back behind its last sweep', () => {
    expect(planPeriods(job, stuck, tick('2026-04-09T00:00:00Z')).periods).toEqual(['2026-01']);
  });

  it('comes after what is new and what is unfinished, and is not counted with them', () => {
    const both = left(emptyState, '2026-01', { unknown: 1, at: '2026-04-09T00:00:00Z' });
    const plan = planPeriods({ ...job, maxPeriodsPerRun: 2 }, both, april);
    expect(plan.periods).toEqual(['2026-02', '2026-03', '2026-01']);
    const unfinished = left(both, '2026-02', { unfinished: 1 });
    expect(planPeriods(job, unfinished, april).periods).toEqual(['2026-03', '2026-02', '2026-01']);
  });

  it('waits while a new period must wait', () => {
    const state = left(emptyState, '2026-01', { unknown: 1, at: '2026-04-09T00:00:00Z' });
    const plan = planPeriods({ ...job, maxPeriodsPerRun: 1 }, state, april);
    expect(plan).toMatchObject({ periods: ['2026-02'], stuck: ['2026-01'] });
  });
});

describe('a period that is asked for by name', () => {
  it('is the only one', () => {
    const plan = planPeriods(job, emptyState, tick('2026-04-10T00:00:00Z', '2026-02'));
    expect(plan).toMatchObject({ periods: ['2026-02'], idle: undefined });
    expect(plan.incomplete).toEqual(['2026-01', '2026-02', '2026-03']);
  });

  it('is refused if it is complete, or not due by the clock', () => {
    const state = done(emptyState, '2026-01');
    const asked = (period: string): unknown =>
      planPeriods(job, state, tick('2026-04-10T00:00:00Z', period));
    expect(asked('2026-01')).toMatchObject({ periods: [], idle: 'already-complete' });
    expect(asked('2026-04')).toMatchObject({ periods: [], idle: 'not-due' });
    const ended = { ...tick('2026-05-01T00:00:00Z', '2026-04') };
    expect(planPeriods(job, state, ended)).toMatchObject({ periods: ['2026-04'] });
  });

  it('may be stuck and swept a minute ago: a person asks', () => {
    const state = left(emptyState, '2026-01', { unknown: 1, at: '2026-04-10T00:00:00Z' });
    const plan = planPeriods(job, state, tick('2026-04-10T00:01:00Z', '2026-01'));
    expect(plan.periods).toEqual(['2026-01']);
  });

  it('may be before startFrom, and is finished by later ticks if it was interrupted or left open', () => {
    const before = tick('2026-04-10T00:00:00Z', '2025-06');
    expect(planPeriods(job, emptyState, before).periods).toEqual(['2025-06']);
    const half = planPeriods(job, interrupted(emptyState, '2025-06'), april);
    expect(half.periods).toEqual(['2025-06', '2026-01', '2026-02', '2026-03']);
    const open = planPeriods(job, left(emptyState, '2025-06', { unfinished: 1 }), april);
    expect(open.periods).toEqual(['2026-01', '2026-02', '2026-03', '2025-06']);
    const all = done(emptyState, '2026-01', '2026-02', '2026-03', '2025-06');
    expect(planPeriods(job, all, april)).toMatchObject({
      idle: 'nothing-due',
      completedThrough: '2026-03',
    });
  });

  it('takes the turn of an interrupted one, which stays begun', () => {
    const state = interrupted(interrupted(emptyState, '2026-03'), '2025-06');
    const latest = { ...job, catchUp: 'latest' } as const;
    const plan = planPeriods(latest, state, tick('2026-05-01T00:00:00Z'));
    expect(plan.periods).toEqual(['2025-06', '2026-04', '2026-03']);
    expect(plan.passedOver).toEqual(['2026-01', '2026-02']);
  });
});

describe('a startFrom that was moved', () => {
  const state = done(emptyState, '2026-01', '2026-02');

  it('to an earlier period makes those due that are not complete', () => {
    const plan = planPeriods({ ...job, startFrom: '2025-11' }, state, april);
    expect(plan).toMatchObject({ periods: ['2025-11', '2025-12', '2026-03'] });
    expect(plan.completedThrough).toBeUndefined();
    const filled = done(state, '2025-11', '2025-12', '2026-03');
    expect(planPeriods({ ...job, startFrom: '2025-11' }, filled, april)).toMatchObject({
      idle: 'nothing-due',
      completedThrough: '2026-03',
    });
  });

  it('to a later one leaves out what nobody has begun, and finishes the rest', () => {
    const gap = left(done(emptyState, '2026-01'), '2026-02', { unfinished: 1 });
    const later = { ...job, startFrom: '2026-05' };
    const plan = planPeriods(later, gap, tick('2026-06-02T00:00:00Z'));
    expect(plan).toMatchObject({ periods: ['2026-05', '2026-02'], completedThrough: undefined });
    const inside = { ...job, startFrom: '2026-02' };
    expect(planPeriods(inside, state, april)).toMatchObject({
      periods: ['2026-03'],
      completedThrough: '2026-02',
    });
  });
});

describe('a record that is full', () => {
  it('keeps nothing waiting that was begun: what would be passed over is passed over later', () => {
    // Every other month was asked for by name, so that passing over fills gaps with many ranges.
    const gaps = Array.from({ length: 16 }, (_, index) => 2 * index + 1);
    const named = (month: number): string =>
      new Date(Date.UTC(2026, month)).toISOString().slice(0, 7);
    const open = gaps.reduce((state, gap) => left(state, named(gap), { unknown: 1 }), emptyState);
    const before = Array.from({ length: 26 }, (_, index) => named(-3 * index - 20));
    const state = done(open, ...before);
    const lazy = { ...job, catchUp: 'latest' } as const;
    const plan = planPeriods(lazy, state, tick('2028-09-01T00:00:00Z'));
    expect(plan.passedOver).toHaveLength(16);
    expect(plan.incomplete.at(-1)).toBe('2028-08');
    expect(readyFor(lazy, state, plan, '2028-08')).toBe(state);
  });

  /** Sixteen periods that only unknown items are left of. */
  const full = Array.from({ length: 16 }, (_, month) => month).reduce((state, month) => {
    const period = new Date(Date.UTC(2026, month)).toISOString().slice(0, 7);
    return left(state, period, { unknown: 1, at: '2027-05-01T00:00:00Z' });
  }, emptyState);

  it('has no room for another, and says so', () => {
    const plan = planPeriods(job, full, tick('2027-06-01T00:30:00Z'));
    expect(plan.incomplete).toHaveLength(17);
    const soon = planPeriods(job, full, tick('2027-05-01T00:30:00Z'));
    expect(soon).toMatchObject({ periods: [], idle: 'stuck' });
    const fresh = { ...tick('2027-06-01T00:00:00Z'), wallMs: Date.parse('2027-05-01T00:30:00Z') };
    expect(planPeriods(job, full, fresh)).toMatchObject({ periods: [], idle: 'too-many-open' });
    const asked = tick('2027-06-01T00:00:00Z', '2027-05');
    expect(planPeriods(job, full, asked)).toMatchObject({ periods: [], idle: 'too-many-open' });
  });

  it('sweeps what is stuck all the same, from which room comes', () => {
    const plan = planPeriods(job, full, tick('2027-06-01T00:30:00Z'));
    expect(plan.periods).toEqual(plan.stuck);
    expect(plan.periods).toHaveLength(16);
    const roomier = done(full, '2026-05');
    expect(planPeriods(job, roomier, tick('2027-06-01T00:30:00Z')).periods[0]).toBe('2027-05');
  });
});
