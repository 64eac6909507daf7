import { afterEach, describe, expect, it } from 'vitest';
import { httpPaymentGateway } from '../../../functions/billing/payment-gateway.ts';
import {
  startPaymentGateway,
  type PaymentGatewayOptions,
  type RunningGateway,
} from '../../../functions/local/payment-gateway.ts';

const charge = { customerId: 'c-1', period: '2026-10', amountMinor: 4900, currency: 'EUR' };
const idempotencyKey = 'key-1';

let gateway: RunningGateway;
afterEach(() => gateway.close());

async function start(options?: PaymentGatewayOptions) {
  gateway = await startPaymentGateway(options);
  return httpPaymentGateway({ endpoint: gateway.endpoint });
}

describe('startPaymentGateway', () => {
  it('charges once under a key, and gives the same answer again', async () => {
    const client = await start();
    const answers = await Promise.all([
      client.charge(charge, idempotencyKey),
      client.charge(charge, idempotencyKey),
    ]);
    expect(answers[0]).toEqual({ status: 'charged', chargeId: 'ch-0001' });
    expect(answers[1]).toEqual(answers[0]);
    expect(gateway.records()).toEqual({
      requests: 2,
      repeatedRequests: 1,
      charges: [{ ...charge, idempotencyKey, chargeId: 'ch-0001' }],
    });
  });

  it('charges again under another key', async () => {
    const client = await start();
    await client.charge(charge, idempotencyKey);
    await client.charge(charge, 'key-2');
    expect(gateway.records()).toMatchObject({ repeatedRequests: 0, charges: { length: 2 } });
  });

  it('charges for each request when it forgets keys', async () => {
    const repeated: string[] = [];
    const client = await start({ honoursKeys: false, onRepeated: (key) => repeated.push(key) });
    await client.charge(charge, idempotencyKey);
    await client.charge(charge, idempotencyKey);
    expect(gateway.records()).toMatchObject({ requests: 2, repeatedRequests: 1 });
    expect(gateway.records().charges.map(({ chargeId }) => chargeId)).toEqual([
      'ch-0001',
      'ch-0002',
    ]);
    expect(repeated).toEqual([idempotencyKey]);
  });

  it('refuses another request under a key that was used', async () => {
    const client = await start();
    await client.charge(charge, idempotencyKey);
    await expect(
      client.charge({ ...charge, amountMinor: 1 }, idempotencyKey),
    ).rejects.toMatchObject({
      status: 422,
    });
    expect(gateway.records().charges).toHaveLength(1);
  });

  it('holds one reply, whose charge is made, and answers others meanwhile', async () => {
    const client = await start();
    const held = gateway.holdReplyTo(idempotencyKey);
    let answered = false;
    const first = client.charge(charge, idempotencyKey).finally(() => {
      answered = true;
    });
    await held.reached;
    expect(gateway.records().charges).toHaveLength(1);
    const second = await client.charge(charge, idempotencyKey);
    expect(answered).toBe(false);
    held.release();
    expect(await first).toEqual(second);
  });

  const body = JSON.stringify(charge);
  const headers = { 'idempotency-key': 'k' };
  it.each([
    ['a request without a key', '/charges', { body }, 400],
    ['a body that is no charge', '/charges', { headers, body: '{"customerId":1}' }, 400],
    ['a body that is no JSON', '/charges', { headers, body: 'x' }, 400],
    ['another path', '/refunds', { headers, body }, 404],
  ])('refuses %s and takes no money', async (_what, path, request, status) => {
    await start();
    const url = new URL(path, gateway.endpoint);
    expect(await fetch(url, { method: 'POST', ...request })).toMatchObject({ status });
    expect(gateway.records().charges).toEqual([]);
  });
});
