import { describeValue } from './describe-value.ts';

/**
 * Checks that a value comes back from its JSON text as it was.
 *
 * @param name - What the value is, for the error.
 * @throws `TypeError` for functions, dates, maps, `NaN` and the like, wherever they are in it.
 */
export function requireJson(value: unknown, name: string): void {
  requireWithin(value, name, []);
}

function requireWithin(value: unknown, path: string, ancestors: readonly object[]): void {
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
    requireWithin(member, `${path}.${key}`, [...ancestors, value]);
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
