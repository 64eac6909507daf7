/**
 * How an entry of the ledger changes. Pure: given what is stored, each function says what to write
 * and what that means, so it can be asked again when somebody else was faster.
 *
 * An entry belongs to nobody. An attempt knows itself by its id: it may settle the entry only while
 * it is the newest, so a process that comes back late changes nothing that a newer attempt rests on;
 * and it may take back itself at any time, since only its own process knows that nothing was sent.
 *
 * @module
 */
import type { Attempt, LedgerRecord } from './ledger-store.ts';

/** What to write, if anything, and what is the case then. */
export interface Step<Meaning> {
  readonly write: LedgerRecord | undefined;
  readonly meaning: Meaning;
}

/** How an attempt ended. `not-sent` is proof that it had no effect. */
export type Ending = Settlement | { readonly status: 'unknown' } | { readonly status: 'not-sent' };

/** What the downstream decided, for good. */
export interface Settlement {
  readonly status: 'done' | 'declined';
  /** JSON to keep. */
  readonly result: unknown;
}

type Settled = LedgerRecord & { readonly state: Settlement['status'] };
type Unsettled = LedgerRecord & { readonly state: Attempt['replaced'] };

/** A wish to make an effect. */
export interface Intent {
  readonly key: readonly string[];
  readonly requestHash: string;
  readonly attempt: Omit<Attempt, 'replaced' | 'open'>;
  /** How long the downstream honours the key, in milliseconds; 0 for never. */
  readonly keyHonouredForMs: number;
  /** Now, in wall-clock milliseconds. */
  readonly nowMs: number;
}

/**
 * What became of an intent: `begun` (the attempt is on record and may go on), `settled`, `unknown`
 * (may not be repeated), `stale` (a higher token has written), `changed` (another request), or
 * `foreign` (the entry of another key).
 */
export type Begun = 'begun' | 'settled' | 'unknown' | 'stale' | 'changed' | 'foreign';

/** This part of the time for which a key is honoured is left unused, for clocks that differ. */
export const spareMs = 3_600_000;

/** So many attempts are told apart; what is older can no longer be taken back. */
const maxAttempts = 8;

/** Puts an attempt on record, if it may be made. Asked again about the same attempt, goes on. */
export function begin(found: LedgerRecord | undefined, intent: Intent): Step<Begun> {
  const { attemptId } = intent.attempt;
  if (found?.state === 'pending' && isNewest(found, attemptId)) {
    return { write: undefined, meaning: 'begun' };
  }
  // An earlier delivery of this very write may be what somebody else has built upon since.
  const others = found && withoutAttempt(found, attemptId);
  const step = beginBeside(others, intent);
  return others === found ? step : { ...step, write: step.write ?? others };
}

function beginBeside(others: LedgerRecord | undefined, intent: Intent): Step<Begun> {
  if (others === undefined) {
    return { write: withAttempt(blank(intent), intent), meaning: 'begun' };
  }
  const refusal = refusalOf(others, intent);
  if (refusal !== undefined) {
    return { write: undefined, meaning: refusal };
  }
  if (!isUnsettled(others)) {
    return { write: undefined, meaning: 'settled' };
  }
  if (others.fencingToken > intent.attempt.fencingToken) {
    return { write: undefined, meaning: 'stale' };
  }
  return beginAgain(others, intent);
}

function refusalOf(others: LedgerRecord, intent: Intent): 'foreign' | 'changed' | undefined {
  if (!sameKey(others.key, intent.key)) {
    return 'foreign';
  }
  return others.state !== 'untried' && others.requestHash !== intent.requestHash
    ? 'changed'
    : undefined;
}

function beginAgain(others: Unsettled, intent: Intent): Step<Begun> {
  if (others.state === 'untried') {
    return { write: withAttempt(blank(intent), intent), meaning: 'begun' };
  }
  if (isKeyHonoured(others, intent)) {
    return { write: withAttempt(others, intent), meaning: 'begun' };
  }
  const { fencingToken } = intent.attempt;
  const write: LedgerRecord = { ...others, state: 'unknown', fencingToken };
  return { write: others.state === 'unknown' ? undefined : write, meaning: 'unknown' };
}

/**
 * Records how an attempt ended. The meaning is whether it could be recorded: not if the entry is
 * settled, the attempt was taken back, or a newer one has begun.
 */
export function end(
  found: LedgerRecord | undefined,
  attemptId: string,
  ending: Ending,
): Step<boolean> {
  const own = found?.attempts.find((attempt) => attempt.attemptId === attemptId);
  if (found === undefined || !own?.open) {
    return { write: undefined, meaning: false };
  }
  if (ending.status === 'not-sent') {
    return { write: withoutAttempt(found, attemptId), meaning: true };
  }
  // A newer attempt may have had the effect that an older one was denied.
  if (!isNewest(found, attemptId)) {
    return { write: undefined, meaning: false };
  }
  if (ending.status !== 'unknown') {
    return { write: settled(found, ending), meaning: true };
  }
  const attempts = [...found.attempts.slice(0, -1), { ...own, open: false }];
  return { write: { ...found, state: 'unknown', attempts }, meaning: true };
}

/** The record, settled for good. */
export function settled(record: LedgerRecord, { status, result }: Settlement): LedgerRecord {
  return { ...record, state: status, attempts: [], triedSinceMs: firstTriedMs(record), result };
}

/** Whether no attempt changes the record any more. */
export function isSettled(record: LedgerRecord): record is Settled {
  return record.state === 'done' || record.state === 'declined';
}

function isUnsettled(record: LedgerRecord): record is Unsettled {
  return !isSettled(record);
}

/** Start of the first attempt that may have taken effect, as wall time. */
export function firstTriedMs({ attempts, triedSinceMs }: LedgerRecord): number | undefined {
  return earliest([triedSinceMs, ...attempts.map(({ startedMs }) => startedMs)]);
}

/**
 * Whether the downstream still knows the key, so that a repetition has no second effect. A first
 * attempt that lies further ahead than clocks may differ says nothing about its age.
 */
export function isKeyHonoured(
  record: LedgerRecord,
  { keyHonouredForMs, nowMs }: Pick<Intent, 'keyHonouredForMs' | 'nowMs'>,
): boolean {
  const ageMs = nowMs - (firstTriedMs(record) ?? nowMs);
  return ageMs < keyHonouredForMs - spareMs && ageMs > -spareMs;
}

function blank({ key, requestHash, attempt }: Intent): Unsettled {
  return {
    key,
    state: 'untried',
    requestHash,
    fencingToken: attempt.fencingToken,
    attempts: [],
    triedSinceMs: undefined,
    result: undefined,
  };
}

function withAttempt(record: Unsettled, { attempt }: Intent): LedgerRecord {
  const made: Attempt = { ...attempt, replaced: record.state, open: true };
  const attempts = [...record.attempts, made];
  const dropped = attempts.slice(0, -maxAttempts);
  return {
    ...record,
    state: 'pending',
    fencingToken: attempt.fencingToken,
    attempts: attempts.slice(-maxAttempts),
    triedSinceMs: earliest([record.triedSinceMs, ...dropped.map(({ startedMs }) => startedMs)]),
  };
}

/** The record as if the attempt had not been made; the same object if it is not on record. */
function withoutAttempt(record: LedgerRecord, attemptId: string): LedgerRecord {
  const own = record.attempts.find((attempt) => attempt.attemptId === attemptId);
  if (own === undefined) {
    return record;
  }
  const attempts = record.attempts.filter((attempt) => attempt !== own);
  if (attempts.length === 0 && record.triedSinceMs === undefined) {
    return { ...record, attempts, state: 'untried' };
  }
  const wasUnknown = isNewest(record, attemptId) && own.replaced === 'unknown';
  const isUnknown = wasUnknown || !attempts.some(({ open }) => open);
  return { ...record, attempts, state: isUnknown ? 'unknown' : record.state };
}

function isNewest({ attempts }: LedgerRecord, attemptId: string): boolean {
  return attempts.at(-1)?.attemptId === attemptId;
}

function sameKey(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
