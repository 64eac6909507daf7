import { describeValue } from './describe-value.ts';

/** Longest progress, in bytes of UTF-8 JSON; the same on every store. */
export const maxProgressBytes = 2048;

/**
 * JSON text of a work's progress.
 *
 * @throws `TypeError` if the value would not come back as it was: functions, dates, maps, `NaN`.
 * @throws `RangeError` if the text is longer than 2 KiB.
 */
export function serializeProgress(progress: unknown): string {
  requireJson(progress, 'progress', []);
  const text = JSON.stringify(progress);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxProgressBytes) {
    throw new RangeError(
      `progress must be at most ${maxProgressBytes} bytes of JSON, got ${bytes}`,
    );
  }
  return text;
}

function requireJson(value: unknown, path: string, ancestors: readonly object[]): void {
  if (isJsonScalar(value)) {
    return;
  }
  if (!isPlain(value)) {
    throw new TypeError(`${path} must be JSON, got ${describeValue(value)}`);
  }
  if (ancestors.includes(value)) {
    throw new TypeError(`${path} must be JSON, got a cycle`);
  }
  // JSON leaves out undefined members of an object, but an array would get null in their place.
  const members = Array.isArray(value)
    ? Array.from(value, (member: unknown, index) => [String(index), member] as const)
    : Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [key, member] of members) {
    requireJson(member, `${path}.${key}`, [...ancestors, value]);
  }
}

function isJsonScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    Number.isFinite(value)
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** What stored text is worth to this version of the work. */
export type ParsedProgress<Progress> =
  | { readonly usable: true; readonly progress: Progress | undefined }
  | { readonly usable: false; readonly error?: unknown };

/** Reads stored text as progress. What is no JSON, or what `parse` refuses, is not usable. */
export function parseStoredProgress<Progress>(
  text: string | undefined,
  parse: ((json: unknown) => Progress | undefined) | undefined,
): ParsedProgress<Progress> {
  if (text === undefined) {
    return { usable: true, progress: undefined };
  }
  try {
    const json: unknown = JSON.parse(text);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the caller left out how to check it
    const progress = parse ? parse(json) : (json as Progress);
    return progress === undefined || progress === null
      ? { usable: false }
      : { usable: true, progress };
  } catch (error) {
    return { usable: false, error };
  }
}
