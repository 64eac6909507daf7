/**
 * A forwarding HTTP/1.1 proxy that can lose, hold, delay, repeat and forge what passes through it,
 * and that sees every exchange its target really handled. It stands between a client and a store.
 *
 * @module
 */
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, forward, sendReply, type ForwardedHead, type Reply } from './http-forward.ts';
import { listenOnLoopback } from './listen.ts';

/** One request of a client, complete with its body. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Names in lower case; a repeated header is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body read as UTF-8. What is forwarded are the bytes, so binary bodies arrive intact. */
  readonly body: string;
  /** Counts the requests of this proxy from 0, in the order in which they came in. */
  readonly index: number;
}

/** An answer that the proxy makes up. */
interface ForgedReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

/**
 * What becomes of one request.
 *
 * A client that gives up meanwhile stops nothing: a delayed or held request still reaches the
 * target, as on a real network.
 */
export type Interception =
  /** Forward it and answer. */
  | { readonly action: 'pass' }
  /** Destroy the client's socket and forward nothing. */
  | { readonly action: 'drop-request' }
  /** Forward it, then destroy the client's socket instead of answering. */
  | { readonly action: 'drop-reply' }
  /** Forward nothing and never answer. */
  | { readonly action: 'hang-request' }
  /** Forward it and never answer. */
  | { readonly action: 'hang-reply' }
  /** Forward it after `ms` milliseconds. */
  | { readonly action: 'delay-request'; readonly ms: number }
  /** Forward it at once, answer `ms` milliseconds after the target did. */
  | { readonly action: 'delay-reply'; readonly ms: number }
  /** Forward it and answer, and forward the same bytes once more after `ms` milliseconds. */
  | { readonly action: 'duplicate-later'; readonly ms: number }
  /** Forward it once `until` resolves. */
  | { readonly action: 'hold-request'; readonly until: Promise<unknown> }
  /** Forward it at once, answer once `until` resolves. */
  | { readonly action: 'hold-reply'; readonly until: Promise<unknown> }
  /** Answer with this and forward nothing. */
  | ({ readonly action: 'respond' } & ForgedReply)
  /** Forward it, then answer with this instead of what the target said. */
  | ({ readonly action: 'respond-after-applying' } & ForgedReply);

/** One request that the target answered, whether or not the client heard of it. */
export interface Exchange {
  readonly request: ProxiedRequest;
  readonly status: number;
  /** The target's body read as UTF-8. */
  readonly responseBody: string;
  /** True for the second forwarding of `duplicate-later`. */
  readonly duplicate: boolean;
}

/** Options of {@link startHttpProxy}. */
export interface HttpProxyOptions {
  /** Where to forward; only the origin counts, the path is the client's. */
  readonly target: URL | string;
  /** Decides about each request as soon as its body is complete. Default: everything passes. */
  readonly intercept?: (request: ProxiedRequest) => Interception | Promise<Interception>;
  /** Changes what is forwarded of a request, where the target expects another address. */
  readonly rewrite?: (head: ForwardedHead) => ForwardedHead;
  /** Called for each exchange when the target's answer is complete, before the client gets it. */
  readonly observe?: (exchange: Exchange) => void;
}

/** A running proxy. */
export interface HttpProxy {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly endpoint: string;
  /**
   * Resolves when nothing is on its way any more: no request is delayed, held or at the target,
   * and no duplicate is due. Requests that hang do not count.
   */
  settled(): Promise<void>;
  /**
   * Stops listening, destroys every socket and drops what is still delayed, held or due.
   *
   * @throws the first error that `intercept` or `observe` threw: a failed assertion in there would
   * otherwise look like a network fault.
   */
  close(): Promise<void>;
}

/**
 * Starts a proxy on a free port of 127.0.0.1.
 *
 * A target that cannot be reached destroys the client's socket. Without a `rewrite` the `Host` header
 * is passed on untouched, so a target that verifies AWS signatures must know the proxy by that name.
 */
export async function startHttpProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const proxy = new Proxying(options);
  const server = createServer((incoming, response) => proxy.accept(incoming, response));
  return {
    endpoint: await listenOnLoopback(server),
    settled: () => proxy.settled(),
    close: () => proxy.close(server),
  };
}

/** The DynamoDB operation that a request names, such as `UpdateItem`; `undefined` for others. */
export function operationOf(request: Pick<ProxiedRequest, 'headers'>): string | undefined {
  return request.headers['x-amz-target']?.split('.').at(-1);
}

/** One request under way: what came in, and the way back. */
interface Passage {
  readonly request: ProxiedRequest;
  readonly bytes: Buffer;
  readonly response: ServerResponse;
}

class Proxying {
  readonly #options: HttpProxyOptions;
  readonly #target: URL;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #errors: unknown[] = [];
  #received = 0;

  constructor(options: HttpProxyOptions) {
    this.#options = options;
    this.#target = new URL(options.target);
    // Each request under way listens, and a target that is silent may leave many of them.
    setMaxListeners(0, this.#closing.signal);
  }

  accept(incoming: IncomingMessage, response: ServerResponse): void {
    this.#track(async () => {
      const bytes = await bodyOf(incoming);
      if (bytes === undefined) {
        return;
      }
      const request = describe(incoming, bytes, this.#received);
      this.#received += 1;
      await this.#serve({ request, bytes, response });
    }, response);
  }

  async settled(): Promise<void> {
    while (this.#underWay.size > 0) {
      await Promise.all(this.#underWay);
    }
  }

  async close(server: Server): Promise<void> {
    this.#closing.abort(new Error('the proxy is closing'));
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.closeAllConnections();
    await closed;
    await this.settled();
    if (this.#errors.length > 0) {
      throw this.#errors[0];
    }
  }

  #track(work: () => Promise<void>, response?: ServerResponse): void {
    const settled = work().catch((error: unknown) => {
      response?.destroy();
      if (!this.#closing.signal.aborted) {
        this.#errors.push(error);
      }
    });
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
  }

  async #serve(passage: Passage): Promise<void> {
    const { request, response } = passage;
    const interception = (await this.#options.intercept?.(request)) ?? { action: 'pass' };
    switch (interception.action) {
      case 'drop-request':
        response.destroy();
        return;
      case 'hang-request':
        return;
      case 'respond':
        sendReply(response, request.method, forged(interception));
        return;
      case 'delay-request':
        await this.#pause(interception.ms);
        break;
      case 'hold-request':
        await this.#hold(interception.until);
        break;
      default:
        break;
    }
    const reply = await this.#exchange(passage, false);
    if (reply === undefined) {
      response.destroy();
      return;
    }
    await this.#answer(passage, interception, reply);
  }

  async #answer(passage: Passage, interception: Interception, reply: Reply): Promise<void> {
    const { request, response } = passage;
    switch (interception.action) {
      case 'drop-reply':
        response.destroy();
        return;
      case 'hang-reply':
        return;
      case 'respond-after-applying':
        sendReply(response, request.method, forged(interception));
        return;
      case 'delay-reply':
        await this.#pause(interception.ms);
        break;
      case 'hold-reply':
        await this.#hold(interception.until);
        break;
      case 'duplicate-later':
        this.#track(async () => {
          await this.#pause(interception.ms);
          await this.#exchange(passage, true);
        });
        break;
      default:
        break;
    }
    sendReply(response, request.method, reply);
  }

  /** The target's answer; `undefined` if it gave none. */
  async #exchange({ request, bytes }: Passage, duplicate: boolean): Promise<Reply | undefined> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const head = this.#options.rewrite?.(request) ?? request;
    const reply = await forward(this.#target, head, bytes, signal);
    if (reply !== undefined) {
      const responseBody = reply.body.toString('utf8');
      this.#options.observe?.({ request, status: reply.status, responseBody, duplicate });
    }
    return reply;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal });
  }

  async #hold(until: Promise<unknown>): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    let onClose = (): void => {};
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
      signal.addEventListener('abort', onClose, { once: true });
    });
    try {
      await Promise.race([until, closed]);
    } finally {
      signal.removeEventListener('abort', onClose);
    }
    signal.throwIfAborted();
  }
}

function describe(incoming: IncomingMessage, bytes: Buffer, index: number): ProxiedRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers,
    body: bytes.toString('utf8'),
    index,
  };
}

function forged({ status, headers = {}, body = '' }: ForgedReply): Reply {
  return { status, headers, body: Buffer.from(body) };
}
