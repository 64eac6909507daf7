/**
 * The mark that a guarded row carries: the highest fencing token that has written it, as a number
 * attribute of the row itself, so that one conditional write both checks and raises it.
 *
 * @module
 */
import { describeValue } from '../../core/describe-value.ts';
import { fieldOf, isFields } from './fields.ts';

/** Where the mark is kept. */
export interface FenceOptions {
  /** Name of the attribute that keeps the highest token, a number. Default `fencingToken`. */
  readonly tokenAttribute?: string | undefined;
}

/**
 * The name of the attribute that keeps the mark.
 *
 * @throws `TypeError` if it is empty or no string.
 */
export function resolveTokenAttribute({ tokenAttribute = 'fencingToken' }: FenceOptions): string {
  if (typeof tokenAttribute !== 'string' || tokenAttribute === '') {
    throw new TypeError(
      `tokenAttribute must be the name of an attribute, got ${describeValue(tokenAttribute)}`,
    );
  }
  return tokenAttribute;
}

/** The condition "no token yet, or one not higher", over two placeholders. */
export function markCondition(name: string, value: string): string {
  return `attribute_not_exists(${name}) OR ${name} <= ${value}`;
}

/**
 * Reads the mark of a row as it is stored, which is how the items of errors come: the document
 * client does not translate them.
 *
 * @returns `undefined` if there is none, or if it is no number: such a row refuses every write.
 */
export function storedMark(row: unknown, tokenAttribute: string): number | undefined {
  return numberOf(fieldOf(fieldOf(row, tokenAttribute), 'N'));
}

/**
 * Reads the mark of a row that the document client translated: a number, a bigint or, if it was told
 * to wrap numbers, a `NumberValue`.
 *
 * @returns `undefined` if there is none, or if it is no number: such a row refuses every write.
 */
export function translatedMark(row: unknown, tokenAttribute: string): number | undefined {
  const mark = fieldOf(row, tokenAttribute);
  if (typeof mark === 'number' || typeof mark === 'bigint') {
    return Number(mark);
  }
  // A stored map comes as a plain object and may have an entry of the same name.
  return isPlain(mark) ? undefined : numberOf(fieldOf(mark, 'value'));
}

function numberOf(digits: unknown): number | undefined {
  return typeof digits === 'string' ? Number(digits) : undefined;
}

function isPlain(value: unknown): boolean {
  return isFields(value) && Object.getPrototypeOf(value) === Object.prototype;
}
