import { parseArgs } from 'node:util';
import { parsePeriod, previousPeriod } from '../billing/period.ts';

/** What may go wrong on purpose. */
export type Fault = 'freeze' | 'kill' | 'partition' | 'outage' | 'none';

/** What can be left out, so that the run has to fail. */
export type Omission = 'lease' | 'fence';

/** How the local run is to go. */
export interface RunOptions {
  /** Path of a CSV file; `undefined` for the one that comes with the example. */
  readonly customersFile: string | undefined;
  /** `YYYY-MM`. */
  readonly period: string;
  readonly store: 'dynamodb';
  /** A server that is already running; `undefined` to start one. */
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
  --store NAME        dynamodb. Default: dynamodb
  --endpoint URL      a DynamoDB emulator that is already running, such as DynamoDB Local.
                      Default: one is started in this process
  --schedulers N      how many processes could run the billing, 1 to 26. Default: 3
  --lease-ms N        how long a leader may be silent, 500 to 60000 ms. Default: 3000
  --fault NAME        what happens to the leader in mid-run. Default: freeze
                        freeze     it stands still for longer than its lease, then goes on
                        kill       it dies
                        partition  it can reach the payment gateway but not the store
                        outage     nobody can reach the store for two leases
                        none       nothing
  --json              print one JSON object as the last line
  --without NAME      leave out the lease or the fence; the run must then fail
  --gateway NAME      idempotent, or forgetful: charges again for each repeated request.
                      Default: idempotent
  --help              print this

Exit status: 0 if every customer was charged once and no stale write was accepted, 1 if not,
2 if the options or the customers are wrong (then nobody is charged).
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
  requirePlayable(fault, without, schedulers);
  return {
    customersFile: given.get('customers'),
    period: period(given.get('period'), now),
    store: oneOf(given, 'store', ['dynamodb']) ?? 'dynamodb',
    endpoint: endpoint(given.get('endpoint')),
    schedulers,
    leaseMs: wholeNumber(given, 'lease-ms', { from: 500, to: 60_000 }) ?? 3_000,
    fault,
    json: given.has('json'),
    without,
    gateway: oneOf(given, 'gateway', ['idempotent', 'forgetful']) ?? 'idempotent',
  };
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
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const value = given.get(name);
  if (value === undefined) {
    return undefined;
  }
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= from && number <= to)) {
    throw new UsageError(`--${name} must be a whole number from ${from} to ${to}, got "${value}"`);
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
    throw new UsageError(`--endpoint must be a URL such as http://127.0.0.1:8000, got "${value}"`);
  }
  return value;
}
