import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoreCall } from '../../../src/core/lease-store.ts';
import {
  operationOf,
  startHttpProxy,
  type HttpProxy,
  type Interception,
} from '../../../functions/local/http-proxy.ts';
import { clientFor, dynamoDbServers } from '../../support/dynamodb.ts';
import { creation } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, within, type Bench } from './bench.ts';

/** What the proxy answers in place of DynamoDB. */
type ForgedReply = Omit<Extract<Interception, { action: 'respond' }>, 'action'>;

const refusal = (type: string, status = 400): ForgedReply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${type}`,
    message: 'said about arn:aws:iam::123456789012:role/secret',
  }),
});

const answer = (reply: ForgedReply): Interception => ({ action: 'respond', ...reply });

describe('errors of DynamoDB', () => {
  let bench: Bench;
  let proxy: HttpProxy;
  let faults: Interception[] = [];
  let operations: (string | undefined)[] = [];
  /** Of each read, whether it asked for consistency. */
  let reads: unknown[] = [];

  beforeAll(async () => {
    // The one that never returns an item, so that failed conditions lead to a second request.
    const [dynalite] = dynamoDbServers;
    bench = await startBench(dynalite as (typeof dynamoDbServers)[number]);
    proxy = await startHttpProxy({
      target: bench.endpoint,
      intercept: (request) => {
        const operation = operationOf(request);
        operations.push(operation);
        if (operation === 'GetItem') {
          const { ConsistentRead } = JSON.parse(request.body) as { ConsistentRead?: unknown };
          reads.push(ConsistentRead);
        }
        return faults.shift() ?? { action: 'pass' };
      },
    });
  });

  beforeEach(() => {
    faults = [];
    operations = [];
    reads = [];
  });

  afterAll(async () => {
    await proxy.close();
    await bench.close();
  });

  const behindProxy = (config: DynamoDBClientConfig = {}) =>
    bench.store({ client: clientFor(proxy, config) });

  const read = async (injected: readonly Interception[], call: StoreCall = patiently()) => {
    faults = [...injected];
    const store = behindProxy({ maxAttempts: injected.length });
    return store.read(newLease(), call).catch((error: unknown) => error);
  };

  const write = async (injected: readonly Interception[], call: StoreCall = patiently()) => {
    faults = [...injected];
    const lease = newLease();
    const store = behindProxy({ maxAttempts: injected.length });
    const error = await store.write(lease, creation(), call).catch((reason: unknown) => reason);
    await proxy.settled();
    return { error, applied: (await bench.item(lease)) !== undefined };
  };

  const acceptsAll: Interception = { action: 'respond', status: 200, body: '{}' };
  const garbage = { status: 200, body: 'not DynamoDB' };
  const internal = refusal('InternalServerError', 500);
  const throttled = answer(refusal('ThrottlingException'));
  const denied = answer(refusal('AccessDeniedException'));

  it.each<[string, Interception[], boolean]>([
    ['the request was lost', [{ action: 'drop-request' }], false],
    ['the reply was lost', [{ action: 'drop-reply' }], true],
    ['DynamoDB failed', [answer(internal)], false],
    [
      'DynamoDB failed after applying it',
      [{ action: 'respond-after-applying', ...internal }],
      true,
    ],
    ['the service is unavailable', [answer({ status: 503 })], false],
    ['there are too many requests', [answer({ status: 429, body: '{}' })], false],
    ['something else answers', [answer(garbage)], false],
    ['something else answers for it', [{ action: 'respond-after-applying', ...garbage }], true],
    ['something else accepts everything', [acceptsAll], false],
    ['the SDK was throttled twice', [throttled, throttled], false],
    ['it was throttled after a lost reply', [{ action: 'drop-reply' }, throttled], true],
    ['it was denied after a lost reply', [{ action: 'drop-reply' }, denied], true],
  ])('leave the outcome of a write open when %s', async (_, injected, applied) => {
    const outcome = await write(injected);
    expect(outcome).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN', retryable: true, cause: expect.any(Error) },
      applied,
    });
    expect(faults).toEqual([]);
  });

  it.each<[string, Interception, boolean]>([
    ['the request hangs', { action: 'hang-request' }, false],
    ['the reply hangs', { action: 'hang-reply' }, true],
  ])(
    'leave the outcome of a write open when %s until the call is aborted',
    async (_, fault, applied) => {
      const outcome = await write([fault], within(100));
      expect(outcome).toMatchObject({ error: { code: 'OUTCOME_UNKNOWN' }, applied });
    },
  );

  it.each([
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'TransactionConflictException',
    'ReplicatedWriteConflictException',
  ])('say that a write was not applied when the only attempt meets %s', async (name) => {
    const outcome = await write([answer(refusal(name))]);
    expect(outcome).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE', retryable: true, cause: { name } },
      applied: false,
    });
  });

  it.each<[string, Interception]>([
    ['the request was lost', { action: 'drop-request' }],
    ['the reply was lost', { action: 'drop-reply' }],
    ['DynamoDB failed', answer(internal)],
    ['DynamoDB throttles', throttled],
    ['something else answers', answer(garbage)],
  ])('make the store unavailable for a read when %s', async (_, fault) => {
    expect(await read([fault])).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(await read([fault, fault])).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('make the store unavailable when a read hangs until the call is aborted', async () => {
    expect(await read([{ action: 'hang-reply' }], within(50))).toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });

  it.each<[string, ForgedReply, RegExp]>([
    ['a permission', refusal('AccessDeniedException'), /dynamodb:UpdateItem on table .* allow/],
    ['access, by a proxy', { status: 403, body: '<html>' }, /dynamodb:UpdateItem on table/],
    ['valid credentials', refusal('UnrecognizedClientException'), /credentials.*Unrecognized/],
    ['fresh credentials', refusal('ExpiredTokenException'), /credentials.*expired/],
    ['a valid request', refusal('ValidationException'), /refuses UpdateItem.*Validation/],
    ['room for the item', refusal('ItemCollectionSizeLimitExceededException'), /refuses.*400/],
  ])('name what is missing and the remedy: %s', async (_, reply, message) => {
    const { error, applied } = await write([answer(reply)]);
    expect(error).toMatchObject({
      code: 'STORE_REJECTED',
      retryable: false,
      message: expect.stringMatching(message),
    });
    expect((error as Error).message).not.toContain('arn:');
    expect(applied).toBe(false);
    const looked = await read([answer(reply)]);
    expect(looked).toMatchObject({ code: 'STORE_REJECTED' });
    expect((looked as Error).message.replaceAll('GetItem', 'UpdateItem')).toMatch(message);
  });

  it('cannot come from a look that is out of date, since every read is consistent', async () => {
    const lease = newLease();
    await behindProxy().read(lease, patiently());
    await behindProxy().write(lease, creation(), patiently());
    await behindProxy().write(lease, creation(), patiently());
    expect(operations).toEqual(['GetItem', 'UpdateItem', 'UpdateItem', 'GetItem']);
    expect(reads).toEqual([true, true]);
  });

  it('say that nothing was sent when the call was over before', async () => {
    const call = { signal: AbortSignal.abort(new Error('too late')) };
    expect(await write([{ action: 'pass' }], call)).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE', cause: { message: 'too late' } },
      applied: false,
    });
    expect(await read([{ action: 'pass' }], call)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(operations).toEqual([]);
  });

  it('say that nothing was written when the look after a failed condition fails', async () => {
    const lease = newLease();
    await bench.store().write(lease, creation(), patiently());
    faults = [{ action: 'pass' }, { action: 'drop-request' }];
    const refused = behindProxy().write(lease, creation(), patiently());
    await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(operations).toEqual(['UpdateItem', 'GetItem']);
  });

  it('come up as soon as the call is aborted, though credentials never arrive', async () => {
    const credentials = () => new Promise<never>(() => {});
    const store = behindProxy({ credentials });
    await expect(store.read(newLease(), within(20))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await expect(store.write(newLease(), creation(), within(20))).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
  });
});
