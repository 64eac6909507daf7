import { randomUUID } from 'node:crypto';

/**
 * A random UUID, for what must be unique: versions, attempts, identities.
 *
 * Not from the injected random source, which may be predictable, and not from Node's entropy
 * cache, which a restored snapshot of a process would repeat.
 */
export function newUuid(): string {
  return randomUUID({ disableEntropyCache: true });
}
