import { describeValue } from '../core/describe-value.ts';
import { requireNumber } from '../core/requirements.ts';

/** Characters that need no encoding in any store's names. */
const plain = /^[A-Za-z0-9_\-./]{1,256}$/;
/** Parts that a URL loses on the way: a ledger would be written in one place and listed in another. */
const dots = /(?:^|\/)\.{0,2}\//;

/**
 * What the names of all entries of a ledger begin with. Default `ledger/`.
 *
 * @throws `TypeError` if it is not made of plain characters, or has empty parts or parts of dots.
 */
export function requirePrefix(prefix: string = 'ledger/'): string {
  if (typeof prefix !== 'string' || !plain.test(prefix) || dots.test(prefix)) {
    throw new TypeError(
      `prefix must be 1 to 256 letters, digits and _ - . /, without empty or dotted parts, got ${describeValue(prefix)}`,
    );
  }
  return prefix;
}

/** @throws `TypeError` or `RangeError` unless it is a whole number from 1 to 5 000, or left out. */
export function requirePageSize(pageSize: number | undefined): number | undefined {
  return pageSize === undefined
    ? undefined
    : requireNumber('pageSize', pageSize, {
        kind: 'a whole number from 1 to 5000',
        fits: (value) => Number.isInteger(value) && value >= 1 && value <= 5_000,
      });
}
