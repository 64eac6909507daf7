/** A received value, for the message of an error about it: never the contents of an object. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value);
  }
  if (typeof value === 'function') {
    return 'a function';
  }
  return typeof value === 'object' && value !== null ? kindOf(value) : String(value);
}

function kindOf(value: object): string {
  const constructor: unknown = Reflect.get(value, 'constructor');
  return typeof constructor === 'function' && constructor.name !== '' && constructor !== Object
    ? constructor.name
    : 'an object';
}
