import { describe, expect, it } from 'vitest';
import { emptyState } from '../../src/jobs/job-state.ts';
import { planPeriods, readyFor } from '../../src/jobs/plan.ts';
import { april, interrupted, job, left, tick } from './plan-bench.ts';

describe('catchUp', () => {
  const latest = { ...job, catchUp: 'latest' } as const;
  const none = { ...job, catchUp: 'none' } as const;

  it('latest works for the newest due one, and passes over those before it', () => {
    const plan = planPeriods(latest, emptyState, april);
    expect(plan).toMatchObject({
      periods: ['2026-03'],
      incomplete: ['2026-03'],
      passedOver: ['2026-01', '2026-02'],
    });
    expect(readyFor(latest, emptyState, plan, '2026-03')?.settled).toEqual([
      { first: '2026-01', last: '2026-02' },
    ]);
  });

  it.each([
    ['2026-04-01T00:00:00Z', ['2026-03']],
    ['2026-04-01T00:59:59Z', ['2026-03']],
    ['2026-04-01T01:00:00Z', []],
  ])('none begins a period only within an hour: %s', (instant, expected) => {
    const plan = planPeriods(none, emptyState, tick(instant));
    expect(plan.periods).toEqual(expected);
    expect(plan.idle).toBe(expected.length === 0 ? 'nothing-due' : undefined);
    // Nothing is given up before there is something newer to work for.
    expect(plan.passedOver).toEqual(expected.length === 0 ? [] : ['2026-01', '2026-02']);
  });

  it('none begins no period for a trigger that comes days after its nominal time', () => {
    const late = { ...tick('2026-04-01T00:00:00Z'), wallMs: Date.parse('2026-04-05T12:00:00Z') };
    expect(planPeriods(none, emptyState, late)).toMatchObject({ periods: [], idle: 'nothing-due' });
    expect(planPeriods(latest, emptyState, late).periods).toEqual(['2026-03']);
  });

  it.each([latest, none])('$catchUp finishes what was begun', (lazy) => {
    const begun = interrupted(left(emptyState, '2026-01', { unknown: 1 }), '2026-02');
    const plan = planPeriods(lazy, begun, tick('2026-04-20T00:00:00Z'));
    const newest = lazy.catchUp === 'latest' ? ['2026-03'] : [];
    expect(plan.periods).toEqual(['2026-02', ...newest, '2026-01']);
    expect(plan.passedOver).toEqual([]);
  });
});
