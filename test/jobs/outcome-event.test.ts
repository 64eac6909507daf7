import { describe, expect, it } from 'vitest';
import type { JobOutcome, PeriodOutcome } from 'tenure/jobs';
import { isFailure, outcomeEvent } from '../../src/jobs/outcome-event.ts';
import { outcome } from './outcome.ts';

function period(name: string, more: Partial<PeriodOutcome> = {}): PeriodOutcome {
  return {
    period: name,
    end: 'completed',
    unfinished: 0,
    unknown: 0,
    counts: {},
    durationMs: 5,
    ...more,
  };
}

const flapping = { terms: 5, withinMs: 90_000 };

describe('the outcome event', () => {
  it('has what the outcome has, its figures apart from the rest, and what the runtime adds', () => {
    const given = outcome({
      flapping,
      leaseHeadroomMs: 4_000,
      periodLagSeconds: 60,
      periods: [period('2026-10')],
    });
    const event = outcomeEvent(given, { environment: 'prod' });
    const {
      durationMs: _1,
      flapping: _2,
      leaseHeadroomMs: _3,
      periodLagSeconds: _4,
      ...rest
    } = given;
    expect(event).toEqual({
      ...rest,
      event: 'tenure.job.outcome',
      level: 'warn',
      environment: 'prod',
      flappingTerms: flapping,
      figures: {
        periodLagSeconds: 60,
        failures: 0,
        unknownItems: 0,
        unfinishedItems: 0,
        periodsCompleted: 1,
        flapping: 1,
        leaseHeadroomMs: 4_000,
        durationMs: 12,
      },
    });
    const names = Object.keys(event.figures);
    expect(names.filter((name) => name in event)).toEqual([]);
  });

  it('has no figure that is not known', () => {
    const { figures } = outcomeEvent(outcome(), {});
    expect(figures).not.toHaveProperty('periodLagSeconds');
    expect(figures).not.toHaveProperty('leaseHeadroomMs');
    expect(outcomeEvent(outcome(), {})).not.toHaveProperty('flappingTerms');
  });

  it('lets the runtime replace nothing', () => {
    const event = outcomeEvent(outcome(), {
      job: 'other',
      event: 'other',
      level: 'debug',
      figures: {},
    });
    expect(event).toMatchObject({
      job: 'billing',
      event: 'tenure.job.outcome',
      level: 'info',
      figures: { failures: 0 },
    });
  });

  it('adds up what sweeps left, and counts periods that rest with unknown items as one each', () => {
    const periods = [
      period('2026-07', { end: 'stuck', unknown: 4 }),
      period('2026-08', { end: 'unfinished', unfinished: 2, unknown: 3 }),
      period('2026-09'),
      { period: '2026-10', end: 'paused', counts: {}, durationMs: 1 } as const,
    ];
    const stuck = ['2026-06', '2026-07', '2026-10'];
    expect(outcomeEvent(outcome({ periods, stuck }), {}).figures).toMatchObject({
      unknownItems: 4 + 3 + 2,
      unfinishedItems: 2,
      periodsCompleted: 1,
    });
  });

  it('stays a line that Application Insights takes, whatever the texts of others contain', () => {
    const odd = '\u0001'.repeat(2_000);
    const counts = Object.fromEntries(
      Array.from('abcdef', (name) => [name.repeat(12), 99_999_999] as const),
    );
    const most = { unfinished: Number.MAX_SAFE_INTEGER, unknown: Number.MAX_SAFE_INTEGER };
    const long = { end: 'unfinished', ...most, counts, durationMs: 999_999 } as const;
    const names = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(16, 'x'));
    const place = '"'.repeat(256);
    const event = outcomeEvent(
      outcome({
        job: '\u0001'.repeat(64),
        lease: place,
        identity: place,
        leader: odd,
        status: 'failed',
        reason: 'work',
        error: { name: odd, message: odd, code: odd, cause: odd },
        periods: names.map((name) => period(name, long)),
        incomplete: names.slice(0, 20),
        stuck: names.slice(0, 16),
      }),
      { environment: place, functionName: 'x'.repeat(128) },
      Array.from({ length: 20 }, () => odd),
    );
    const text = JSON.stringify(event);
    expect(text.length).toBeLessThan(32_768);
    expect(event.periods).toHaveLength(40);
    expect(event.incomplete).toHaveLength(20);
    expect(event.warnings).toHaveLength(8);
    expect(event.error).toEqual({
      name: '\u0001'.repeat(83),
      message: '\u0001'.repeat(333),
      code: '\u0001'.repeat(83),
      cause: '\u0001'.repeat(333),
    });
    // Figures are of all periods, also of those that are not named.
    expect(event.figures.unfinishedItems).toBe(50 * Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['letters', 'x', 2_000],
    ['quotes', '"', 1_000],
    ['emoji, whole', '🦊', 1_000],
    ['halves of emoji', '\ud83e', 333],
  ])('cuts a message of %s by its length as JSON', (_, character, count) => {
    const error = { name: 'Error', message: character.repeat(3_000) };
    const event = outcomeEvent(outcome({ status: 'failed', reason: 'work', error }), {});
    expect(event.error?.message).toBe(character.repeat(count));
  });

  it('leaves texts as they are that fit', () => {
    const error = { name: 'Error', message: 'x'.repeat(2_000), code: 'E"1' };
    const given = outcome({ status: 'failed', reason: 'work', error, leader: 'b/7' });
    expect(outcomeEvent(given, {}, ['a warning'])).toMatchObject({
      error,
      leader: 'b/7',
      warnings: ['a warning'],
    });
  });

  it.each<[string, Partial<JobOutcome>]>([
    ['info', {}],
    ['info', { status: 'idle', reason: 'nothing-due' }],
    ['info', { status: 'idle', reason: 'not-due' }],
    ['info', { status: 'followed', reason: 'held' }],
    ['info', { status: 'followed', reason: 'cannot-age' }],
    ['info', { reason: 'paused' }],
    ['warn', { status: 'idle', reason: 'stuck', stuck: ['2026-10'] }],
    ['warn', { status: 'idle', reason: 'too-many-open' }],
    [
      'warn',
      { reason: 'unfinished', periods: [period('2026-10', { end: 'unfinished', unfinished: 1 })] },
    ],
    ['warn', { reason: 'stuck', periods: [period('2026-10', { end: 'stuck', unknown: 1 })] }],
    ['warn', { status: 'lost', reason: 'taken-over' }],
    ['warn', { flapping }],
    ['error', { status: 'lost', reason: 'expired' }],
    ['error', { status: 'failed', reason: 'work' }],
    ['error', { status: 'failed', reason: 'aborted' }],
    ['error', { status: 'failed', reason: 'store', stuck: ['2026-10'] }],
  ])('is of level %s for %j', (level, more) => {
    const given = outcome(more);
    expect(outcomeEvent(given, {}).level).toBe(level);
    expect(isFailure(given)).toBe(level === 'error');
    expect(outcomeEvent(given, {}).figures.failures).toBe(level === 'error' ? 1 : 0);
  });
});
