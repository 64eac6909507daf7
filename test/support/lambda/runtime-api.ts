import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../functions/local/listen.ts';

/** What a runtime reports about code that failed. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** A handler's result, or its error. */
export type FunctionOutcome =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: FunctionError };

/** An event on its way to the runtime, with the headers that make its context. */
interface Delivery {
  readonly requestId: string;
  readonly event: unknown;
  /** When the runtime is stopped, in milliseconds since 1970. */
  readonly deadlineMs: number;
  readonly functionArn: string;
}

/** Told what the runtime asks and reports. */
interface RuntimeCalls {
  /** The runtime is done with what it had and waits for the next event. */
  waits(): void;
  /** What came of the event that was delivered last. */
  answered(outcome: FunctionOutcome): void;
  failedToInitialise(error: FunctionError): void;
}

/** A running Runtime API, for one runtime. */
export interface RuntimeApi {
  /** Host and port, as `AWS_LAMBDA_RUNTIME_API` names them. */
  readonly address: string;
  /** Names whom the calls of the runtime go to; before that, they go nowhere. */
  attend(calls: RuntimeCalls): void;
  /** Answers the call of a runtime that waits. */
  deliver(delivery: Delivery): void;
  close(): Promise<void>;
}

const route =
  /^\/2018-06-01\/runtime\/(?:invocation\/(?:(next)|([^/]+)\/(response|error))|init\/error)$/;

/**
 * Serves the Lambda Runtime API on loopback.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  let calls: RuntimeCalls | undefined;
  let waiting: ServerResponse | undefined;
  let delivered: string | undefined;

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [path, next, requestId, kind] = route.exec(request.url ?? '') ?? [];
    if (next !== undefined) {
      waiting = response;
      calls?.waits();
    } else if (path === undefined || (kind !== undefined && requestId !== delivered)) {
      answer(response, 400, { errorType: 'InvalidRequestID' });
    } else {
      // Answered first: what the report leads to must not keep the runtime waiting.
      answer(response, 202, { status: 'OK' });
      report(kind, JSON.parse(body));
    }
  };

  const report = (kind: string | undefined, content: unknown): void => {
    if (kind === undefined) {
      calls?.failedToInitialise(content as FunctionError);
    } else if (kind === 'response') {
      calls?.answered({ ok: true, payload: content });
    } else {
      calls?.answered({ ok: false, error: content as FunctionError });
    }
  };

  const server = createServer((request, response) => {
    // A runtime that is killed in mid-request has nobody left to be answered.
    take(request, response).catch(() => response.destroy());
  });
  const endpoint = await listenOnLoopback(server);
  return {
    address: endpoint.slice('http://'.length),
    attend: (listener) => {
      calls = listener;
    },
    deliver: ({ requestId, event, deadlineMs, functionArn }) => {
      delivered = requestId;
      waiting?.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': requestId,
        'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
        'Lambda-Runtime-Invoked-Function-Arn': functionArn,
        'Lambda-Runtime-Trace-Id': `Root=1-${randomHex(4)}-${randomHex(12)};Sampled=0`,
      });
      waiting?.end(JSON.stringify(event));
      waiting = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
