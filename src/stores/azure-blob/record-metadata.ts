import { Buffer } from 'node:buffer';
import { LeaseRecordInvalidError, type ErrorContext } from '../../core/errors.ts';
import type { LeaseRecord } from '../../core/lease-store.ts';
import { azureBlobLimits } from './limits.ts';
import { decodePastTerms, encodePastTerms } from './past-terms.ts';

/**
 * Names of the metadata. Lower case, because they travel as names of HTTP headers, which have no
 * case.
 */
export const keys = {
  marker: 'tenure',
  state: 'state',
  token: 'token',
  holder: 'holder',
  durationMs: 'durationms',
  mark: 'mark',
  progress: 'progress',
  history: 'history',
  jobState: 'jobstate',
} as const;

/** Metadata as the SDK has it. */
export type Metadata = Readonly<Record<string, string>>;

/** A lease record as it is stored. */
export interface StoredLease {
  /** `new` if no term has begun since the blob was created. */
  readonly state: 'new' | 'held' | 'free';
  /** Lease id of the attempt that wrote the term; of a new record, of the one that created it. */
  readonly mark: string;
  readonly record: LeaseRecord;
}

/** Layout of the record; another one would be another number. */
const version = '1';
/** Azure allows 8 KiB of names and values; the rest is a margin. */
const maxBytes = 8_000;

/**
 * Metadata for a record.
 *
 * @throws `RangeError` if it would be more than a blob can carry.
 */
export function encodeRecord({ state, mark, record }: StoredLease): Metadata {
  const { fencingToken, holder, progress, jobState, history, leaseDurationMs } = record;
  const fields: readonly (readonly [string, string])[] = [
    [keys.marker, version],
    [keys.state, state],
    [keys.token, fencingToken === undefined ? '' : String(fencingToken)],
    [keys.holder, encodeText(holder)],
    [keys.durationMs, String(leaseDurationMs)],
    [keys.mark, mark],
    [keys.progress, encodeText(progress ?? '')],
    [keys.jobState, encodeText(jobState ?? '')],
    [keys.history, encodePastTerms(history)],
  ];
  // An empty header value would vanish on the way.
  const present = fields.filter(([, value]) => value !== '');
  const bytes = present.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > maxBytes) {
    throw new RangeError(
      `a lease record must fit into ${maxBytes} bytes of metadata, got ${bytes}; save less progress`,
    );
  }
  return Object.fromEntries(present);
}

/**
 * Reads metadata as a lease record. What has other names is ignored, and gone after the next write.
 *
 * @throws `LeaseRecordInvalidError` naming what is missing or not as it must be. Guessing instead
 *   could free the lease of a client that writes another layout.
 */
export function decodeRecord(
  metadata: Metadata,
  context: ErrorContext,
  onTokenLost: 'fail' | 'restart',
): StoredLease {
  const fields = new Fields(metadata, context);
  fields.requireMarker();
  const state = fields.state();
  const mark = fields.mark();
  const record = {
    holder: state === 'new' ? '' : fields.holder(),
    leaseDurationMs: fields.durationMs(),
    progress: fields.text(keys.progress),
    jobState: fields.text(keys.jobState),
    history: fields.history(),
    fencingToken: fields.fencingToken(),
  };
  if (state === 'new' && record.fencingToken !== undefined) {
    fields.invalid(keys.token, 'absent from a new record');
  }
  // Last, so that `token-lost` says that everything else is in order.
  if (state !== 'new' && record.fencingToken === undefined && onTokenLost === 'fail') {
    throw new LeaseRecordInvalidError(
      'token-lost',
      `metadata ${keys.token} is missing: something else has rewritten it; set it to a number above every token used, or make the store with onTokenLost 'restart'`,
      context,
    );
  }
  return { state, mark, record };
}

class Fields {
  readonly #metadata: Metadata;
  readonly #context: ErrorContext;

  constructor(metadata: Metadata, context: ErrorContext) {
    this.#metadata = metadata;
    this.#context = context;
  }

  requireMarker(): void {
    const found = this.#get(keys.marker);
    if (found === undefined) {
      throw new LeaseRecordInvalidError(
        'malformed',
        `the blob is no lease record, since metadata ${keys.marker} is missing: something else has created or overwritten it; use another lease name or container`,
        this.#context,
      );
    }
    if (found !== version) {
      this.invalid(keys.marker, `"${version}"`);
    }
  }

  state(): StoredLease['state'] {
    const state = this.#get(keys.state);
    return state === 'new' || state === 'held' || state === 'free'
      ? state
      : this.invalid(keys.state, '"new", "held" or "free"');
  }

  mark(): string {
    const mark = this.#get(keys.mark) ?? '';
    return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(mark)
      ? mark
      : this.invalid(keys.mark, 'a UUID in lower case');
  }

  holder(): string {
    return this.text(keys.holder) ?? this.invalid(keys.holder, 'text as base64url');
  }

  text(name: string): string | undefined {
    const encoded = this.#get(name);
    return encoded === undefined
      ? undefined
      : (decodeText(encoded) ?? this.invalid(name, 'text as base64url'));
  }

  durationMs(): number {
    const { minDurationMs, maxDurationMs, granularityMs } = azureBlobLimits;
    const ms = wholeNumber(this.#get(keys.durationMs));
    return ms >= minDurationMs && ms <= maxDurationMs && ms % granularityMs === 0
      ? ms
      : this.invalid(
          keys.durationMs,
          `a multiple of ${granularityMs} from ${minDurationMs} to ${maxDurationMs}`,
        );
  }

  history(): LeaseRecord['history'] {
    const text = this.#get(keys.history);
    return text === undefined
      ? []
      : (decodePastTerms(text) ?? this.invalid(keys.history, 'a list of terms'));
  }

  fencingToken(): number | undefined {
    const digits = this.#get(keys.token);
    if (digits === undefined) {
      return undefined;
    }
    const token = wholeNumber(digits);
    return token >= 1 && Number.isSafeInteger(token)
      ? token
      : this.invalid(keys.token, 'a whole number from 1 to 2^53 - 1');
  }

  invalid(name: string, expected: string): never {
    throw new LeaseRecordInvalidError(
      'malformed',
      `metadata ${name} must be ${expected}; repair the blob, or use another lease name or container`,
      this.#context,
    );
  }

  #get(name: string): string | undefined {
    return Object.hasOwn(this.#metadata, name) ? this.#metadata[name] : undefined;
  }
}

/** A number written as digits, and in no other way that `Number` understands; else 0. */
export function wholeNumber(digits: string | undefined): number {
  return /^[1-9][0-9]*$/.test(digits ?? '') ? Number(digits) : 0;
}

/** Text of any language as base64url, since metadata is ASCII. */
function encodeText(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

/** Reads what {@link encodeText} wrote; `undefined` if it is anything else. */
function decodeText(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64url');
  if (bytes.toString('base64url') !== encoded) {
    return undefined;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
