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

/** @throws `TypeError` if this is no object. */
export function requireObject<T extends object>(name: string, value: T): T {
  if (!isObject(value)) {
    throw new TypeError(`${name} must be an object, got ${describeValue(value)}`);
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

/** @throws `TypeError` if this is no function. */
export function requireWork(work: unknown): void {
  requireFunction('work', work);
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

/** @throws `RangeError` if this is no token. */
export function requireToken(name: string, token: number): number {
  if (!Number.isSafeInteger(token) || token < 1) {
    throw new RangeError(`${name} must be a safe integer of at least 1, got ${String(token)}`);
  }
  return token;
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
  if (!(wait >= 0)) {
    throw new RangeError(`wait must be 0 or more milliseconds, got ${wait}`);
  }
}
