/**
 * A payment gateway on loopback, for the local run. It knows nothing of leases and cannot check a
 * fencing token; all it offers is to honour idempotency keys. Its own records say what was charged.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { deferred } from './deferred.ts';
import { listenOnLoopback } from './listen.ts';

/** One charge that was made. */
interface GatewayCharge {
  readonly chargeId: string;
  readonly idempotencyKey: string;
  readonly customerId: string;
  readonly period: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** Everything the gateway has done. */
export interface GatewayRecords {
  /** Requests that asked for a charge. */
  readonly requests: number;
  /** Those of them whose key had been seen before. */
  readonly repeatedRequests: number;
  /** Money taken, oldest first. */
  readonly charges: readonly GatewayCharge[];
}

/** A reply that the gateway holds back. */
export interface HeldReply {
  /** Resolves when the charge has been made and its reply is being held. */
  readonly reached: Promise<void>;
  /** Lets the reply go, now or as soon as it is reached. */
  release(): void;
}

/** Options of {@link startPaymentGateway}. */
export interface PaymentGatewayOptions {
  /** `false`: every request is a new charge, whatever its key. Default `true`. */
  readonly honoursKeys?: boolean;
  /** How long a charge takes, in milliseconds. Default 0. */
  readonly latencyMs?: number;
  /** Told of each request whose key had been seen before. */
  readonly onRepeated?: (idempotencyKey: string) => void;
}

/** A running gateway. */
export interface RunningGateway {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  records(): GatewayRecords;
  /** Holds the reply to the first request under `idempotencyKey` that is still to come. */
  holdReplyTo(idempotencyKey: string): HeldReply;
  /** Destroys every connection. */
  close(): Promise<void>;
}

/** Starts a gateway on a free port of 127.0.0.1 that serves `POST /charges`. */
export async function startPaymentGateway(
  options: PaymentGatewayOptions = {},
): Promise<RunningGateway> {
  const gateway = new Gateway(options);
  const server = createServer((request, response) => void gateway.serve(request, response));
  return {
    endpoint: await listenOnLoopback(server),
    records: () => gateway.records(),
    holdReplyTo: (idempotencyKey) => gateway.holdReplyTo(idempotencyKey),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

class Gateway {
  readonly #honoursKeys: boolean;
  readonly #latencyMs: number;
  readonly #onRepeated: (idempotencyKey: string) => void;
  readonly #charges: GatewayCharge[] = [];
  readonly #firstUnderKey = new Map<string, { readonly body: string; readonly answer: Answer }>();
  readonly #holds = new Map<string, { reached: () => void; readonly released: Promise<void> }>();
  #requests = 0;
  #repeatedRequests = 0;

  constructor({ honoursKeys = true, latencyMs = 0, onRepeated }: PaymentGatewayOptions) {
    this.#honoursKeys = honoursKeys;
    this.#latencyMs = latencyMs;
    this.#onRepeated = onRepeated ?? (() => {});
  }

  records(): GatewayRecords {
    return {
      requests: this.#requests,
      repeatedRequests: this.#repeatedRequests,
      charges: [...this.#charges],
    };
  }

  holdReplyTo(idempotencyKey: string): HeldReply {
    const [reached, released] = [deferred(), deferred()];
    this.#holds.set(idempotencyKey, { reached: reached.resolve, released: released.promise });
    return { reached: reached.promise, release: released.resolve };
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await textOf(request);
      if (request.method !== 'POST' || request.url !== '/charges') {
        send(response, { status: 404, body: { error: 'only POST /charges is served' } });
        return;
      }
      const key = request.headers['idempotency-key'];
      if (typeof key !== 'string' || key === '') {
        send(response, { status: 400, body: { error: 'the header Idempotency-Key is required' } });
        return;
      }
      // Decided before any waiting, so that two requests under one key cannot both be the first.
      const answer = this.#decide(key, body);
      const hold = this.#holds.get(key);
      this.#holds.delete(key);
      await sleep(this.#latencyMs);
      hold?.reached();
      await hold?.released;
      send(response, answer);
    } catch {
      response.destroy();
    }
  }

  #decide(idempotencyKey: string, body: string): Answer {
    this.#requests += 1;
    const first = this.#firstUnderKey.get(idempotencyKey);
    if (first !== undefined) {
      this.#repeatedRequests += 1;
      this.#onRepeated(idempotencyKey);
    }
    if (first !== undefined && this.#honoursKeys) {
      return first.body === body
        ? { ...first.answer, status: 200 }
        : { status: 422, body: { error: 'the key was used for another request' } };
    }
    const answer = this.#take(idempotencyKey, body);
    this.#firstUnderKey.set(idempotencyKey, { body, answer });
    return answer;
  }

  #take(idempotencyKey: string, body: string): Answer {
    const wanted = chargeIn(body);
    if (wanted === undefined) {
      return { status: 400, body: { error: 'the body is no charge' } };
    }
    const chargeId = `ch-${String(this.#charges.length + 1).padStart(4, '0')}`;
    this.#charges.push({ chargeId, idempotencyKey, ...wanted });
    return { status: 201, body: { chargeId } };
  }
}

function chargeIn(text: string): Omit<GatewayCharge, 'chargeId' | 'idempotencyKey'> | undefined {
  const { customerId, period, amountMinor, currency } = membersOf(text);
  return typeof customerId === 'string' &&
    typeof period === 'string' &&
    typeof amountMinor === 'number' &&
    typeof currency === 'string'
    ? { customerId, period, amountMinor, currency }
    : undefined;
}

interface UnknownCharge {
  readonly customerId?: unknown;
  readonly period?: unknown;
  readonly amountMinor?: unknown;
  readonly currency?: unknown;
}

function membersOf(text: string): UnknownCharge {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const stream: AsyncIterable<Buffer> = request;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (response.destroyed) {
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
