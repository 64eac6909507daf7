import { requireName } from './requirements.ts';

/**
 * Who holds a lease: an identity and, of one attempt among many, its label behind it, as
 * `identity/label`.
 *
 * @throws `TypeError` or `RangeError` if the label is no name, or both together are too long.
 */
export function labelled(identity: string, label: string | undefined): string {
  return label === undefined
    ? identity
    : requireName('identity/label', `${identity}/${requireName('label', label)}`);
}
