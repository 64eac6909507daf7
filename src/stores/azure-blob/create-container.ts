import { requireObject } from '../../core/requirements.ts';
import { boundedCall } from '../../core/bounded-call.ts';
import type { ContainerClient } from '@azure/storage-blob';
import { systemClock, type Clock } from '../../core/clock.ts';
import { StoreUnavailableError, type TenureError } from '../../core/errors.ts';
import { requireContainerClient } from './options.ts';
import { codeOf, isDenied, refusalOf } from './sdk-errors.ts';
import { storeError, storeName } from './store-errors.ts';

/** A container for leases. */
export interface LeaseContainerOptions {
  /** Client of the container. */
  readonly containerClient: ContainerClient;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

/** Options of {@link createLeaseContainer}. */
export interface CreateLeaseContainerOptions extends LeaseContainerOptions {
  /** Paces the wait. Default the system's clocks. */
  readonly clock?: Clock;
}

const pollMs = 2_000;
const maxPolls = 60;

/**
 * Creates a container for leases, without public access. One that exists already is left as it is.
 * The name of a container that was deleted stays taken for half a minute or more; this waits for it.
 *
 * Needs the permission to create containers or, where it exists, to read from it. Meant for set-up
 * scripts and tests; in production a template declares the container.
 *
 * @throws `TypeError` for an option that does not fit.
 * @throws `StoreRejectedError` if it is not allowed, or the name is none for a container.
 * @throws `OutcomeUnknownError`, `StoreUnavailableError` without an answer, and after two minutes
 *   in which the name did not become free. Safe to repeat.
 * @throws the reason of `signal`, as soon as it aborts.
 */
export async function createLeaseContainer(options: CreateLeaseContainerOptions): Promise<void> {
  requireObject('options', options);
  requireContainerClient(options.containerClient);
  const { clock = systemClock, signal } = options;
  for (let poll = 0; poll < maxPolls; poll += 1) {
    if (await create(options)) {
      return;
    }
    await clock.sleep(pollMs, signal);
  }
  throw new StoreUnavailableError(
    `the name ${options.containerClient.containerName} was not free after ${(pollMs * maxPolls) / 1_000} s`,
    { store: storeName },
  );
}

/** Resolves to whether the container is there; not while an earlier one is being deleted. */
async function create({ containerClient, signal }: CreateLeaseContainerOptions): Promise<boolean> {
  try {
    await request(signal, (abort) => containerClient.create(abort), true);
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (refusalOf(error) === 'no-container') {
      return false;
    }
    // Whoever may only use containers is refused before it is seen that this one exists.
    if (isTaken(error) || (isDenied(error) && (await exists({ containerClient, signal })))) {
      return true;
    }
    throw containerError(error, containerClient, 'Create Container');
  }
}

function isTaken(error: unknown): boolean {
  return codeOf(error) === 'ContainerAlreadyExists';
}

/** Whether the container is there; not if it cannot be told. */
async function exists(options: {
  readonly containerClient: ContainerClient;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  const { containerClient, signal } = options;
  try {
    // Of a blob, not of the container: a SAS for the container does not allow that.
    const blob = containerClient.getBlobClient('tenure-check');
    await request(signal, (abort) => blob.getProperties(abort));
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    return refusalOf(error) === 'absent';
  }
}

/** Longest time that one call of a set-up or a check may take, in milliseconds. */
const timeoutMs = 10_000;

/** Makes one call of the SDK that ends in time, also with a client that waits for ever. */
export async function request<T>(
  signal: AbortSignal | undefined,
  call: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  writes: boolean = false,
): Promise<T> {
  return boundedCall(
    { clock: systemClock, timeoutMs, signal, writes, context: { store: storeName } },
    (bounded) => call({ abortSignal: bounded.signal }),
  );
}

/** What an error of the SDK says about a call on a container. */
export function containerError(
  error: unknown,
  { containerName }: ContainerClient,
  operation: string,
): TenureError {
  const writes = operation === 'Create Container';
  return storeError(error, { operation, containerName, writes });
}
