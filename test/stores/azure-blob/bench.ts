import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerClient, StoragePipelineOptions } from '@azure/storage-blob';
import { azureBlobLeaseStore, leaseBlobName } from 'tenure/azure-blob';
import type { Bid, Clock, HeldLease, LeaseStore, Look, StoreCall } from 'tenure';
import type { RawLease } from 'tenure/testing';
import {
  clockRate,
  containerOf,
  newContainerName,
  noRetries,
  startAzurite,
  type Azurite,
} from '../../support/azurite.ts';

const leaseDurationMs = 15_000;
export const final = { progress: undefined, history: [] };

/** What Azure says of a blob. */
export interface RawBlob {
  readonly etag: string | undefined;
  readonly leaseState: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An Azurite with one container, and a way to its blobs that does not lead through the store. */
export class Bench {
  readonly server: Azurite;
  readonly container: ContainerClient;
  readonly rate: number;

  private constructor(server: Azurite, container: ContainerClient, rate: number) {
    this.server = server;
    this.container = container;
    this.rate = rate;
  }

  static async start(rate: number = clockRate): Promise<Bench> {
    const server = await startAzurite({ clockRate: rate });
    const container = containerOf(server, newContainerName());
    await container.create();
    return new Bench(server, container, rate);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  store(container: ContainerClient = this.container): LeaseStore {
    return azureBlobLeaseStore({ containerClient: container });
  }

  /** A client of the same container that reaches it through `proxy`. */
  through(
    proxy: { readonly endpoint: string },
    options: StoragePipelineOptions = noRetries,
  ): ContainerClient {
    return containerOf(proxy, this.container.containerName, options);
  }

  blob(lease: string): ReturnType<ContainerClient['getBlockBlobClient']> {
    return this.container.getBlockBlobClient(leaseBlobName(lease));
  }

  /** What is stored for a lease; `undefined` if nothing is. */
  async raw(lease: string): Promise<RawBlob | undefined> {
    if (!(await this.blob(lease).exists())) {
      return undefined;
    }
    const { etag, leaseState, metadata = {} } = await this.blob(lease).getProperties();
    return { etag, leaseState, metadata };
  }

  /** The metadata that is stored for a lease. */
  async metadata(lease: string): Promise<Readonly<Record<string, string>>> {
    return (await this.raw(lease))?.metadata ?? {};
  }

  /** Lets time pass on the service's clock. */
  async pass(ms: number = leaseDurationMs): Promise<void> {
    await sleep(Math.ceil(ms / this.rate) + 10);
  }
}

/** A clock that runs as fast as the server's, so that an election keeps step with it. */
export function clockOf({ rate }: Bench): Clock {
  const startMs = Date.now();
  return {
    monotonicMs: () => performance.now() * rate,
    wallMs: () => startMs + (Date.now() - startMs) * rate,
    sleep: async (ms, signal) => {
      await sleep(ms / rate, undefined, signal ? { signal } : {}).catch(() => {
        signal?.throwIfAborted();
      });
    },
  };
}

/** The record that metadata holds, read without the store's code. */
export function rawLeaseOf(blob: RawBlob | undefined): RawLease | undefined {
  if (!blob) {
    return undefined;
  }
  const { state, token, holder = '', progress, jobstate } = blob.metadata;
  return {
    holder: textOf(holder),
    fencingToken: token === undefined ? undefined : Number(token),
    released: state === 'free',
    progress: progress === undefined ? undefined : textOf(progress),
    jobState: jobstate === undefined ? undefined : textOf(jobstate),
  };
}

function textOf(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('utf8');
}

/** A store call that nothing bounds. */
export function patiently(): StoreCall {
  return { signal: new AbortController().signal };
}

/** A store call that is aborted after `ms` milliseconds. */
export function within(ms: number): StoreCall {
  return { signal: AbortSignal.timeout(ms) };
}

export function newLease(): string {
  return `lease-${randomUUID()}`;
}

/** A bid by `a` with token 33, unless `change` says otherwise. */
export function bidOn(look: Look, change: Partial<Bid> = {}): Bid {
  const { holder = 'a', fencingToken = 33 } = change;
  return {
    attemptId: randomUUID(),
    look,
    holder,
    fencingToken,
    leaseDurationMs,
    history: [{ fencingToken, holder }],
    endedMarks: [],
    ...change,
  };
}

/** Looks and bids, and must win. */
export async function win(
  store: LeaseStore,
  lease: string,
  change: Partial<Bid> = {},
): Promise<{ readonly bid: Bid; readonly held: HeldLease }> {
  const bid = bidOn(await store.look(lease, patiently()), change);
  return { bid, held: await sendBid(store, lease, bid) };
}

/** Sends a bid that must win. */
async function sendBid(store: LeaseStore, lease: string, bid: Bid): Promise<HeldLease> {
  const result = await store.acquire(lease, bid, patiently());
  if (!result.acquired) {
    throw new Error(`the bid of ${bid.holder} was refused: found ${result.found.state}`);
  }
  return result.held;
}

/** What a promise rejects with; fails if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('resolved instead of rejecting');
}
