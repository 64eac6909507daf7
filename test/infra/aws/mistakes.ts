import { templateText } from './template-source.ts';

/** A mistake: what is replaced, once, by what, and what is then said about it. */
export type Mistake = readonly [title: string, from: string, to: string, said: RegExp];

/**
 * The template with a mistake.
 *
 * @throws `Error` if the text to be replaced is not there exactly once.
 */
export function withMistake([title, from, to]: Mistake): string {
  const parts = templateText.split(from);
  if (parts.length !== 2) {
    throw new Error(
      `${title}: ${JSON.stringify(from)} is in the template ${parts.length - 1} times`,
    );
  }
  return parts.join(to);
}
