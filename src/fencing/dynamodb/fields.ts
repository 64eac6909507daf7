/** Any object, seen as what its properties hold. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether `value` is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** An own property of `value`; `undefined` if `value` is no object or has none of that name. */
export function fieldOf(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
