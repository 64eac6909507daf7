import { describe, expect, it } from 'vitest';
import { bench, nothingLeft, scheduled, tick } from './lambda-bench.ts';

const template =
  '{"scheduledTime":"<aws.scheduler.scheduled-time>","executionId":"<aws.scheduler.execution-id>","attemptNumber":"<aws.scheduler.attempt-number>","scheduleArn":"<aws.scheduler.schedule-arn>"}';
const requestId = '8476a536-e9f4-11e8-9739-2dfe598c3fcd';

/** As EventBridge sends it for a rule with a schedule. */
const ruleEvent = {
  version: '0',
  id: '89d1a02d-5ec7-412e-82f5-13505f849b41',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '123456789012',
  time: tick,
  region: 'eu-central-1',
  resources: ['arn:aws:events:eu-central-1:123456789012:rule/billing'],
  detail: {},
};

describe('the event of an invocation', () => {
  it('names the nominal time and the ids of the attempt in the input of a schedule', async () => {
    const { handler, context } = bench();
    const outcome = await handler(scheduled, context());
    expect(outcome).toMatchObject({
      status: 'led',
      reason: 'completed',
      trigger: { nominalTime: '2026-11-01T00:05:00.000Z' },
      attempt: {
        awsRequestId: requestId,
        executionId: 'd32c5kddcf5bb8c3',
        attemptNumber: '1',
        scheduleArn: scheduled.scheduleArn,
      },
    });
  });

  it('decides by the nominal time, not by the present one', async () => {
    const { handler, context } = bench();
    // A retry of the last tick of October, delivered in November.
    const late = { ...scheduled, scheduledTime: '2026-10-31T23:55:00Z' };
    expect(await handler(late, context())).toMatchObject({ reason: 'nothing-due', periods: [] });
  });

  it('names the nominal time as the time of a rule event', async () => {
    const { handler, context } = bench();
    const outcome = await handler(ruleEvent, context());
    expect(outcome).toMatchObject({
      status: 'led',
      trigger: { nominalTime: '2026-11-01T00:05:00.000Z' },
      attempt: { awsRequestId: requestId, eventId: ruleEvent.id },
    });
  });

  it('names a period that a person asks for', async () => {
    const periods: string[] = [];
    const { handler, context } = bench({
      run: ({ period }) => {
        periods.push(period);
        return Promise.resolve(nothingLeft);
      },
      job: { startFrom: '2026-08' },
    });
    const outcome = await handler({ period: '2026-09', reason: 'backfill' }, context());
    expect(outcome).toMatchObject({ status: 'led', trigger: { period: '2026-09' } });
    expect(periods).toEqual(['2026-09']);
  });

  it('may have a time some seconds ahead of the clock, and a fraction of a second', async () => {
    const { handler, context } = bench();
    const ahead = { scheduledTime: '2026-11-01T00:06:30.250Z' };
    expect(await handler(ahead, context())).toMatchObject({ status: 'led' });
  });

  it('keeps out of the ids what is none', async () => {
    const { handler, context } = bench();
    const odd = {
      scheduledTime: tick,
      executionId: 'x'.repeat(1_000),
      attemptNumber: 2,
      scheduleArn: '<aws.scheduler.schedule-arn>',
      id: 'of no rule',
    };
    const { attempt } = await handler(odd, context());
    expect(attempt).toEqual({ awsRequestId: requestId, attemptNumber: '2' });
  });

  it.each([
    ['nothing', undefined, 'the event must be an object, got undefined'],
    ['null', null, 'the event must be an object, got null'],
    ['text', tick, 'the event must be an object, got "2026'],
    ['a list', [scheduled], 'the event must be an object, got Array'],
    ['an empty object', {}, 'scheduledTime must be the nominal time of the run, got undefined'],
    ['a rule event without time', { source: 'aws.events' }, 'time must be the nominal time'],
    [
      'what Scheduler sends without an input',
      { ...ruleEvent, source: 'aws.scheduler' },
      'scheduledTime must be the nominal time of the run, got undefined',
    ],
    ['a number', { scheduledTime: 1_793_491_500_000 }, 'got 1793491500000'],
    [
      'a name that was not replaced',
      { scheduledTime: '<aws.scheduler.scheduled-time>' },
      'which only EventBridge Scheduler replaces',
    ],
    ['a time without zone', { scheduledTime: '2026-11-01T00:05:00' }, 'must be a time in UTC'],
    ['a day alone', { scheduledTime: '2026-11-01' }, 'must be a time in UTC'],
    ['a day that is none', { scheduledTime: '2026-02-30T00:00:00Z' }, 'must be a time in UTC'],
    ['an hour that is none', { scheduledTime: '2026-10-01T25:00:00Z' }, 'must be a time in UTC'],
    ['no time at all', { scheduledTime: 'tomorrow' }, 'got "tomorrow"'],
    ['a period that is no text', { period: 202_610 }, 'period must be text, got 202610'],
    ['both', { period: '2026-10', scheduledTime: tick }, 'got both period and scheduledTime'],
    ['both, by a rule', { ...ruleEvent, period: '2026-10' }, 'got both period and time'],
  ])('is a configuration error with the input to paste if it is %s', async (_, event, message) => {
    const { handler, context, line } = bench();
    const error = await handler(event, context()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(error).toMatchObject({ message: expect.stringContaining(template) });
    expect(line()).toMatchObject({ status: 'failed', reason: 'configuration', level: 'error' });
  });

  it('is a configuration error if its time is in the future', async () => {
    const { handler, context, line } = bench();
    const future = { scheduledTime: '2026-12-01T00:00:00Z' };
    await expect(handler(future, context())).rejects.toThrow('must not be in the future');
    expect(line()).toMatchObject({ status: 'failed', reason: 'configuration', periods: [] });
  });

  it('is a configuration error if it names no period of the job', async () => {
    const { handler, context, line } = bench();
    await expect(handler({ period: '2026-13' }, context())).rejects.toThrow('2026-13');
    expect(line()).toMatchObject({ status: 'failed', reason: 'configuration' });
  });
});
