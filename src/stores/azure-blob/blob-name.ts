import { requireName } from '../../core/requirements.ts';

/**
 * The name of the blob that keeps a lease.
 *
 * ASCII letters, digits, `-`, `_` and inner dots stay as they are; every other byte of the UTF-8 is
 * written as `~` and two hex digits, so that nothing is taken for a path, and no two leases share a
 * blob. `billing/nightly` is kept in `billing~2Fnightly`. Replace `~` by `%` and decode it as a
 * component of a URL to get the lease's name back.
 *
 * @param lease - Name of a lease, at most 256 bytes of UTF-8, which makes 768 characters at most.
 * @throws `TypeError` or `RangeError` if it is no name of a lease.
 */
export function leaseBlobName(lease: string): string {
  return requireName('lease', lease).replaceAll(/^\.|\.$|[^A-Za-z0-9._-]/gu, escaped);
}

function escaped(character: string): string {
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `~${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
