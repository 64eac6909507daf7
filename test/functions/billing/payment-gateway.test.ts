import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  httpPaymentGateway,
  idempotencyKeyOf,
  PaymentGatewayError,
} from '../../../functions/billing/payment-gateway.ts';
import { listenOnLoopback } from '../../../functions/local/listen.ts';

const charge = { customerId: 'c-1', period: '2026-10', amountMinor: 4900, currency: 'EUR' };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that gives one answer, or none, and keeps the request. */
async function serve(status: number | undefined, body = '') {
  const received: { url?: string | undefined; headers?: IncomingHttpHeaders; body?: string } = {};
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      Object.assign(received, { url: request.url, headers: request.headers, body: text });
      if (status !== undefined) {
        response.writeHead(status).end(body);
      }
    });
  });
  return { endpoint: await listenOnLoopback(server), received };
}

describe('httpPaymentGateway', () => {
  it('posts the charge under a key made of customer and period', async () => {
    const { endpoint, received } = await serve(201, '{"chargeId":"ch-1"}');
    const answer = await httpPaymentGateway({ endpoint }).charge(charge);
    expect(answer).toEqual({ status: 'charged', chargeId: 'ch-1' });
    expect(received).toMatchObject({
      url: '/charges',
      headers: { 'idempotency-key': 'billing/c-1/2026-10' },
      body: JSON.stringify(charge),
    });
  });

  it('reads a repeated answer like a first one', async () => {
    const { endpoint } = await serve(200, '{"chargeId":"ch-1"}');
    const answer = await httpPaymentGateway({ endpoint }).charge(charge);
    expect(answer).toEqual({ status: 'charged', chargeId: 'ch-1' });
  });

  it('reads 402 as declined', async () => {
    const { endpoint } = await serve(402);
    expect(await httpPaymentGateway({ endpoint }).charge(charge)).toEqual({ status: 'declined' });
  });

  it.each([
    ['a server error', 503, '', 503],
    ['a conflict of keys', 422, '{"error":"other request"}', 422],
    ['a success without a charge', 200, '{}', 200],
    ['a success that is no JSON', 200, 'fine', 200],
  ])('rejects %s', async (_what, status, body, reported) => {
    const { endpoint } = await serve(status, body);
    await expect(httpPaymentGateway({ endpoint }).charge(charge)).rejects.toMatchObject({
      name: 'PaymentGatewayError',
      status: reported,
    });
  });

  it('rejects when no answer comes in time', async () => {
    const { endpoint } = await serve(undefined);
    const gateway = httpPaymentGateway({ endpoint, timeoutMs: 50 });
    await expect(gateway.charge(charge)).rejects.toMatchObject({
      name: 'PaymentGatewayError',
      cause: { name: 'TimeoutError' },
    });
  });

  it('rejects when nobody listens', async () => {
    const { endpoint } = await serve(201);
    server?.close();
    const error: unknown = await httpPaymentGateway({ endpoint })
      .charge(charge)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentGatewayError);
    expect(error).toMatchObject({ name: 'PaymentGatewayError', status: undefined });
  });
});

describe('idempotencyKeyOf', () => {
  it('differs where customer or period differ, whatever the ids look like', () => {
    const keys = [
      { customerId: 'a', period: '2026-10' },
      { customerId: 'a', period: '2026-11' },
      { customerId: 'a/2026-10', period: '2026-10' },
      { customerId: 'é\n', period: '2026-10' },
    ].map(idempotencyKeyOf);
    expect(new Set(keys).size).toBe(4);
    expect(keys.every((key) => /^[\x21-\x7e]+$/.test(key))).toBe(true);
  });
});
