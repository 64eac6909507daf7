import type {
  AcquireResult,
  Bid,
  HeldLease,
  LeaseStore,
  Look,
  StoreCall,
} from '../../src/core/lease-store.ts';
import type { Operation } from './history.ts';
import { unbounded, type LeaseServer } from './lease-server.ts';
import type { Network } from './network.ts';
import type { SimProcess } from './sim-process.ts';

/** A store that judges expiry itself, as one process reaches it over the network. */
export class RemoteLeaseStore implements LeaseStore {
  readonly name: string;
  readonly limits: LeaseStore['limits'];
  readonly #store: LeaseStore;
  readonly #server: LeaseServer;
  readonly #network: Network;
  readonly #process: SimProcess;

  constructor(store: LeaseStore, server: LeaseServer, network: Network, process: SimProcess) {
    this.name = store.name;
    this.limits = store.limits;
    this.#store = store;
    this.#server = server;
    this.#network = network;
    this.#process = process;
  }

  look(lease: string, call: StoreCall): Promise<Look> {
    return this.#network.send(this.#process, { kind: 'look' }, call, () =>
      this.#store.look(lease, unbounded),
    );
  }

  async acquire(lease: string, bid: Bid, call: StoreCall): Promise<AcquireResult> {
    const { fencingToken, holder, attemptId, look } = bid;
    const basis = look.state === 'absent' ? undefined : look.version;
    const operation = { kind: 'acquire', fencingToken, holder, mark: attemptId, basis } as const;
    const result = await this.#write(bid, operation, call, {
      run: () => this.#store.acquire(lease, bid, unbounded),
      isGranted: ({ acquired }) => acquired,
    });
    return result.acquired ? { acquired: true, held: this.#remote(result.held, bid) } : result;
  }

  async abandon(lease: string, bid: Bid, call: StoreCall): Promise<void> {
    const { fencingToken, holder } = bid;
    await this.#write(bid, { kind: 'release', fencingToken, holder }, call, {
      run: () => this.#store.abandon(lease, bid, unbounded),
      isGranted: () => false,
    });
  }

  #remote(held: HeldLease, bid: Bid): HeldLease {
    const { fencingToken, holder } = bid;
    const { marks } = held;
    return {
      marks,
      renew: (checkpoint, call) => {
        const operation = { kind: 'renew', fencingToken, holder, ...checkpoint } as const;
        return this.#write(bid, operation, call, {
          run: () => held.renew(checkpoint, unbounded),
          isGranted: ({ renewed }) => renewed,
        });
      },
      release: (final, call) => {
        const { progress, jobState } = final;
        const operation = { kind: 'release', fencingToken, holder, progress, jobState } as const;
        return this.#write(bid, operation, call, {
          run: () => held.release(final, unbounded),
          isGranted: ({ released }) => released,
        });
      },
    };
  }

  async #write<T>(
    { fencingToken }: Bid,
    operation: Operation,
    call: StoreCall,
    server: { readonly run: () => Promise<T>; readonly isGranted: (value: T) => boolean },
  ): Promise<T> {
    const process = this.#process;
    const sentAtMs = process.history.nowMs;
    const value = await this.#network.send(process, operation, call, (request, delivery) =>
      this.#server.handle(process, { request, delivery }, server.run, server.isGranted),
    );
    if (server.isGranted(value)) {
      process.wasAnswered(fencingToken, sentAtMs);
    }
    return value;
  }
}
