import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDynalite } from '../../../functions/local/dynamodb-server.ts';
import {
  type Exchange,
  type HttpProxy,
  type Interception,
  operationOf,
  startHttpProxy,
} from '../../../functions/local/http-proxy.ts';
import { listenOnLoopback } from '../../../functions/local/listen.ts';
import { clientFor, createTable } from '../../support/dynamodb.ts';

/** What the target received, in order. */
let received: { path: string; bytes: Buffer; headers: IncomingMessage['headers'] }[];
let receivedAtMs: number[];
let target: string;
let intercepted: string[];
let exchanges: Exchange[];

const echo = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = Buffer.concat(chunks);
    receivedAtMs.push(performance.now());
    received.push({ path: request.url ?? '', bytes, headers: request.headers });
    response.writeHead(201, { 'x-answer': String(received.length) });
    response.end(bytes);
  });
});

beforeEach(async () => {
  received = [];
  receivedAtMs = [];
  intercepted = [];
  exchanges = [];
  target = await listenOnLoopback(echo);
});

afterEach(async () => {
  await new Promise((resolve) => {
    echo.close(resolve);
    echo.closeAllConnections();
  });
});

/** Requests with the body `second` pass, all others meet `interception`. */
async function proxyThat(interception: Interception = { action: 'pass' }): Promise<HttpProxy> {
  const proxy = await startHttpProxy({
    target,
    intercept: ({ body }) => {
      intercepted.push(body);
      return body === 'second' ? { action: 'pass' } : interception;
    },
    observe: (exchange) => exchanges.push(exchange),
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

async function post(proxy: HttpProxy, body = 'hello'): Promise<[number, string]> {
  const response = await fetch(`${proxy.endpoint}/a?b=c`, { method: 'POST', body });
  return [response.status, await response.text()];
}

function bodies(): string[] {
  return received.map(({ bytes }) => bytes.toString());
}

describe('what passes through the proxy', () => {
  it('reaches the target and the client byte for byte', async () => {
    const proxy = await proxyThat();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const response = await fetch(`${proxy.endpoint}/a?b=c`, {
      method: 'PUT',
      body: bytes,
      headers: { 'x-test': 'kept' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-answer')).toBe('1');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(received).toMatchObject([{ path: '/a?b=c', bytes, headers: { 'x-test': 'kept' } }]);
  });

  it('is observed with request, status and answer', async () => {
    const proxy = await proxyThat();
    await post(proxy);
    expect(exchanges).toMatchObject([
      {
        request: { method: 'POST', path: '/a?b=c', body: 'hello', index: 0 },
        status: 201,
        responseBody: 'hello',
        duplicate: false,
      },
    ]);
  });

  it('breaks off for the client when the target cannot be reached', async () => {
    const proxy = await startHttpProxy({ target: 'http://127.0.0.1:1' });
    onTestFinished(() => proxy.close());
    await expect(post(proxy)).rejects.toThrow('fetch failed');
  });
});

describe('an interception', () => {
  it('drop-request breaks off and forwards nothing', async () => {
    const proxy = await proxyThat({ action: 'drop-request' });
    await expect(post(proxy)).rejects.toThrow('fetch failed');
    await proxy.settled();
    expect(received).toEqual([]);
  });

  it('drop-reply breaks off after the target has handled the request', async () => {
    const proxy = await proxyThat({ action: 'drop-reply' });
    await expect(post(proxy)).rejects.toThrow('fetch failed');
    expect(exchanges).toMatchObject([{ status: 201, responseBody: 'hello' }]);
  });

  it.each([
    ['hang-request', []],
    ['hang-reply', ['first']],
  ] as const)('%s never answers while the target handles %j', async (action, handled) => {
    const proxy = await proxyThat({ action });
    const hanging = post(proxy, 'first').catch((error: unknown) => error);
    await vi.waitFor(() => expect(intercepted).toEqual(['first']));
    await post(proxy, 'second');
    await proxy.settled();
    expect(bodies()).toEqual([...handled, 'second']);
    const pending = Symbol('pending');
    expect(await Promise.race([hanging, Promise.resolve(pending)])).toBe(pending);
    await proxy.close();
    expect(await hanging).toBeInstanceOf(TypeError);
  });

  it('delay-request forwards after the time given', async () => {
    const proxy = await proxyThat({ action: 'delay-request', ms: 40 });
    const sentAtMs = performance.now();
    expect(await post(proxy)).toEqual([201, 'hello']);
    expect((receivedAtMs[0] ?? 0) - sentAtMs).toBeGreaterThan(38);
  });

  it('delay-reply answers after the time given', async () => {
    const proxy = await proxyThat({ action: 'delay-reply', ms: 40 });
    expect(await post(proxy)).toEqual([201, 'hello']);
    expect(performance.now() - (receivedAtMs[0] ?? 0)).toBeGreaterThan(38);
  });

  it('duplicate-later forwards the same bytes again after the time given', async () => {
    const proxy = await proxyThat({ action: 'duplicate-later', ms: 40 });
    expect(await post(proxy)).toEqual([201, 'hello']);
    await proxy.settled();
    expect(bodies()).toEqual(['hello', 'hello']);
    expect(exchanges.map(({ duplicate }) => duplicate)).toEqual([false, true]);
    expect((receivedAtMs[1] ?? 0) - (receivedAtMs[0] ?? 0)).toBeGreaterThan(38);
  });

  it.each([
    ['hold-request', ['second', 'first']],
    ['hold-reply', ['first', 'second']],
  ] as const)('%s waits for its promise', async (action, order) => {
    const gate = new EventTarget();
    const proxy = await proxyThat({ action, until: once(gate, 'open') });
    const held = post(proxy, 'first');
    await vi.waitFor(() =>
      expect(action === 'hold-reply' ? bodies() : intercepted).toEqual(['first']),
    );
    await post(proxy, 'second');
    gate.dispatchEvent(new Event('open'));
    expect(await held).toEqual([201, 'first']);
    expect(bodies()).toEqual(order);
  });

  it('hold-request forwards although the client has given up', async () => {
    const gate = new EventTarget();
    const proxy = await proxyThat({ action: 'hold-request', until: once(gate, 'open') });
    const impatience = new AbortController();
    const { signal } = impatience;
    const abandoned = fetch(proxy.endpoint, { method: 'POST', body: 'late', signal });
    await vi.waitFor(() => expect(intercepted).toEqual(['late']));
    impatience.abort();
    await expect(abandoned).rejects.toMatchObject({ name: 'AbortError' });
    gate.dispatchEvent(new Event('open'));
    await proxy.settled();
    expect(exchanges).toMatchObject([{ request: { body: 'late' }, status: 201 }]);
  });

  it('respond answers without the target', async () => {
    const proxy = await proxyThat({ action: 'respond', status: 503, body: 'busy' });
    expect(await post(proxy)).toEqual([503, 'busy']);
    expect(received).toEqual([]);
  });

  it('respond-after-applying answers otherwise than the target did', async () => {
    const proxy = await proxyThat({ action: 'respond-after-applying', status: 500 });
    expect(await post(proxy)).toEqual([500, '']);
    expect(exchanges).toMatchObject([{ status: 201 }]);
  });

  it('that throws breaks off for the client and makes close reject', async () => {
    const proxy = await startHttpProxy({
      target,
      intercept: () => {
        throw new Error('no such request was expected');
      },
    });
    await expect(post(proxy)).rejects.toThrow('fetch failed');
    await expect(proxy.close()).rejects.toThrow('no such request was expected');
  });
});

describe('closing the proxy', () => {
  it('drops what is delayed, held or due to be repeated', async () => {
    const proxy = await proxyThat({ action: 'duplicate-later', ms: 3_600_000 });
    await post(proxy);
    await proxy.close();
    expect(bodies()).toEqual(['hello']);
  });
});

describe('the AWS SDK through the proxy', () => {
  it('reads and writes dynalite, and its operations are told apart', async () => {
    const dynalite = await startDynalite();
    onTestFinished(() => dynalite.close());
    const proxy = await startHttpProxy({
      target: dynalite.endpoint,
      intercept: (request) =>
        operationOf(request) === 'PutItem' ? { action: 'drop-reply' } : { action: 'pass' },
    });
    onTestFinished(() => proxy.close());
    const client = clientFor(proxy);
    onTestFinished(() => client.destroy());
    const TableName = await createTable(client);
    const put = new PutItemCommand({ TableName, Item: { key: { S: 'ä' } } });
    await expect(client.send(put)).rejects.toMatchObject({ code: 'ECONNRESET' });
    const { Items } = await client.send(new ScanCommand({ TableName }));
    expect(Items).toEqual([{ key: { S: 'ä' } }]);
  });
});
