import { createHash } from 'node:crypto';
import { describeValue } from '../core/describe-value.ts';
import { canonicalJson } from './canonical-json.ts';

/** Longest key, in bytes of UTF-8 JSON. */
const maxKeyBytes = 1024;

/**
 * The key, copied.
 *
 * @throws `TypeError` if it is not an array of strings that are not empty.
 * @throws `RangeError` if it is longer than 1 KiB of JSON.
 */
export function requireKey(key: unknown): readonly string[] {
  const texts = Array.isArray(key) ? key.filter(isText) : [];
  if (!Array.isArray(key) || texts.length === 0 || texts.length < key.length) {
    const odd: unknown = Array.isArray(key) ? key.find((part) => !isText(part)) : key;
    throw new TypeError(
      `key must be an array of strings that are not empty, such as ['billing', customerId, period], got ${Array.isArray(key) ? `an array with ${describeValue(odd)}` : describeValue(key)}`,
    );
  }
  const bytes = new TextEncoder().encode(JSON.stringify(texts)).length;
  if (bytes > maxKeyBytes) {
    throw new RangeError(`key must be at most ${maxKeyBytes} bytes of JSON, got ${bytes}`);
  }
  return texts;
}

function isText(part: unknown): part is string {
  return typeof part === 'string' && part !== '';
}

/**
 * The idempotency key of an effect: a UUID (version 8, RFC 9562) made of 122 bits of a hash of the
 * key and of nothing else, so that each attempt of each leader repeats the same one. It is a UUID
 * because that is printable and the form that payment APIs agree on.
 */
export function idempotencyKeyOf(key: readonly string[]): string {
  const hex = sha256(`tenure ledger ${JSON.stringify(key)}`);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) % 4) + 8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...groups, variant + hex.slice(17, 20), hex.slice(20, 32)].join('-');
}

/**
 * Hash of a request, by which a repetition with changes is noticed.
 *
 * @throws `TypeError` if the request is not JSON.
 */
export function hashOf(request: unknown): string {
  return sha256(canonicalJson(request, 'request'));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
