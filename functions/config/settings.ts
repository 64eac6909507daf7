import * as v from 'valibot';
import { messageOf } from '../message-of.ts';

/** Environment variables, such as those of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment cannot be used. Lists everything that is wrong with it, not just the first. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the settings cannot be used:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** What {@link readSettings} makes of some settings. */
export type SettingsOf<Entries extends v.ObjectEntries> = v.InferOutput<
  v.ObjectSchema<Entries, undefined>
>;

/** A setting that must be there; `parse` throws what is wrong with the text. */
export function required<T>(
  what: string,
  parse: (text: string) => T,
): v.GenericSchema<string | undefined, T> {
  return optional('', (text) => {
    if (text === '') {
      throw new Error(`it is missing; set it to ${what}`);
    }
    return parse(text);
  });
}

/**
 * A setting that may be absent or empty.
 *
 * @param fallback - Read in its place.
 */
export function optional<T>(
  fallback: string,
  parse: (text: string) => T,
): v.GenericSchema<string | undefined, T> {
  return v.pipe(v.optional(v.string(), fallback), parsed(parse));
}

/**
 * Reads settings. An empty variable counts as absent: infrastructure templates cannot leave one out.
 *
 * @throws {@link SettingsError} listing every problem: the variable, what is wrong, the remedy.
 */
export function readSettings<Entries extends v.ObjectEntries>(
  entries: Entries,
  environment: Environment,
): SettingsOf<Entries> {
  const present = Object.entries(environment).filter(([, value]) => value !== '');
  const result = v.safeParse(v.object(entries), Object.fromEntries(present));
  if (!result.success) {
    throw new SettingsError(
      result.issues.map(({ path, message }) => `${String(path?.[0]?.key)}: ${message}`),
    );
  }
  return result.output;
}

function parsed<T>(parse: (text: string) => T): v.RawTransformAction<string, T> {
  return v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return parse(dataset.value);
    } catch (error) {
      addIssue({ message: messageOf(error) });
      return NEVER;
    }
  });
}
