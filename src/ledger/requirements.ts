import { describeValue } from '../core/describe-value.ts';
import {
  requireFunction,
  requireNumber,
  requireObject,
  requireToken,
} from '../core/requirements.ts';
import { canonicalJson } from './canonical-json.ts';
import type { OnceOptions } from './ledger.ts';
import type { LedgerStore } from './ledger-store.ts';
import { spareMs } from './transitions.ts';

/** Longest result, in bytes of UTF-8 JSON; the same on every store. */
const maxResultBytes = 2048;

/** @throws `TypeError` if this is no ledger store. */
export function requireLedgerStore(store: LedgerStore): LedgerStore {
  const given: unknown = store;
  const isStore =
    typeof given === 'object' && given !== null && 'write' in given && 'listUnfinished' in given;
  if (!isStore) {
    throw new TypeError(
      `store must be a ledger store, such as dynamoDbLedgerStore(...) returns, got ${describeValue(store)}`,
    );
  }
  return store;
}

/** @throws `TypeError` or `RangeError` if these are no options of `once`. */
export function requireOnce(options: OnceOptions, effect: unknown): void {
  const { keyHonouredForMs, leadership } = requireObject('options', options);
  requireLeadership(leadership);
  requireNumber('keyHonouredForMs', keyHonouredForMs, {
    kind: `0 for never, or more than the spare hour (${spareMs})`,
    fits: (ms) => ms === 0 || ms > spareMs,
  });
  requireFunction('effect', effect);
}

function requireLeadership(leadership: unknown): void {
  const leads =
    typeof leadership === 'object' &&
    leadership !== null &&
    'assertLeader' in leadership &&
    typeof leadership.assertLeader === 'function' &&
    'fencingToken' in leadership;
  if (!leads) {
    throw new TypeError(
      `leadership must be the one that the work is given, got ${describeValue(leadership)}`,
    );
  }
  requireToken('leadership.fencingToken', leadership.fencingToken);
}

/** @throws `TypeError` if this is no status of a settled entry. */
export function requireStatus(status: unknown): asserts status is 'done' | 'declined' {
  if (status !== 'done' && status !== 'declined') {
    throw new TypeError(`status must be 'done' or 'declined', got ${describeValue(status)}`);
  }
}

/**
 * The result as it will be read back.
 *
 * @throws `TypeError` if it is not JSON, `RangeError` if it is longer than 2 KiB.
 */
export function requireResult(result: unknown): unknown {
  if (result === undefined) {
    return undefined;
  }
  const text = canonicalJson(result, 'result');
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxResultBytes) {
    throw new RangeError(`result must be at most ${maxResultBytes} bytes of JSON, got ${bytes}`);
  }
  return JSON.parse(text);
}
