import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { httpPaymentGateway } from '../../../functions/billing/payment-gateway.ts';
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
  it('posts the charge under the key that it is given', async () => {
    const { endpoint, received } = await serve(201, '{"chargeId":"ch-1"}');
    const answer = await httpPaymentGateway({ endpoint }).charge(charge, 'key-1');
    expect(answer).toEqual({ status: 'charged', chargeId: 'ch-1' });
    expect(received).toMatchObject({
      url: '/charges',
      headers: { 'idempotency-key': 'key-1' },
      body: JSON.stringify(charge),
    });
  });

  it.each(['/v1', '/v1/'])('keeps the path of its endpoint, written %s', async (path) => {
    const { endpoint, received } = await serve(201, '{"chargeId":"ch-1"}');
    await httpPaymentGateway({ endpoint: `${endpoint}${path}` }).charge(charge, 'key-1');
    expect(received.url).toBe('/v1/charges');
  });

  it('reads a repeated answer like a first one', async () => {
    const { endpoint } = await serve(200, '{"chargeId":"ch-1"}');
    const answer = await httpPaymentGateway({ endpoint }).charge(charge, 'key-1');
    expect(answer).toEqual({ status: 'charged', chargeId: 'ch-1' });
  });

  it('reads 402 as declined', async () => {
    const { endpoint } = await serve(402);
    expect(await httpPaymentGateway({ endpoint }).charge(charge, 'key-1')).toEqual({
      status: 'declined',
    });
  });

  it.each([
    ['a server error', 503, '', 503],
    ['a conflict of keys', 422, '{"error":"other request"}', 422],
    ['a success without a charge', 200, '{}', 200],
    ['a success that is no JSON', 200, 'fine', 200],
  ])('rejects %s', async (_what, status, body, reported) => {
    const { endpoint } = await serve(status, body);
    await expect(httpPaymentGateway({ endpoint }).charge(charge, 'key-1')).rejects.toMatchObject({
      name: 'PaymentGatewayError',
      status: reported,
    });
  });

  it('rejects when no answer comes in time', async () => {
    const { endpoint } = await serve(undefined);
    const gateway = httpPaymentGateway({ endpoint, timeoutMs: 50 });
    await expect(gateway.charge(charge, 'key-1')).rejects.toMatchObject({
      name: 'PaymentGatewayError',
      cause: { name: 'TimeoutError' },
    });
  });

  it('rejects when the connection breaks off after the request', async () => {
    const { endpoint, received } = await serve(undefined);
    server?.on('request', (request) => request.on('end', () => request.socket.destroy()));
    const error = await httpPaymentGateway({ endpoint })
      .charge(charge, 'key-1')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'PaymentGatewayError', status: undefined });
    expect(received.body).toBe(JSON.stringify(charge));
  });

  it('follows no redirect: whoever answers so has had the request', async () => {
    const { endpoint, received } = await serve(307);
    server?.prependListener('request', (_, response) => {
      response.setHeader('location', 'http://gateway.invalid/charges');
    });
    await expect(httpPaymentGateway({ endpoint }).charge(charge, 'key-1')).rejects.toMatchObject({
      name: 'PaymentGatewayError',
      status: 307,
    });
    expect(received.body).toBe(JSON.stringify(charge));
  });

  it('says that nothing was sent when nobody listens', async () => {
    const { endpoint } = await serve(201);
    server?.close();
    await expect(httpPaymentGateway({ endpoint }).charge(charge, 'key-1')).rejects.toMatchObject({
      name: 'NotSentError',
      code: 'NOT_SENT',
    });
  });

  it('says that nothing was sent when the host has no address', async () => {
    const gateway = httpPaymentGateway({ endpoint: 'http://gateway.invalid' });
    await expect(gateway.charge(charge, 'key-1')).rejects.toMatchObject({ code: 'NOT_SENT' });
  });
});
