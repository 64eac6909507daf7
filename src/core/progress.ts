import { requireJson } from './json.ts';

/** Longest progress, in bytes of UTF-8 JSON; the same on every store. */
export const maxProgressBytes = 2048;

/**
 * JSON text of a work's progress.
 *
 * @throws `TypeError` if the value would not come back as it was: functions, dates, maps, `NaN`.
 * @throws `RangeError` if the text is longer than 2 KiB.
 */
export function serializeProgress(progress: unknown): string {
  requireJson(progress, 'progress');
  const text = JSON.stringify(progress);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxProgressBytes) {
    throw new RangeError(
      `progress must be at most ${maxProgressBytes} bytes of JSON, got ${bytes}`,
    );
  }
  return text;
}

/** Reads JSON as progress; `undefined` or a throw says that it is of no use. */
export type ParseProgress<Progress> = (json: unknown) => Progress | undefined;

/** What stored text is worth to this version of the work. */
export type ParsedProgress<Progress> =
  | { readonly usable: true; readonly progress: Progress | undefined }
  | { readonly usable: false; readonly error?: unknown };

/** Reads stored text as progress. What is no JSON, or what `parse` refuses, is not usable. */
export function parseStoredProgress<Progress>(
  text: string | undefined,
  parse: ParseProgress<Progress> | undefined,
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
