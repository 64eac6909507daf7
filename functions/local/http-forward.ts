/**
 * What the proxy does on the wire: read a request, pass it on, write an answer.
 *
 * @module
 */
import {
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A complete answer. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** What of a request is passed on beside its bytes. */
export interface ForwardedHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that describe one connection (RFC 9110, 7.6.1), and those the proxy answers itself. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads a message to its end; `undefined` if the sender vanished before. */
export async function bodyOf(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    const stream: AsyncIterable<Buffer> = message;
    for await (const chunk of stream) {
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/**
 * Sends `bytes` to the origin of `target` and reads the answer.
 *
 * @returns `undefined` if the target cannot be reached or breaks off.
 */
export function forward(
  target: URL,
  head: ForwardedHead,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const { method, path } = head;
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = endToEnd(head.headers);
  if (bytes.length > 0) {
    headers['content-length'] = bytes.length;
  }
  return new Promise((resolve) => {
    // A kept-alive socket may be closed by the target just as it is used again, which would look
    // like an injected fault. So each request gets its own.
    const outgoing = send(target, { method, path, headers, agent: false, signal });
    outgoing.once('error', () => resolve(undefined));
    outgoing.once('response', (incoming) => {
      void bodyOf(incoming).then((body) => resolve(body && replyOf(incoming, body)));
    });
    outgoing.end(bytes);
  });
}

/** Answers a client, unless it has gone. */
export function sendReply(response: ServerResponse, method: string, reply: Reply): void {
  if (response.destroyed) {
    return;
  }
  const headers = { ...reply.headers };
  // The answer to HEAD states the length of a body that it does not have.
  if (method !== 'HEAD' && reply.status !== 204 && reply.status !== 304) {
    headers['content-length'] = reply.body.length;
  }
  response.writeHead(reply.status, headers);
  response.end(reply.body);
}

function replyOf(incoming: IncomingMessage, body: Buffer): Reply {
  return { status: incoming.statusCode ?? 502, headers: endToEnd(incoming.headers), body };
}

function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
