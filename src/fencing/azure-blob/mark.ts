/**
 * The mark that a guarded blob carries: the highest fencing token that has written it, as metadata
 * of the blob itself. Azure compares no numbers, so the mark is read first, and the write succeeds
 * only on the version that was read.
 *
 * @module
 */
import { describeValue } from '../../core/describe-value.ts';

/** Where the mark is kept. */
export interface BlobFenceOptions {
  /**
   * Name of the metadata that keeps the highest token: lower case letters, digits and `_`. Default
   * `fencingtoken`.
   */
  readonly tokenKey?: string | undefined;
}

/**
 * The name of the metadata that keeps the mark.
 *
 * @throws `TypeError` if it is no name that metadata can have in every letter case.
 */
export function resolveTokenKey({ tokenKey = 'fencingtoken' }: BlobFenceOptions): string {
  if (typeof tokenKey !== 'string' || !/^[a-z_][a-z0-9_]*$/.test(tokenKey)) {
    throw new TypeError(
      `tokenKey must be lower case letters, digits and _, and begin with none of the digits, got ${describeValue(tokenKey)}`,
    );
  }
  return tokenKey;
}

/** The mark in a blob's metadata: 0 if it has none, `undefined` if it is no token. */
export function markIn(
  metadata: Readonly<Record<string, string>>,
  tokenKey: string,
): number | undefined {
  // Metadata that a client wrote in another letter case is the same to Azure.
  const digits = Object.entries(metadata).find(([name]) => name.toLowerCase() === tokenKey)?.[1];
  if (digits === undefined) {
    return 0;
  }
  const mark = /^[1-9][0-9]*$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(mark) ? mark : undefined;
}
