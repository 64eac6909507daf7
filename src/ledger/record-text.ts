/**
 * Ledger records as JSON text, the same on every store and readable by a person.
 *
 * @module
 */
import { LedgerEntryInvalidError } from '../core/errors.ts';
import { isUnfinished, type Attempt, type LedgerRecord } from './ledger-store.ts';

/** JSON text of a record. */
export function encodeRecord(record: LedgerRecord): string {
  return JSON.stringify(record);
}

/**
 * Reads what {@link encodeRecord} wrote.
 *
 * @param store - Name of the store, for the error.
 * @throws `LedgerEntryInvalidError` naming the field that is missing or not as it must be. Guessing
 *   instead could make an effect twice.
 */
export function decodeRecord(text: string | undefined, store: string): LedgerRecord {
  const json = parsed(text);
  if (!isObject(json)) {
    throw invalidEntry('it is no JSON object', store);
  }
  const take = <T>(name: keyof LedgerRecord, fits: (value: unknown) => value is T): T => {
    const value = json[name];
    if (!fits(value)) {
      throw invalidEntry(`its ${name} is missing or malformed`, store);
    }
    return value;
  };
  const record: LedgerRecord = {
    key: take('key', isKey),
    state: take('state', isState),
    requestHash: take('requestHash', isText),
    fencingToken: take('fencingToken', isToken),
    attempts: take('attempts', isAttempts),
    triedSinceMs: take('triedSinceMs', isOptionalMs),
    result: json['result'],
  };
  if (record.state === 'pending' && record.attempts.length === 0) {
    throw invalidEntry('it is pending without an attempt', store);
  }
  return record;
}

/** The error for what is stored and is no ledger entry. */
export function invalidEntry(problem: string, store: string): LedgerEntryInvalidError {
  return new LedgerEntryInvalidError(
    `what is stored is no ledger entry: ${problem}; repair it, or use a place of its own for the ledger`,
    { store },
  );
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isKey(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

function isState(value: unknown): value is LedgerRecord['state'] {
  return isUnfinished(value) || value === 'untried' || value === 'done' || value === 'declined';
}

function isToken(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isMs(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isOptionalMs(value: unknown): value is number | undefined {
  return value === undefined || isMs(value);
}

function isAttempts(value: unknown): value is readonly Attempt[] {
  return Array.isArray(value) && value.every(isAttempt);
}

function isAttempt(value: unknown): value is Attempt {
  return (
    isObject(value) &&
    isText(value['attemptId']) &&
    isToken(value['fencingToken']) &&
    isMs(value['startedMs']) &&
    typeof value['open'] === 'boolean' &&
    (value['replaced'] === 'untried' || isUnfinished(value['replaced']))
  );
}
