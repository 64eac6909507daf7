import { requireJson } from '../core/json.ts';

/**
 * JSON text that is the same for equal values: members are sorted, undefined ones left out.
 *
 * @param name - What the value is, for the error.
 * @throws `TypeError` if the value would not come back as it was: functions, dates, maps, `NaN`.
 */
export function canonicalJson(value: unknown, name: string): string {
  requireJson(value, name);
  return textOf(value);
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(textOf).join(',')}]`;
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`);
  return `{${members.join(',')}}`;
}
