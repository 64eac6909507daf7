import { hostname } from 'node:os';
import { describeValue } from './describe-value.ts';
import { newVersion } from './record-version.ts';

/** Longest identity or lease name, in bytes of UTF-8. */
export const maxNameBytes = 256;

/** An identity for this process: unique, and readable enough to find the process. */
export function defaultIdentity(): string {
  return `${hostname().slice(0, 64)}:${process.pid}:${newVersion().slice(0, 8)}`;
}

/**
 * Checks a lease name, an identity or a label.
 *
 * @throws `TypeError` if it is no string of Unicode text, `RangeError` if it is empty or longer
 *   than 256 bytes.
 */
export function requireName(name: string, value: unknown): string {
  if (typeof value !== 'string' || !value.isWellFormed()) {
    throw new TypeError(`${name} must be a string of Unicode text, got ${describeValue(value)}`);
  }
  const bytes = new TextEncoder().encode(value).length;
  if (bytes === 0 || bytes > maxNameBytes) {
    throw new RangeError(`${name} must have 1 to ${maxNameBytes} bytes of UTF-8, got ${bytes}`);
  }
  return value;
}
