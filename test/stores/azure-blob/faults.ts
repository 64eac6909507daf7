import type { ContainerClient, StoragePipelineOptions } from '@azure/storage-blob';
import {
  startHttpProxy,
  type HttpProxy,
  type Interception,
  type ProxiedRequest,
} from '../../../functions/local/http-proxy.ts';
import type { Bench } from './bench.ts';

/** What a request asks of Azure, as far as the store sends it. */
export type Step = 'read' | 'create' | 'acquire' | 'renew' | 'release' | 'metadata' | 'other';

/** A network between the SDK and Azurite, in which the next request of a kind meets a fault. */
export class Faults {
  /** Every request so far, in order. */
  steps: Step[] = [];
  readonly proxy: HttpProxy;
  readonly #next: Map<Step, Interception[]>;

  private constructor(proxy: HttpProxy, steps: Step[], next: Map<Step, Interception[]>) {
    this.proxy = proxy;
    this.steps = steps;
    this.#next = next;
  }

  static async start(bench: Bench): Promise<Faults> {
    const steps: Step[] = [];
    const next = new Map<Step, Interception[]>();
    const proxy = await startHttpProxy({
      target: bench.server.endpoint,
      intercept: (request) => {
        const step = stepOf(request);
        steps.push(step);
        return next.get(step)?.shift() ?? { action: 'pass' };
      },
    });
    return new Faults(proxy, steps, next);
  }

  /** Lets the next requests of one kind meet these faults, one each. */
  next(step: Step, ...faults: readonly Interception[]): void {
    this.#next.set(step, [...(this.#next.get(step) ?? []), ...faults]);
  }

  /** How many faults no request has met yet. */
  get left(): number {
    return [...this.#next.values()].flat().length;
  }

  /** Forgets requests and faults. */
  reset(): void {
    this.steps.length = 0;
    this.#next.clear();
  }

  /** A client of the bench's container that goes through here. */
  client(bench: Bench, options?: StoragePipelineOptions): ContainerClient {
    return bench.through(this.proxy, options);
  }
}

function stepOf({ method, path, headers }: ProxiedRequest): Step {
  const { searchParams } = new URL(path, 'http://localhost');
  const comp = searchParams.get('comp');
  const isContainer = searchParams.get('restype') === 'container';
  if (isContainer) {
    return 'other';
  }
  if (method === 'HEAD') {
    return 'read';
  }
  if (comp === 'lease') {
    const action = headers['x-ms-lease-action'];
    return action === 'acquire' || action === 'renew' || action === 'release' ? action : 'other';
  }
  return comp === 'metadata' ? 'metadata' : comp === null && method === 'PUT' ? 'create' : 'other';
}

/** An answer of Azure with one of its codes. */
export function refusal(
  status: number,
  code: string,
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } {
  return {
    status,
    headers: { 'x-ms-error-code': code, 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>said by a test</Message></Error>`,
  };
}

/** Answers with a refusal, and forwards nothing. */
export function answers(status: number, code: string): Interception {
  return { action: 'respond', ...refusal(status, code) };
}
