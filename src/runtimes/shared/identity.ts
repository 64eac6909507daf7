import { maxNameBytes } from '../../core/requirements.ts';

/** What is kept for the label, in bytes of UTF-8: the ids of invocations have 36. */
const maxLabelBytes = 40;

/**
 * Says where a function runs, as `cloud:part:part`; what is not known is `-`. Parts share what an
 * identity may have besides its label: 69 bytes of UTF-8 for each of three, 51 for each of four. What
 * is longer is cut.
 */
export function placeIdentity(cloud: string, parts: readonly (string | undefined)[]): string {
  const room = maxNameBytes - maxLabelBytes - '/'.length - cloud.length;
  const maxPartBytes = Math.floor(room / parts.length) - ':'.length;
  return [cloud, ...parts.map((part = '') => cutToBytes(part, maxPartBytes) || '-')].join(':');
}

/** The label of an invocation with this id, cut to 40 bytes of UTF-8; `undefined` for none. */
export function invocationLabel(id: string): string | undefined {
  return cutToBytes(id, maxLabelBytes) || undefined;
}

/** As much from the start of `text` as fits, in whole characters. */
function cutToBytes(text: string, maxBytes: number): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.slice(
    0,
    new TextEncoder().encodeInto(wellFormed, new Uint8Array(maxBytes)).read,
  );
}
