import { describe, expect, it } from 'vitest';
import {
  createElection,
  explainTiming,
  type ElectionOptions,
  type LeadOptions,
  type Leadership,
  type TimingOptions,
} from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { Bench, iteratorOf, rejection, thrown } from './bench.ts';

type Kind = typeof TypeError | typeof RangeError;

/** Expects misuse to be refused with the received value in the message. */
function expectMisuse(error: unknown, kind: Kind, name: string, received: string): void {
  expect(error).toBeInstanceOf(kind);
  const { message } = error as Error;
  expect(message).toContain(name);
  expect(message).toContain(`got ${received}`);
}

const store = memoryLeaseStore();
const enough = (): number => 1_000;
const budget = { remainingMs: enough, reserveMs: 100 };
const longName = 'ü'.repeat(129);

describe('createElection', () => {
  it.each([
    ['store', undefined, TypeError, 'undefined'],
    ['store', null, TypeError, 'null'],
    ['store', 'dynamodb', TypeError, '"dynamodb"'],
    ['store', {}, TypeError, 'an object'],
    ['store', { acquire: 1, limits: {} }, TypeError, 'an object'],
    ['lease', undefined, TypeError, 'undefined'],
    ['lease', 7, TypeError, '7'],
    ['lease', '', RangeError, '0'],
    ['lease', longName, RangeError, '258'],
    ['lease', '\uD800', TypeError, ''],
    ['identity', 7, TypeError, '7'],
    ['identity', null, TypeError, 'null'],
    ['identity', '', RangeError, '0'],
    ['identity', longName, RangeError, '258'],
    ['minimumToken', 0, RangeError, '0'],
    ['minimumToken', 1.5, RangeError, '1.5'],
    ['minimumToken', 2 ** 53, RangeError, '9007199254740992'],
    ['minimumToken', '5', TypeError, '"5"'],
    ['firstToken', '5', TypeError, '"5"'],
    ['firstToken', -1, RangeError, '-1'],
    ['firstToken', Number.NaN, RangeError, 'NaN'],
    ['parseProgress', 'JSON', TypeError, '"JSON"'],
    ['observer', {}, TypeError, 'an object'],
    ['random', 0.5, TypeError, '0.5'],
    ['clock', {}, TypeError, 'an object'],
    ['clock', Date, TypeError, 'a function'],
    ['timing', 15_000, TypeError, '15000'],
  ] as const)('refuses as %s: %s', (name, value, kind, received) => {
    const options = {
      store,
      lease: 'orders',
      [name]: value,
    } as unknown as ElectionOptions<unknown>;
    expectMisuse(
      thrown(() => createElection(options)),
      kind,
      name,
      received,
    );
  });

  it.each([undefined, null, 'orders'])('refuses no options: %s', (options) => {
    const error = thrown(() => createElection(options as unknown as ElectionOptions<unknown>));
    expectMisuse(error, TypeError, 'options must be an object with store and lease', '');
  });

  it('takes an identity of 256 bytes of UTF-8', () => {
    const identity = 'ü'.repeat(128);
    expect(createElection({ store, lease: 'orders', identity }).identity).toBe(identity);
  });

  it('makes an identity of its own for each election', () => {
    const identities = [1, 2].map(() => createElection({ store, lease: 'orders' }).identity);
    expect(new Set(identities).size).toBe(2);
    expect(identities[0]).toContain(`:${process.pid}:`);
  });
});

describe('lead', () => {
  it.each([undefined, null, 'work', {}])('refuses as work: %s', async (work) => {
    const bench = new Bench();
    const error = await rejection(bench.election('a').lead(work as () => void));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain('work must be a function');
    expect(bench.store.calls).toEqual([]);
  });

  it.each([
    ['wait', 'one_lease', TypeError, '"one_lease"'],
    ['wait', null, TypeError, 'null'],
    ['wait', {}, TypeError, 'an object'],
    ['wait', -1, RangeError, '-1'],
    ['wait', Number.NaN, RangeError, 'NaN'],
    ['signal', 'stop', TypeError, '"stop"'],
    ['signal', {}, TypeError, 'an object'],
    ['signal', new AbortController(), TypeError, 'AbortController'],
    ['label', 7, TypeError, '7'],
    ['label', {}, TypeError, 'an object'],
    ['label', '', RangeError, '0'],
    ['label', longName, RangeError, ''],
    ['budget', 1_000, TypeError, '1000'],
    ['budget', 0, TypeError, '0'],
    ['budget', null, TypeError, 'null'],
    ['budget', () => 1_000, TypeError, 'a function'],
    ['budget', { ...budget, remainingMs: 1_000 }, TypeError, '1000'],
    ['budget', { remainingMs: enough }, TypeError, 'undefined'],
    ['budget', { ...budget, reserveMs: -1 }, RangeError, '-1'],
    ['budget', { ...budget, reserveMs: Number.NaN }, RangeError, 'NaN'],
    ['budget', { ...budget, reserveMs: '100' }, TypeError, '"100"'],
  ] as const)('refuses as %s: %s', async (name, value, kind, received) => {
    const bench = new Bench();
    const election = bench.election('a');
    const options = { [name]: value } as unknown as LeadOptions;
    expectMisuse(await rejection(election.lead(() => {}, options)), kind, name, received);
    expect(bench.store.calls).toEqual([]);
    // A refused call is not the one attempt that may be under way.
    expect(await election.lead(() => 'led')).toMatchObject({ status: 'led' });
  });

  it.each([null, 'none', 5_000])('refuses as options: %s', async (options) => {
    const bench = new Bench();
    const led = bench.election('a').lead(() => {}, options as unknown as LeadOptions);
    expectMisuse(await rejection(led), TypeError, 'options must be an object', '');
    expect(bench.store.calls).toEqual([]);
  });

  it('counts the label and the identity together', async () => {
    const bench = new Bench();
    const election = bench.election('i'.repeat(200));
    const led = election.lead(() => {}, { label: 'l'.repeat(55) });
    expect(await led).toMatchObject({ status: 'led' });
    const refused = await rejection(election.lead(() => {}, { label: 'l'.repeat(56) }));
    expectMisuse(refused, RangeError, 'label', '257');
  });
});

describe('campaign, leader and observe', () => {
  it('refuse what is no signal or no work', async () => {
    const bench = new Bench();
    const election = bench.election('a');
    const options = { signal: 'stop' as unknown as AbortSignal };
    const work = 'work' as unknown as () => void;
    const refused = [
      rejection(iteratorOf(election.campaign(() => {}, options)).next()),
      rejection(election.leader(options)),
      rejection(iteratorOf(election.observe(options)).next()),
    ];
    for (const error of await Promise.all(refused)) {
      expectMisuse(error, TypeError, 'signal', '"stop"');
    }
    const none = null as unknown as typeof options;
    const without = [
      rejection(iteratorOf(election.campaign(() => {}, none)).next()),
      rejection(election.leader(none)),
      rejection(iteratorOf(election.observe(none)).next()),
    ];
    for (const error of await Promise.all(without)) {
      expectMisuse(error, TypeError, 'options', 'null');
    }
    expectMisuse(
      await rejection(iteratorOf(election.campaign(work)).next()),
      TypeError,
      'work',
      '"work"',
    );
    expect(bench.store.calls).toEqual([]);
  });
});

describe('a leadership', () => {
  const misused = async (use: (leadership: Leadership) => Promise<unknown>) => {
    const bench = new Bench();
    const outcome = await bench
      .election<unknown>('a')
      .lead((leadership) => rejection(use(leadership)));
    bench.expectQuiet();
    return 'value' in outcome ? outcome.value : undefined;
  };

  it.each([
    [0, RangeError, '0'],
    [-1, RangeError, '-1'],
    [Number.NaN, RangeError, 'NaN'],
    [Infinity, RangeError, 'Infinity'],
    ['5', TypeError, '"5"'],
  ])('refuses as atMostMs: %s', async (atMostMs, kind, received) => {
    const error = await misused((leadership) =>
      leadership.during(() => {}, { atMostMs: atMostMs as number }),
    );
    expectMisuse(error, kind, 'atMostMs', received);
  });

  it('refuses an operation without a time limit', async () => {
    const none = undefined as unknown as { atMostMs: number };
    const error = await misused((leadership) => leadership.during(() => {}, none));
    expectMisuse(error, TypeError, 'limit must be an object with atMostMs', 'undefined');
    const empty = {} as unknown as { atMostMs: number };
    const unlimited = await misused((leadership) => leadership.during(() => {}, empty));
    expectMisuse(unlimited, TypeError, 'atMostMs', 'undefined');
  });

  it('refuses what is no operation', async () => {
    const operation = 'export' as unknown as () => void;
    const error = await misused((leadership) => leadership.during(operation, { atMostMs: 1 }));
    expectMisuse(error, TypeError, 'operation', '"export"');
  });
});

describe('explainTiming', () => {
  it('refuses what is no store', () => {
    const nothing = undefined as unknown as typeof store;
    const error = thrown(() => explainTiming({}, nothing));
    expectMisuse(error, TypeError, 'store must be a lease store', 'undefined');
    expectMisuse(
      thrown(() => explainTiming({}, {} as unknown as typeof store)),
      TypeError,
      'store',
      'an object',
    );
  });

  it('refuses a timing with the value that it received', () => {
    const options = { leaseDurationMs: '15000' } as unknown as TimingOptions;
    expectMisuse(
      thrown(() => explainTiming(options, store)),
      TypeError,
      'leaseDurationMs',
      '"15000"',
    );
  });
});
