import { deferred, type Deferred } from './deferred.ts';
import type { DemoStore } from './demo-store.ts';
import { startHttpProxy, type HttpProxy } from './http-proxy.ts';
import type { StoreAudit } from './store-audit.ts';

/** One scheduler's way to the store, which can be cut. */
export interface StoreLine {
  /** Where the scheduler finds the store. */
  readonly endpoint: string;
  /**
   * Cuts the way. `swallow`: requests are lost. `delay`: they are on their way for as long as the
   * cut lasts, and arrive then, also those whose sender has given up.
   */
  cut(how: 'swallow' | 'delay'): void;
  mend(): void;
  /** Resolves when nothing is on its way to the store or back. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a scheduler's way to the store, watched by `audit`. */
export async function openStoreLine(
  scheduler: string,
  { target, rewrite }: Pick<DemoStore, 'target' | 'rewrite'>,
  audit: StoreAudit,
): Promise<StoreLine> {
  let state: 'open' | 'swallowing' | Deferred = 'open';
  const proxy: HttpProxy = await startHttpProxy({
    target,
    ...(rewrite && { rewrite }),
    intercept: (request) => {
      if (state === 'swallowing') {
        return { action: 'hang-request' };
      }
      const mended = state === 'open' ? Promise.resolve() : state.promise;
      return { action: 'hold-request', until: mended.then(() => audit.turnOf(request)) };
    },
    observe: (exchange) => audit.observe(scheduler, exchange),
  });
  const mend = (): void => {
    const before = state;
    state = 'open';
    if (typeof before === 'object') {
      before.resolve();
    }
  };
  return {
    endpoint: proxy.endpoint,
    cut: (how) => {
      mend();
      state = how === 'swallow' ? 'swallowing' : deferred();
    },
    mend,
    settled: () => proxy.settled(),
    close: () => proxy.close(),
  };
}
