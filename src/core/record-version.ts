import { randomUUID } from 'node:crypto';

/**
 * A new record version, attempt or identity suffix: a random UUID.
 *
 * Not from the injected random source, which may be predictable, and not from Node's entropy
 * cache, which a restored snapshot of a process would repeat.
 */
export function newVersion(): string {
  return randomUUID({ disableEntropyCache: true });
}
