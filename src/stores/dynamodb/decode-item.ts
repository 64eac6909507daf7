import { longestTimerMs } from '../../core/clock.ts';
import { LeaseRecordInvalidError, type ErrorContext } from '../../core/errors.ts';
import type { PastTerm } from '../../core/lease-store.ts';
import type { StoredRecord } from '../../core/record-store.ts';
import { attributes, type StoredItem } from './attributes.ts';
import { decodePastTerms } from './past-terms.ts';

/**
 * Reads an item as a lease record. Attributes of others are ignored.
 *
 * @throws `LeaseRecordInvalidError` naming the attribute that is missing or not as it must be.
 *   Guessing instead would free the lease of a client that writes another format.
 */
export function decodeItem(
  item: StoredItem,
  context: ErrorContext,
  onTokenLost: 'fail' | 'restart',
): StoredRecord {
  const fields = new Fields(item, context);
  const version = fields.text(attributes.version);
  const released = fields.released();
  const record = {
    holder: fields.text(attributes.holder),
    leaseDurationMs: fields.durationMs(),
    progress: fields.progress(),
    jobState: fields.optionalText(attributes.jobState),
    history: fields.history(),
    fencingToken: fields.fencingToken(),
  };
  // Last, so that `token-lost` says that everything else is in order.
  if (record.fencingToken === undefined && onTokenLost === 'fail') {
    throw new LeaseRecordInvalidError(
      'token-lost',
      `attribute ${attributes.fencingToken} is missing: a client that does not know it has replaced the item; set it to a number above every token used, or make the store with onTokenLost 'restart'`,
      context,
    );
  }
  return { version, released, record };
}

class Fields {
  readonly #item: StoredItem;
  readonly #context: ErrorContext;

  constructor(item: StoredItem, context: ErrorContext) {
    this.#item = item;
    this.#context = context;
  }

  text(name: string): string {
    const text = this.#item[name]?.S;
    return text === undefined || text === ''
      ? this.#invalid(name, 'a string that is not empty')
      : text;
  }

  optionalText(name: string): string | undefined {
    return this.#item[name] === undefined ? undefined : this.text(name);
  }

  durationMs(): number {
    const name = attributes.leaseDuration;
    const text = this.#item[name]?.S ?? '';
    // `Number` would also read "1e3", "0x10" and "20.0", which the Java client cannot.
    const ms = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
    return ms >= 1 && ms <= longestTimerMs
      ? ms
      : this.#invalid(name, `a string of digits, milliseconds from 1 to ${longestTimerMs}`);
  }

  released(): boolean {
    const name = attributes.released;
    const value = this.#item[name];
    // The Java client reads any value as released but acquires only "1": such a row is stuck for
    // it, and may be held all the same.
    return value !== undefined && value.S !== '1' ? this.#invalid(name, 'the string "1"') : !!value;
  }

  progress(): string | undefined {
    const name = attributes.progress;
    const value = this.#item[name];
    if (value === undefined) {
      return undefined;
    }
    return value.B === undefined ? this.#invalid(name, 'binary') : textOf(value.B);
  }

  history(): readonly PastTerm[] {
    const name = attributes.history;
    const value = this.#item[name];
    if (value === undefined) {
      return [];
    }
    return decodePastTerms(value.S ?? '') ?? this.#invalid(name, 'a JSON array of terms');
  }

  fencingToken(): number | undefined {
    const name = attributes.fencingToken;
    const value = this.#item[name];
    if (value === undefined) {
      return undefined;
    }
    const token = /^[1-9][0-9]*$/.test(value.N ?? '') ? Number(value.N) : 0;
    return token >= 1 && Number.isSafeInteger(token)
      ? token
      : this.#invalid(name, 'a whole number from 1 to 2^53 - 1');
  }

  #invalid(name: string, expected: string): never {
    throw new LeaseRecordInvalidError(
      'malformed',
      `attribute ${name} must be ${expected}; repair the item, or use another lease name or table`,
      this.#context,
    );
  }
}

/**
 * Bytes as text. Bytes that are no UTF-8 come from another client: they are marked, since what
 * replacing characters leaves could happen to be JSON.
 */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return `\uFFFD${new TextDecoder().decode(bytes)}`;
  }
}
