import { describe, expect, it } from 'vitest';
import { daily } from 'tenure/jobs';
import { registerTimer } from 'tenure/azure-functions';
import { AppBench, registered, registrations } from './bench.ts';

describe('registerTimer', () => {
  it('registers a timer under the name of the job, with its schedule', () => {
    const bench = new AppBench();
    bench.register(bench.job(), { schedule: '%BILLING_SCHEDULE%' });
    expect([...registrations.functions.keys()]).toEqual(['billing']);
    expect(Object.values(registered('billing').bindings)).toEqual([
      expect.objectContaining({ type: 'timerTrigger', schedule: '%BILLING_SCHEDULE%' }),
    ]);
    expect(registered('billing').retryOptions).toBeUndefined();
  });

  it('registers under another name, with a retry policy and a function for manual runs', () => {
    const bench = new AppBench();
    bench.register(bench.job(undefined, { name: 'monthly billing' }), {
      functionName: 'bill',
      retry: { strategy: 'fixedDelay', maxRetryCount: 3, delayInterval: 5_000 },
      manual: { authLevel: 'admin' },
    });
    expect([...registrations.functions.keys()]).toEqual(['bill', 'bill-manual']);
    expect(registered('bill').retryOptions).toMatchObject({ maxRetryCount: 3 });
    expect(Object.values(registered('bill-manual').bindings)).toContainEqual(
      expect.objectContaining({ type: 'httpTrigger', authLevel: 'admin', methods: ['POST'] }),
    );
  });

  it('registers no function for manual runs unless it is asked to', () => {
    const bench = new AppBench();
    bench.register(bench.job(), { manual: false });
    expect([...registrations.functions.keys()]).toEqual(['billing']);
  });

  it('has the end of the app told to it once, however many timers there are', () => {
    const bench = new AppBench();
    bench.register(bench.job());
    bench.register(
      bench.job(undefined, {
        name: 'reports',
        periods: daily({ timeZone: 'UTC' }),
        startFrom: '2026-10-31',
      }),
    );
    expect(registrations.hooks.appTerminate).toHaveLength(1);
  });

  it.each<[string, object, typeof TypeError | typeof RangeError, string]>([
    [
      'no schedule',
      { schedule: undefined },
      TypeError,
      'schedule must be an NCRONTAB expression of six fields, seconds first, such as 0 */5 * * * *, or an app setting such as %SCHEDULE%, got undefined',
    ],
    ['a schedule of five fields', { schedule: '*/5 * * * *' }, TypeError, 'six fields'],
    ['an interval as schedule', { schedule: '00:05:00' }, TypeError, 'six fields'],
    [
      'no budget',
      { budgetMs: undefined },
      TypeError,
      'budgetMs must be a number (a positive number of milliseconds), got undefined',
    ],
    [
      'an endless budget',
      { budgetMs: Infinity },
      RangeError,
      'budgetMs must be a positive number of milliseconds, got Infinity',
    ],
    [
      'a negative reserve',
      { reserveMs: -1 },
      RangeError,
      'reserveMs must be a positive number of milliseconds, got -1',
    ],
    [
      'no reserve',
      { reserveMs: 0 },
      RangeError,
      'reserveMs must be a positive number of milliseconds, got 0',
    ],
    [
      'a reserve that leaves a manual run no time',
      { budgetMs: 600_000, reserveMs: 225_000, manual: { authLevel: 'admin' } },
      RangeError,
      'reserveMs must be less than 225000 where manual is set, since Azure waits no longer for a request, got 225000',
    ],
    [
      'a budget that is all reserve',
      { budgetMs: 5_000 },
      RangeError,
      'budgetMs (5000) must exceed reserveMs (5000)',
    ],
    ['a wait that is none', { wait: 'forever' }, TypeError, 'wait must be'],
    [
      'an empty environment',
      { environment: '' },
      RangeError,
      'environment must have 1 to 256 bytes',
    ],
    ['a place that is text', { where: 'westeurope' }, TypeError, 'where must be an object'],
    [
      'a region that is no text',
      { where: { region: 1 } },
      TypeError,
      'where.region must be a string, got 1',
    ],
    [
      'a function name with a blank',
      { functionName: 'monthly billing' },
      RangeError,
      'functionName, by default the name of the job, must be a letter',
    ],
    [
      'an anonymous manual run',
      { manual: { authLevel: 'anonymous' } },
      TypeError,
      `manual.authLevel must be 'admin' or 'function', got "anonymous"`,
    ],
    [
      'a manual run with no key named',
      { manual: true },
      TypeError,
      'manual must be false or an object with authLevel, got true',
    ],
    ['a retry policy that is none', { retry: 3 }, TypeError, 'retry must be an object, got 3'],
    [
      'an outcome handler that is none',
      { onOutcome: 'log' },
      TypeError,
      'onOutcome must be a function, got "log"',
    ],
    ['no store', { store: undefined }, TypeError, 'store must be a lease store'],
    [
      'a clock that is none',
      { clock: {} },
      TypeError,
      'clock must have monotonicMs, wallMs and sleep',
    ],
    [
      'a lease that the store does not take',
      { timing: { leaseDurationMs: 0 } },
      RangeError,
      'leaseDurationMs must be',
    ],
  ])('refuses %s, and registers nothing', (_, options, kind, message) => {
    const bench = new AppBench();
    const register = (): void => bench.register(bench.job(), options);
    expect(register).toThrow(kind);
    expect(register).toThrow(message);
    expect(registrations.functions.size).toBe(0);
  });

  it('refuses what is no job, and no options', () => {
    const { store } = new AppBench();
    const options = { store, schedule: '0 * * * * *', budgetMs: 60_000 };
    expect(() => registerTimer({} as never, options)).toThrow('job must be what defineJob returns');
    const job = new AppBench().job();
    expect(() => registerTimer(job, undefined as never)).toThrow(
      'options must be an object with store, schedule and budgetMs',
    );
  });
});
