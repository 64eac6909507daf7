import { describeValue } from './describe-value.ts';
import type { Clock } from './clock.ts';
import type { LeaseStore, StoreLimits } from './lease-store.ts';

/** @throws `TypeError` if this is no lease store. */
export function requireStore(store: LeaseStore): LeaseStore {
  requireLimits(store);
  if (!hasMethods(store, ['look', 'acquire', 'abandon'])) {
    throw notStore(store);
  }
  return store;
}

/** @throws `TypeError` if this has no limits of a store. */
export function requireLimits(store: { readonly limits: StoreLimits }): StoreLimits {
  const given: unknown = store;
  if (typeof given !== 'object' || given === null || !isObject(Reflect.get(given, 'limits'))) {
    throw notStore(given);
  }
  return store.limits;
}

function notStore(given: unknown): TypeError {
  return new TypeError(
    `store must be a lease store, such as dynamoDbLeaseStore(...) returns, got ${describeValue(given)}`,
  );
}

/** @throws `TypeError` if this is no clock. */
export function requireClock(clock: Clock): Clock {
  if (!hasMethods(clock, ['monotonicMs', 'wallMs', 'sleep'])) {
    throw new TypeError(
      `clock must have monotonicMs, wallMs and sleep, got ${describeValue(clock)}`,
    );
  }
  return clock;
}

/** @throws `TypeError` if a signal is given and is none. */
export function requireSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal !== undefined && !hasMethods(signal, ['throwIfAborted', 'addEventListener'])) {
    throw new TypeError(`signal must be an AbortSignal, got ${describeValue(signal)}`);
  }
  return signal;
}

/**
 * @param kind - What it must be, in words.
 * @throws `TypeError` if this is no object.
 */
export function requireObject<T extends object>(
  name: string,
  value: T,
  kind: string = 'an object',
): T {
  if (!isObject(value)) {
    throw new TypeError(`${name} must be ${kind}, got ${describeValue(value)}`);
  }
  return value;
}

/** @throws `TypeError` if this is no function. */
export function requireFunction<F>(name: string, value: F): F {
  if (typeof value !== 'function') {
    throw new TypeError(`${name} must be a function, got ${describeValue(value)}`);
  }
  return value;
}

/** @throws `TypeError` if this is given and is no function. */
export function optionalFunction<F>(name: string, value: F | undefined): F | undefined {
  return value === undefined ? undefined : requireFunction(name, value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Which numbers an option takes: in words, and as a check. */
export interface NumberRule {
  readonly kind: string;
  readonly fits: (value: number) => boolean;
}

/** @throws `TypeError` if this is no number, `RangeError` if it is one that does not fit. */
export function requireNumber(name: string, value: unknown, { kind, fits }: NumberRule): number {
  if (typeof value !== 'number') {
    throw new TypeError(`${name} must be a number (${kind}), got ${describeValue(value)}`);
  }
  if (!fits(value)) {
    throw new RangeError(`${name} must be ${kind}, got ${value}`);
  }
  return value;
}

/** For {@link requireNumber}: a duration that is longer than nothing. */
export const positiveMs: NumberRule = {
  kind: 'a positive number of milliseconds',
  fits: (ms) => Number.isFinite(ms) && ms > 0,
};

/** @throws `TypeError` if this is no number, `RangeError` if it is no fencing token. */
export function requireToken(name: string, token: unknown): number {
  return requireNumber(name, token, {
    kind: 'a safe integer of at least 1',
    fits: (value) => Number.isSafeInteger(value) && value >= 1,
  });
}

/** Longest identity or lease name, in bytes of UTF-8. */
export const maxNameBytes = 256;

/**
 * Checks a lease name, an identity or a label.
 *
 * @throws `TypeError` if it is no string of Unicode text, `RangeError` if it is empty or longer
 *   than 256 bytes.
 */
export function requireName(name: string, value: unknown): string {
  if (typeof value !== 'string' || !value.isWellFormed()) {
    throw new TypeError(`${name} must be a string of Unicode text, got ${describeValue(value)}`);
  }
  const bytes = new TextEncoder().encode(value).length;
  if (bytes === 0 || bytes > maxNameBytes) {
    throw new RangeError(`${name} must have 1 to ${maxNameBytes} bytes of UTF-8, got ${bytes}`);
  }
  return value;
}

/** @throws `TypeError` or `RangeError` if this is no way to wait. */
export function requireWait(wait: unknown): void {
  if (wait === 'none' || wait === 'one-lease') {
    return;
  }
  if (typeof wait !== 'number') {
    throw new TypeError(
      `wait must be 'none', 'one-lease' or milliseconds, got ${describeValue(wait)}`,
    );
  }
  requireNumber('wait', wait, { kind: '0 or more milliseconds', fits: (ms) => ms >= 0 });
}
