import { requireObject } from '../../core/requirements.ts';
import type { ContainerClient } from '@azure/storage-blob';
import { newUuid } from '../../core/uuid.ts';
import { containerError, request, type LeaseContainerOptions } from './create-container.ts';
import { requireContainerClient } from './options.ts';
import { isDenied, refusalOf } from './sdk-errors.ts';

/** Something about a container that breaks a guarantee, or may. */
export interface ContainerProblem {
  /** What is wrong. */
  readonly problem: string;
  /** What to do about it. */
  readonly remedy: string;
}

const role =
  'give its identity the role Storage Blob Data Contributor on the container, or use a SAS with the rights rw; the roles Owner and Contributor do not suffice, and a new role takes minutes to count';

/**
 * Looks for what would break leases in a container: that it is missing or being deleted, that the
 * client may not read or lease blobs there, that others can read it without credentials, that blobs
 * are immutable, or that each write keeps an old version.
 *
 * Changes nothing: the permission to lease is tried on a blob that does not exist. What the client
 * may not look at is reported as not checked. Lifecycle rules can be seen only in the portal or a
 * template: no rule may delete or archive blobs of this container.
 *
 * @returns an empty list if all is well.
 * @throws `TypeError` for an option that does not fit; `StoreUnavailableError` without an answer.
 * @throws `StoreRejectedError` if the client itself is not usable, as without credentials.
 * @throws the reason of `signal`, as soon as it aborts.
 */
export async function checkLeaseContainer(
  options: LeaseContainerOptions,
): Promise<readonly ContainerProblem[]> {
  requireObject('options', options);
  requireContainerClient(options.containerClient);
  const existence = await reading(options);
  if (existence.length > 0) {
    return existence;
  }
  const looks = await Promise.all([
    leasing(options),
    orUnchecked('the properties of the container', options, () => settings(options)),
    orUnchecked('versions of blobs', options, () => versioning(options)),
  ]);
  return looks.flat();
}

/** A blob that does not exist: a request about it changes nothing and is judged all the same. */
function probe(container: ContainerClient): ReturnType<ContainerClient['getBlockBlobClient']> {
  return container.getBlockBlobClient(`tenure-check-${newUuid()}`);
}

async function reading(options: LeaseContainerOptions): Promise<readonly ContainerProblem[]> {
  const { containerClient, signal } = options;
  const { containerName } = containerClient;
  try {
    await request(signal, (abort) => probe(containerClient).getProperties(abort));
    return [];
  } catch (error) {
    signal?.throwIfAborted();
    switch (refusalOf(error)) {
      case 'absent':
        return [];
      case 'no-container':
        return [
          {
            problem: `there is no container ${containerName} in the client's account, or it is being deleted`,
            remedy: 'create it with createLeaseContainer, or correct its name or the account',
          },
        ];
      default:
        return [denial(error, containerClient, 'Get Blob Properties')];
    }
  }
}

async function leasing(options: LeaseContainerOptions): Promise<readonly ContainerProblem[]> {
  const { containerClient, signal } = options;
  const lease = probe(containerClient).getBlobLeaseClient(newUuid());
  try {
    await request(signal, (abort) => lease.acquireLease(15, abort));
    return [];
  } catch (error) {
    signal?.throwIfAborted();
    return refusalOf(error) === undefined ? [denial(error, containerClient, 'Lease Blob')] : [];
  }
}

/** @throws what the error says, unless it says that the operation is not allowed. */
function denial(error: unknown, container: ContainerClient, operation: string): ContainerProblem {
  if (!isDenied(error)) {
    throw containerError(error, container, operation);
  }
  return {
    problem: `the client may not do ${operation} in container ${container.containerName}`,
    remedy: role,
  };
}

async function settings(options: LeaseContainerOptions): Promise<readonly ContainerProblem[]> {
  const { containerClient, signal } = options;
  const { containerName } = containerClient;
  const found = await request(signal, (abort) => containerClient.getProperties(abort));
  const isPublic = found.blobPublicAccess !== undefined;
  const isImmutable = found.hasImmutabilityPolicy === true || found.hasLegalHold === true;
  return [
    ...(isPublic
      ? [
          {
            problem: `container ${containerName} is public: anyone can read holders, progress and lease ids`,
            remedy: 'set its public access to private',
          },
        ]
      : []),
    ...(isImmutable
      ? [
          {
            problem: `container ${containerName} has an immutability policy or a legal hold, under which records cannot be rewritten`,
            remedy: 'keep leases in a container of their own without either',
          },
        ]
      : []),
    ...(found.isImmutableStorageWithVersioningEnabled === true ? [versions(containerName)] : []),
  ];
}

async function versioning(options: LeaseContainerOptions): Promise<readonly ContainerProblem[]> {
  const { containerClient, signal } = options;
  const isVersioned = await request(signal, (abort) => hasVersions(containerClient, abort));
  return isVersioned ? [versions(containerClient.containerName)] : [];
}

/** Whether the first few blobs have versions, which they have only where versioning is on. */
async function hasVersions(
  containerClient: ContainerClient,
  abort: { readonly abortSignal?: AbortSignal },
): Promise<boolean> {
  const pages = containerClient.listBlobsFlat({ ...abort, includeVersions: true });
  for await (const { segment } of pages.byPage({ maxPageSize: 10 })) {
    return segment.blobItems.some(({ versionId }) => versionId !== undefined);
  }
  return false;
}

function versions(containerName: string): ContainerProblem {
  return {
    problem: `versioning is switched on for container ${containerName}: each acquisition, saved progress and release keeps an old version of the record, and restoring one rewinds the fencing token`,
    remedy:
      'keep leases in an account without versioning, or let a rule delete previous versions only',
  };
}

/** What `look` finds, or that it is not permitted. */
async function orUnchecked(
  what: string,
  { containerClient, signal }: LeaseContainerOptions,
  look: () => Promise<readonly ContainerProblem[]>,
): Promise<readonly ContainerProblem[]> {
  try {
    return await look();
  } catch (error) {
    signal?.throwIfAborted();
    if (!isDenied(error)) {
      throw containerError(error, containerClient, 'Get Container Properties');
    }
    return [
      {
        problem: `the client may not look at ${what} in ${containerClient.containerName}, so this part is not checked`,
        remedy: 'run the check with an identity that may read and list the container',
      },
    ];
  }
}
