import { describe, expect, it } from 'vitest';
import { createElection, StaleTokenError, StoreUnavailableError, type LeaseStore } from 'tenure';
import { defineJob, monthly } from 'tenure/jobs';
import { lambdaHandler, type LambdaHandlerOptions } from 'tenure/aws-lambda';
import { memoryLeaseStore } from 'tenure/memory';
import { bench, nothingLeft, scheduled } from './lambda-bench.ts';

describe('lambdaHandler', () => {
  it('returns the outcome of a run that led', async () => {
    const { handler, context, outcomes } = bench();
    const outcome = await handler(scheduled, context());
    expect(outcome).toMatchObject({ status: 'led', reason: 'completed', incomplete: [] });
    expect(outcomes).toEqual([outcome]);
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
  });

  it('returns when nothing is due', async () => {
    const { handler, context, lines } = bench();
    await handler(scheduled, context());
    expect(await handler(scheduled, context())).toMatchObject({
      status: 'idle',
      reason: 'nothing-due',
      periodLagSeconds: 0,
    });
    expect(lines).toHaveLength(2);
  });

  it('returns when another leads', async () => {
    const { handler, context, store, clock, line } = bench({ wait: 'none' });
    const rival = createElection({ store, lease: 'billing', identity: 'rival', clock });
    await rival.lead(async () => {
      const outcome = await handler(scheduled, context());
      expect(outcome).toMatchObject({ status: 'followed', reason: 'held', leader: 'rival' });
    });
    expect(line()).toMatchObject({ level: 'info', failures: 0, periodLagSeconds: 300 });
  });

  it('returns when the budget is spent, and says so to the run in time to save', async () => {
    let leftMs = 60_000;
    const { handler, context, line } = bench({
      run: async (run) => {
        leftMs = 5_000;
        await run.checkpoint('customer 7');
        return nothingLeft;
      },
    });
    const outcome = await handler(scheduled, context({ getRemainingTimeInMillis: () => leftMs }));
    expect(outcome).toMatchObject({ status: 'led', reason: 'paused', incomplete: ['2026-10'] });
    expect(line()).toMatchObject({ level: 'info', failures: 0 });
  });

  it.each([0, -5, Number.NaN])('takes %d ms left as nothing left', async (spentMs) => {
    let leftMs = 60_000;
    const { handler, context } = bench({
      run: async (run) => {
        leftMs = spentMs;
        await run.checkpoint();
        return nothingLeft;
      },
    });
    const outcome = await handler(scheduled, context({ getRemainingTimeInMillis: () => leftMs }));
    expect(outcome).toMatchObject({ status: 'led', reason: 'paused' });
  });

  it('returns when the lease was lost to another holder', async () => {
    const { handler, context, line } = bench({
      run: ({ leadership: { fencingToken } }) => {
        const tokens = { fencingToken, highestToken: fencingToken + 1 };
        throw new StaleTokenError('refused', { store: 'charges', ...tokens });
      },
    });
    const outcome = await handler(scheduled, context());
    expect(outcome).toMatchObject({ status: 'lost', reason: 'taken-over' });
    expect(line()).toMatchObject({ status: 'lost', level: 'warn', failures: 0 });
  });

  it('rejects when the lease ran out over the work, since a retry must go on', async () => {
    const { handler, context, clock, line, outcomes } = bench({
      run: async (run) => {
        clock.block(20_000);
        await run.checkpoint();
        return nothingLeft;
      },
    });
    await expect(handler(scheduled, context())).rejects.toMatchObject({
      code: 'LEASE_LOST',
      reason: 'expired',
      message: expect.stringContaining('another invocation must go on'),
    });
    expect(line()).toMatchObject({
      status: 'lost',
      reason: 'expired',
      level: 'error',
      failures: 1,
      leaseHeadroomMs: expect.any(Number),
      periods: [{ period: '2026-10', end: 'lost' }],
    });
    expect(outcomes).toHaveLength(1);
  });

  it('rejects with the very error that the run threw', async () => {
    const broken = new Error('the gateway is down');
    const { handler, context, line, outcomes } = bench({ run: () => Promise.reject(broken) });
    const error = await handler(scheduled, context()).catch((thrown: unknown) => thrown);
    expect(error).toBe(broken);
    expect(line()).toMatchObject({
      status: 'failed',
      reason: 'work',
      failures: 1,
      periodLagSeconds: 300,
      error: { name: 'Error', message: 'the gateway is down' },
    });
    expect(outcomes).toHaveLength(1);
  });

  it('rejects when the store cannot be asked, and knows no lag then', async () => {
    const down = new StoreUnavailableError('no contact', { store: 'memory' });
    const store: LeaseStore = { ...storeOf(), look: () => Promise.reject(down) };
    const { handler, context, line } = bench({ store });
    await expect(handler(scheduled, context())).rejects.toBe(down);
    expect(line()).toMatchObject({ status: 'failed', reason: 'store', failures: 1 });
    expect(line()).not.toHaveProperty('periodLagSeconds');
  });

  it.each([
    ['has less than the reserve', { getRemainingTimeInMillis: () => 3_000 }, 'got 3000 ms'],
    ['has the reserve alone', { getRemainingTimeInMillis: () => 5_000 }, 'got 5000 ms'],
    ['does not know its time', { getRemainingTimeInMillis: () => Number.NaN }, 'got NaN ms'],
  ])('rejects when an invocation %s at its start', async (_, changes, message) => {
    const { handler, context, line } = bench();
    const failing = handler(scheduled, context(changes));
    await expect(failing).rejects.toThrow(`more than reserveMs (5000), ${message}`);
    expect(line()).toMatchObject({ status: 'failed', reason: 'configuration', failures: 1 });
  });

  it.each([undefined, null, {}])('rejects when the context is %o', async (context) => {
    const { handler, line } = bench();
    await expect(handler(scheduled, context as never)).rejects.toThrow('context');
    expect(line()).toMatchObject({ reason: 'configuration', identity: 'aws:-:-:-' });
  });

  it.each([
    ['store', { store: undefined }, TypeError],
    ['leaseDurationMs', { timing: { leaseDurationMs: -1 } }, RangeError],
    ['reserveMs', { reserveMs: 0 }, RangeError],
    ['reserveMs', { reserveMs: '5000' }, TypeError],
    ['wait', { wait: 'forever' }, TypeError],
    ['environment', { environment: '' }, RangeError],
    ['environment', { environment: 'prüfung' }, RangeError],
    ['metricsNamespace', { metricsNamespace: 'AWS/Lambda' }, RangeError],
    ['metricsNamespace', { metricsNamespace: true }, TypeError],
    ['write', { write: 'stdout' }, TypeError],
    ['onOutcome', { onOutcome: 'log' }, TypeError],
    ['observer', { observer: 'log' }, TypeError],
    ['clock', { clock: {} }, TypeError],
  ])('refuses a wrong %s before the first invocation', (name, wrong, kind) => {
    const options = { store: memoryLeaseStore(), ...wrong } as LambdaHandlerOptions;
    const make = (): unknown => lambdaHandler(billing('billing'), options);
    expect(make).toThrow(kind);
    expect(make).toThrow(name);
  });

  it('refuses a name that CloudWatch takes for no dimension, unless there are no metrics', () => {
    const store = memoryLeaseStore();
    expect(() => lambdaHandler(billing('Abschläge'), { store })).toThrow('name of the job');
    lambdaHandler(billing('Abschläge'), {
      store,
      environment: 'prüfung',
      metricsNamespace: false,
    });
  });

  it('refuses what is no job, and options that are none', () => {
    const store = memoryLeaseStore();
    expect(() => lambdaHandler({} as never, { store })).toThrow('job must be');
    expect(() => lambdaHandler(billing('billing'), undefined as never)).toThrow('options');
  });
});

function billing(name: string): ReturnType<typeof defineJob> {
  return defineJob({
    name,
    periods: monthly({ timeZone: 'UTC' }),
    startFrom: '2026-10',
    run: () => Promise.resolve(nothingLeft),
  });
}

/** A store whose methods may be replaced. */
function storeOf(): LeaseStore {
  const store = memoryLeaseStore();
  return {
    name: store.name,
    limits: store.limits,
    look: (...call) => store.look(...call),
    acquire: (...call) => store.acquire(...call),
    abandon: (...call) => store.abandon(...call),
  };
}
