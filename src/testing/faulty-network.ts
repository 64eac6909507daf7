import type { Clock } from '../core/clock.ts';
import { OutcomeUnknownError, StoreUnavailableError, type ErrorContext } from '../core/errors.ts';
import type { StoreCall } from '../core/lease-store.ts';
import { untilAborted } from '../core/until-aborted.ts';
import type {
  FaultDecision,
  FaultScript,
  StoreFault,
  StoreOperation,
  StoreRequest,
} from './faults.ts';

/** Which faults a store meets, and on which clock. */
export type FaultOptions = { readonly clock: Clock } & (
  | { readonly script: FaultScript }
  | { readonly decide: FaultDecision }
);

/** A request that was made, and what happened to it. */
export interface FaultyCall extends StoreRequest {
  readonly fault: StoreFault | undefined;
}

type Send<T> = (call: StoreCall) => Promise<T>;

/** Carries requests to a store, badly. */
export class FaultyNetwork {
  readonly calls: FaultyCall[] = [];
  readonly #clock: Clock;
  readonly #decide: FaultDecision;
  readonly #store: string;
  readonly #counts = new Map<StoreOperation, number>();

  constructor(options: FaultOptions, store: string) {
    this.#clock = options.clock;
    this.#decide = 'script' in options ? scripted(options.script) : options.decide;
    this.#store = store;
  }

  /** Makes one request. */
  async carry<T>(
    { operation, lease }: { readonly operation: StoreOperation; readonly lease: string },
    call: StoreCall,
    send: Send<T>,
  ): Promise<T> {
    call.signal.throwIfAborted();
    const fault = this.#nextFault(operation);
    switch (fault?.type) {
      case undefined:
        return send(call);
      case 'reject':
        throw fault.error;
      case 'delay':
        return untilAborted(this.#delayed(send, fault), call.signal);
      case 'duplicate':
        void quietly(this.#delayed(send, { requestMs: fault.afterMs }));
        return send(call);
      case 'lose-reply':
        await untilAborted(quietly(send(withoutCaller())), call.signal);
        break;
      case 'lose-request':
        break;
    }
    return fault.hangs
      ? untilAborted(new Promise<never>(() => {}), call.signal)
      : this.#fail(operation, lease);
  }

  #nextFault(operation: StoreOperation): StoreFault | undefined {
    const count = (this.#counts.get(operation) ?? 0) + 1;
    this.#counts.set(operation, count);
    const fault = this.#decide({ operation, count });
    this.calls.push({ operation, count, fault });
    return fault;
  }

  async #delayed<T>(
    send: Send<T>,
    { requestMs = 0, replyMs = 0 }: { readonly requestMs?: number; readonly replyMs?: number },
  ): Promise<T> {
    await this.#pass(requestMs);
    try {
      return await send(withoutCaller());
    } finally {
      await this.#pass(replyMs);
    }
  }

  async #pass(ms: number): Promise<void> {
    if (ms > 0) {
      await this.#clock.sleep(ms);
    }
  }

  #fail(operation: StoreOperation, lease: string): never {
    const context: ErrorContext = { lease, store: this.#store };
    throw operation === 'look'
      ? new StoreUnavailableError('no answer came', context)
      : new OutcomeUnknownError('no answer came', context);
  }
}

function scripted(script: FaultScript): FaultDecision {
  return ({ operation, count }) => script[operation]?.[count - 1];
}

/** A request that is on its way arrives, whether or not somebody still waits for it. */
function withoutCaller(): StoreCall {
  return { signal: new AbortController().signal };
}

/** For what nobody hears of, however it ends. */
async function quietly(outcome: Promise<unknown>): Promise<void> {
  await outcome.catch(() => {});
}
