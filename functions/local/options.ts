import { parseArgs } from 'node:util';
import { parsePeriod, previousPeriod } from '../billing/period.ts';

/** What may go wrong on purpose. */
export type Fault = 'freeze' | 'kill' | 'partition' | 'outage' | 'none';

/** What can be left out, to see what it is good for. */
export type Omission = 'lease' | 'fence';

/** Where lease, ledger and charges are kept. */
export type StoreName = 'dynamodb' | 'azure-blob';

/** How the local run is to go. */
export interface RunOptions {
  /** Path of a CSV file; `undefined` for the one that comes with the example. */
  readonly customersFile: string | undefined;
  /** `YYYY-MM`. */
  readonly period: string;
  readonly store: StoreName;
  /** A server that is already running; `undefined` to start one. May hold a credential. */
  readonly endpoint: string | undefined;
  readonly schedulers: number;
  readonly leaseMs: number;
  readonly fault: Fault;
  readonly json: boolean;
  readonly without: Omission | undefined;
  readonly gateway: 'idempotent' | 'forgetful';
}

/** The command line is wrong; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Text of `--help`. */
export const helpText = `Runs a nightly billing job on this machine: several schedulers, one leader, and a fault.

Usage: npm start -- [options]

  --customers FILE    CSV with the columns id,name,plan,amount,currency; amounts in minor
                      units, such as cents. Default: 24 customers that come with the example
  --period YYYY-MM    month to bill. Default: the month before this one
  --store NAME        dynamodb or azure-blob. Default: dynamodb
  --endpoint URL      a server that is already running. dynamodb: an emulator, such as
                      DynamoDB Local. azure-blob: a blob service with its account, such as
                      http://127.0.0.1:10000/devstoreaccount1, or with a SAS. Default: an
                      emulator is started
  --schedulers N      how many processes could run the billing, 1 to 26. Default: 3
  --lease-ms N        how long a leader may be silent. dynamodb: 500 to 60000 ms, default
                      3000. azure-blob: whole seconds from 15000 to 60000 ms, which is what
                      Azure takes, default 15000; a run then lasts up to 90 s
  --fault NAME        what happens to the leader in mid-run. Default: freeze
                        freeze     it stands still for longer than its lease, then goes on
                        kill       it dies
                        partition  it can reach the payment gateway but not the store
                        outage     nobody can reach the store for two leases
                        none       nothing
  --json              print one JSON object as the last line
  --without NAME      leave out the fence, or the lease and with it the ledger
  --gateway NAME      idempotent, or forgetful: charges again for each repeated request.
                      Default: idempotent
  --help              print this

Exit status: 0 if every customer was charged once, no stale write was accepted and the ledger
knows what became of each charge, 1 if not, 2 if the options or the customers are wrong (then
nobody is charged).

Two controls show that a run can fail: --without fence, with the faults freeze and partition, and
--without lease --gateway forgetful, with two schedulers or more. Without these faults, or with a
gateway that honours keys, a run may succeed: nothing has needed what was left out.
`;

const flags = {
  customers: { type: 'string' },
  period: { type: 'string' },
  store: { type: 'string' },
  endpoint: { type: 'string' },
  schedulers: { type: 'string' },
  'lease-ms': { type: 'string' },
  fault: { type: 'string' },
  json: { type: 'boolean' },
  without: { type: 'string' },
  gateway: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Flag = keyof typeof flags;

/**
 * Reads the command line.
 *
 * @param now - Decides which period is billed by default.
 * @returns `help` if that was asked for.
 * @throws {@link UsageError} naming the value and the remedy.
 */
export function parseOptions(args: readonly string[], now: Date): RunOptions | 'help' {
  const given = read(args);
  if (given.has('help')) {
    return 'help';
  }
  const without = oneOf(given, 'without', ['lease', 'fence']);
  const fault =
    oneOf(given, 'fault', ['freeze', 'kill', 'partition', 'outage', 'none']) ??
    (without === 'lease' ? 'none' : 'freeze');
  const schedulers = wholeNumber(given, 'schedulers', { from: 1, to: 26 }) ?? 3;
  const store = oneOf(given, 'store', ['dynamodb', 'azure-blob']) ?? 'dynamodb';
  requirePlayable(fault, without, schedulers);
  return {
    customersFile: given.get('customers'),
    period: period(given.get('period'), now),
    store,
    endpoint: endpoint(given.get('endpoint')),
    schedulers,
    leaseMs: leaseMs(given, store),
    fault,
    json: given.has('json'),
    without,
    gateway: oneOf(given, 'gateway', ['idempotent', 'forgetful']) ?? 'idempotent',
  };
}

/** What each store takes as the duration of a lease, and what a run takes if nothing is said. */
const leaseBounds = {
  dynamodb: { from: 500, to: 60_000, step: 1, standard: 3_000 },
  'azure-blob': { from: 15_000, to: 60_000, step: 1_000, standard: 15_000 },
} as const;

function leaseMs(given: Given, store: StoreName): number {
  const { standard, step, ...range } = leaseBounds[store];
  const ms = wholeNumber(given, 'lease-ms', { ...range, on: ` on ${store}` }) ?? standard;
  if (ms % step !== 0) {
    throw new UsageError(
      `--lease-ms must be a multiple of ${step} from ${range.from} to ${range.to} on ${store}, got "${ms}"`,
    );
  }
  return ms;
}

function requirePlayable(fault: Fault, without: Omission | undefined, schedulers: number): void {
  if (without === 'lease' && fault !== 'none') {
    throw new UsageError(
      `--fault ${fault} happens to a leader, and --without lease has none; leave one of them out`,
    );
  }
  if (schedulers === 1 && fault !== 'none' && fault !== 'outage') {
    throw new UsageError(
      `--fault ${fault} needs somebody to take over, got --schedulers 1; use at least 2`,
    );
  }
}

type Given = ReadonlyMap<Flag, string>;

function read(args: readonly string[]): Given {
  // Strict mode would throw too, but with messages that do not name the remedy.
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  const given = new Map<Flag, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new UsageError(`unexpected argument "${token.value}"; options begin with --`);
    }
    if (token.kind === 'option') {
      given.set(...checked(token));
    }
  }
  return given;
}

function checked(token: {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}): [Flag, string] {
  const { name, rawName, value } = token;
  if (!isFlag(name)) {
    throw new UsageError(`unknown option "${rawName}"; --help lists the options`);
  }
  if (flags[name].type === 'boolean') {
    if (value !== undefined) {
      throw new UsageError(`--${name} takes no value, got "${value}"`);
    }
    return [name, ''];
  }
  if (value === undefined || value === '') {
    throw new UsageError(`--${name} needs a value; --help says which`);
  }
  return [name, value];
}

function isFlag(name: string): name is Flag {
  return Object.hasOwn(flags, name);
}

function oneOf<const Choice extends string>(
  given: Given,
  name: Flag,
  choices: readonly Choice[],
): Choice | undefined {
  const value = given.get(name);
  const choice = choices.find((candidate) => candidate === value);
  if (value !== undefined && choice === undefined) {
    throw new UsageError(`--${name} must be ${choices.join(' or ')}, got "${value}"`);
  }
  return choice;
}

function wholeNumber(
  given: Given,
  name: Flag,
  { from, to, on = '' }: { readonly from: number; readonly to: number; readonly on?: string },
): number | undefined {
  const value = given.get(name);
  if (value === undefined) {
    return undefined;
  }
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= from && number <= to)) {
    throw new UsageError(
      `--${name} must be a whole number from ${from} to ${to}${on}, got "${value}"`,
    );
  }
  return number;
}

function period(value: string | undefined, now: Date): string {
  try {
    return value === undefined ? previousPeriod(now) : parsePeriod(value);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--period: ${error.message}`) : error;
  }
}

function endpoint(value: string | undefined): string | undefined {
  if (
    value !== undefined &&
    !/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')
  ) {
    // What follows may be a credential.
    const [shown] = value.split('?');
    throw new UsageError(`--endpoint must be a URL such as http://127.0.0.1:8000, got "${shown}"`);
  }
  return value;
}
