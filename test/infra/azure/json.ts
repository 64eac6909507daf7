/** What a JSON file holds. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object whose members are not known. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Whether a value is a JSON object, and no array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands at a path of names, such as `properties.sku.name`; `undefined` where nothing does. */
export function at(value: Json | undefined, path: string): Json | undefined {
  let found = value;
  for (const name of path.split('.')) {
    found = isObject(found) ? found[name] : undefined;
  }
  return found;
}

/** The text of a value, as a message shows it. */
export function text(value: Json | undefined): string {
  return typeof value === 'string'
    ? value
    : value === undefined
      ? 'nothing'
      : JSON.stringify(value);
}

/** All strings of a value with their paths. Names of members are not among them. */
export function* strings(value: Json, path = ''): Generator<{ path: string; value: string }> {
  if (typeof value === 'string') {
    yield { path, value };
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield* strings(member, path === '' ? name : `${path}.${name}`);
    }
  }
}

/** What is in the one list and not in the other. */
export function without(values: Iterable<string>, others: Iterable<string>): readonly string[] {
  const known = new Set(others);
  return [...values].filter((value) => !known.has(value));
}
