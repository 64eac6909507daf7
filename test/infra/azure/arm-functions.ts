import { createHash } from 'node:crypto';
import { isObject, text, type Json, type JsonObject } from './json.ts';

/** Where the pretended deployment takes place. */
export const resourceGroup: JsonObject = {
  id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/billing',
  name: 'billing',
  location: 'westeurope',
};

const subscriptionId = '/subscriptions/00000000-0000-0000-0000-000000000001';

/**
 * The template functions that need nothing but their arguments.
 *
 * `uniqueString` and `guid` give other values than Azure does, of the same shape.
 *
 * @see https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions
 */
export const functions: Readonly<Record<string, (...args: readonly Json[]) => Json>> = {
  and: (...values) => values.every((value) => isTrue(value)),
  concat: (...parts) =>
    parts.every((part) => Array.isArray(part))
      ? parts.flatMap((part) => part as Json[])
      : parts.map((part) => scalar(part)).join(''),
  createArray: (...items) => items,
  createObject: (...members) => objectOf(members),
  empty: (value) =>
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0),
  format: (pattern, ...values) =>
    string(pattern).replaceAll(/\{(\d+)\}/gu, (_, index: string) => scalar(values[Number(index)])),
  guid: (...parts) =>
    digest(parts, 'hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5'),
  mul: (left, right) => number(left) * number(right),
  not: (value) => !isTrue(value),
  resourceGroup: () => resourceGroup,
  resourceId: (type, ...names) => `${string(resourceGroup['id'])}${providerPath(type, names)}`,
  string: (value) => text(value),
  subscriptionResourceId: (type, ...names) => `${subscriptionId}${providerPath(type, names)}`,
  uniqueString: (...parts) =>
    digest(parts, 'base64url').toLowerCase().replaceAll(/[-_]/gu, 'x').slice(0, 13),
};

/** `/providers/A.B/c/name/d/name` for type `A.B/c/d`. @throws `Error` if a name lacks or is spare. */
export function providerPath(type: Json | undefined, names: readonly Json[]): string {
  const [namespace = '', ...kinds] = string(type).split('/');
  if (kinds.length !== names.length || kinds.length === 0) {
    throw new Error(`${string(type)} takes ${kinds.length} names, not ${names.length}`);
  }
  const steps = kinds.map((kind, index) => `${kind}/${string(names[index])}`);
  return `/providers/${namespace}/${steps.join('/')}`;
}

function digest(parts: readonly Json[], encoding: 'hex' | 'base64url'): string {
  return createHash('sha256')
    .update(parts.map((part) => string(part)).join('|'))
    .digest(encoding);
}

function objectOf(members: readonly Json[]): JsonObject {
  const made: Record<string, Json> = {};
  for (let index = 0; index < members.length; index += 2) {
    made[string(members[index])] = members[index + 1] ?? null;
  }
  return made;
}

function string(value: Json | undefined): string {
  if (typeof value !== 'string') {
    throw new TypeError(`expected a string, received ${text(value)}`);
  }
  return value;
}

function number(value: Json | undefined): number {
  if (typeof value !== 'number') {
    throw new TypeError(`expected a number, received ${text(value)}`);
  }
  return value;
}

function isTrue(value: Json | undefined): boolean {
  if (typeof value !== 'boolean') {
    throw new TypeError(`expected a boolean, received ${text(value)}`);
  }
  return value;
}

function scalar(value: Json | undefined): string {
  if (value === undefined || value === null || isObject(value) || Array.isArray(value)) {
    throw new TypeError(`expected a string, received ${text(value)}`);
  }
  return text(value);
}
