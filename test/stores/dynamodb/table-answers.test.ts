import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type Clock } from '../../../src/core/clock.ts';
import { checkLeaseTable, createLeaseTable } from '../../../src/dynamodb.ts';
import {
  operationOf,
  startHttpProxy,
  type HttpProxy,
} from '../../../functions/local/http-proxy.ts';
import { clientFor } from '../../support/dynamodb.ts';

type Answer = object | 'not-found' | 'in-use' | 'denied' | 'outage';

const errors: Record<string, { readonly status: number; readonly type: string }> = {
  'not-found': { status: 400, type: 'ResourceNotFoundException' },
  'in-use': { status: 400, type: 'ResourceInUseException' },
  denied: { status: 400, type: 'AccessDeniedException' },
  outage: { status: 500, type: 'InternalServerError' },
};

const replyOf = (answer: Answer) => {
  const error = typeof answer === 'string' ? errors[answer] : undefined;
  return error
    ? { status: error.status, body: JSON.stringify({ __type: `x#${error.type}`, message: 'no' }) }
    : { status: 200, body: JSON.stringify(answer) };
};

const table = (changes: object = {}) => ({
  Table: {
    TableStatus: 'ACTIVE',
    KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    ...changes,
  },
});

const ttl = (status: string) => ({ TimeToLiveDescription: { TimeToLiveStatus: status } });

/** A server that says what no emulator can be brought to say; the last answer of a list stays. */
describe('what DynamoDB may say about a table', () => {
  let server: HttpProxy;
  let answers: Record<string, Answer[]> = {};
  let sent: { readonly operation: string; readonly body: unknown }[] = [];

  beforeAll(async () => {
    server = await startHttpProxy({
      target: 'http://127.0.0.1:1',
      intercept: (request) => {
        const operation = operationOf(request) ?? '';
        sent.push({ operation, body: JSON.parse(request.body) });
        const [next = 'outage', ...rest] = answers[operation] ?? [];
        if (rest.length > 0) {
          answers[operation] = rest;
        }
        return { action: 'respond', ...replyOf(next) };
      },
    });
  });

  beforeEach(() => {
    answers = {};
    sent = [];
  });

  afterAll(async () => {
    await server.close();
  });

  const options = () => ({ client: clientFor(server), tableName: 'leases' });

  const impatient = () => {
    const sleeps: number[] = [];
    const clock: Clock = {
      ...systemClock,
      sleep: async (ms) => {
        sleeps.push(ms);
      },
    };
    return { clock, sleeps };
  };

  const operations = () => sent.map(({ operation }) => operation);

  it('is waited for no longer than ten seconds', async () => {
    const silent = await startHttpProxy({
      target: 'http://127.0.0.1:1',
      intercept: () => ({ action: 'hang-request' }),
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const hung = { client: clientFor(silent), tableName: 'leases' };
      const settled = Promise.allSettled([createLeaseTable(hung), checkLeaseTable(hung)]);
      await vi.advanceTimersByTimeAsync(10_000);
      const unavailable = { status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } };
      expect(await settled).toMatchObject([unavailable, unavailable]);
    } finally {
      vi.useRealTimers();
      await silent.close();
    }
  });

  it('is nothing to report if all is well', async () => {
    answers = { DescribeTable: [table()], DescribeTimeToLive: [ttl('DISABLED')] };
    expect(await checkLeaseTable(options())).toEqual([]);
  });

  it.each(['ENABLED', 'ENABLING'])('is reported for TTL %s', async (status) => {
    answers = { DescribeTable: [table()], DescribeTimeToLive: [ttl(status)] };
    expect(await checkLeaseTable(options())).toEqual([
      {
        problem: expect.stringContaining('TTL is switched on for table leases'),
        remedy: expect.any(String),
      },
    ]);
  });

  it.each([
    ['EVENTUAL', 1],
    [undefined, 1],
    ['STRONG', 0],
  ])('is reported for replicas in other Regions with consistency %s: %i', async (mode, count) => {
    const Replicas = [{ RegionName: 'eu-west-1' }];
    answers = {
      DescribeTable: [table({ Replicas, MultiRegionConsistency: mode })],
      DescribeTimeToLive: [ttl('DISABLED')],
    };
    const problem = {
      problem: expect.stringContaining('eventual consistency'),
      remedy: expect.stringContaining('one Region'),
    };
    expect(await checkLeaseTable(options())).toEqual(Array.from({ length: count }, () => problem));
  });

  it.each(['CREATING', 'DELETING', 'ARCHIVED', 'INACCESSIBLE_ENCRYPTION_CREDENTIALS'])(
    'is reported for a table that is %s',
    async (status) => {
      answers = {
        DescribeTable: [table({ TableStatus: status })],
        DescribeTimeToLive: [ttl('DISABLED')],
      };
      expect(await checkLeaseTable(options())).toEqual([
        { problem: expect.stringContaining(`not active (${status})`), remedy: expect.any(String) },
      ]);
    },
  );

  it('is reported with everything at once', async () => {
    const Replicas = [{ RegionName: 'eu-west-1' }];
    answers = {
      DescribeTable: [table({ Replicas, AttributeDefinitions: [] })],
      DescribeTimeToLive: [ttl('ENABLED')],
    };
    expect(await checkLeaseTable(options())).toHaveLength(3);
  });

  it('is reported where looking is not permitted, beside what the rest shows', async () => {
    answers = { DescribeTable: ['denied'], DescribeTimeToLive: [ttl('ENABLED')] };
    expect(await checkLeaseTable(options())).toEqual([
      {
        problem: expect.stringContaining('may not call dynamodb:DescribeTable on table leases'),
        remedy: expect.stringContaining('allow dynamodb:DescribeTable'),
      },
      { problem: expect.stringContaining('TTL'), remedy: expect.any(String) },
    ]);
    answers = { DescribeTable: [table()], DescribeTimeToLive: ['denied'] };
    expect(await checkLeaseTable(options())).toMatchObject([
      { problem: expect.stringContaining('dynamodb:DescribeTimeToLive') },
    ]);
  });

  it.each(['DescribeTable', 'DescribeTimeToLive'])('is no verdict if %s fails', async (failing) => {
    answers = { DescribeTable: [table()], DescribeTimeToLive: [ttl('DISABLED')], [failing]: [] };
    await expect(checkLeaseTable(options())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('makes createLeaseTable ask for protection, on demand, without TTL', async () => {
    answers = { DescribeTable: ['not-found', table()], CreateTable: [{}] };
    await createLeaseTable(options());
    expect(sent[1]).toEqual({
      operation: 'CreateTable',
      body: {
        TableName: 'leases',
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      },
    });
  });

  it('makes createLeaseTable wait until the table is active', async () => {
    const creating = table({ TableStatus: 'CREATING' });
    answers = { DescribeTable: ['not-found', creating, creating, table()], CreateTable: [{}] };
    const { clock, sleeps } = impatient();
    await createLeaseTable({ ...options(), clock });
    expect(operations().filter((name) => name === 'DescribeTable')).toHaveLength(4);
    expect(sleeps).toEqual([500, 500]);
  });

  it('makes createLeaseTable go on where another creates the table, described with a lag', async () => {
    answers = { DescribeTable: ['not-found', 'not-found', table()], CreateTable: ['in-use'] };
    const { clock, sleeps } = impatient();
    await createLeaseTable({ ...options(), clock });
    expect(sleeps).toEqual([500, 500]);
  });

  it('makes createLeaseTable create the table anew once an old one is deleted', async () => {
    const old = table({ TableStatus: 'DELETING', KeySchema: [] });
    answers = { DescribeTable: [old, 'not-found', table()], CreateTable: [{}] };
    await createLeaseTable({ ...options(), clock: impatient().clock });
    expect(operations()).toEqual([
      'DescribeTable',
      'DescribeTable',
      'CreateTable',
      'DescribeTable',
    ]);
  });

  it('makes createLeaseTable give up on a table that never becomes active', async () => {
    answers = { DescribeTable: [table({ TableStatus: 'CREATING' })] };
    const { clock, sleeps } = impatient();
    await expect(createLeaseTable({ ...options(), clock })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('not active after 300 s'),
    });
    expect(sleeps).toHaveLength(600);
  });

  it.each<[string, Record<string, Answer[]>, object]>([
    [
      'is denied',
      { DescribeTable: ['not-found'], CreateTable: ['denied'] },
      { code: 'STORE_REJECTED', message: expect.stringContaining('dynamodb:CreateTable') },
    ],
    ['may not look', { DescribeTable: ['denied'] }, { code: 'STORE_REJECTED' }],
    ['cannot look', { DescribeTable: ['outage'] }, { code: 'STORE_UNAVAILABLE' }],
    [
      'gets no usable answer',
      { DescribeTable: ['not-found'], CreateTable: ['outage'] },
      { code: 'OUTCOME_UNKNOWN' },
    ],
  ])('makes createLeaseTable reject when it %s', async (_, given, error) => {
    answers = given;
    await expect(createLeaseTable(options())).rejects.toMatchObject(error);
  });

  it.each([
    ['createLeaseTable', createLeaseTable],
    ['checkLeaseTable', checkLeaseTable],
  ])('does not matter to %s once its signal has aborted', async (_, call) => {
    const signal = AbortSignal.abort(new Error('deployment cancelled'));
    answers = { DescribeTable: ['not-found'], CreateTable: [{}] };
    await expect(call({ ...options(), signal })).rejects.toThrow('deployment cancelled');
    expect(sent).toEqual([]);
  });
});
