import { describe, expect, it } from 'vitest';
import { helpText, parseOptions, UsageError } from '../../../functions/local/options.ts';

const now = new Date('2026-11-29T12:00:00Z');
const defaults = {
  customersFile: undefined,
  period: '2026-10',
  store: 'dynamodb',
  endpoint: undefined,
  schedulers: 3,
  leaseMs: 3_000,
  fault: 'freeze',
  json: false,
  without: undefined,
  gateway: 'idempotent',
};

describe('parseOptions', () => {
  it('fills in the defaults, the period among them', () => {
    expect(parseOptions([], now)).toEqual(defaults);
  });

  it.each([
    [['--customers', 'mine.csv'], { customersFile: 'mine.csv' }],
    [['--period=2026-02'], { period: '2026-02' }],
    [['--store', 'dynamodb'], {}],
    [['--store', 'azure-blob'], { store: 'azure-blob', leaseMs: 15_000 }],
    [['--store', 'azure-blob', '--lease-ms', '60000'], { store: 'azure-blob', leaseMs: 60_000 }],
    [['--endpoint', 'http://127.0.0.1:8000'], { endpoint: 'http://127.0.0.1:8000' }],
    [['--schedulers', '26'], { schedulers: 26 }],
    [['--lease-ms', '500'], { leaseMs: 500 }],
    [['--fault', 'kill'], { fault: 'kill' }],
    [['--fault', 'outage', '--schedulers', '1'], { fault: 'outage', schedulers: 1 }],
    [['--json'], { json: true }],
    [['--without', 'fence'], { without: 'fence' }],
    [['--without', 'lease'], { without: 'lease', fault: 'none' }],
    [['--gateway', 'forgetful'], { gateway: 'forgetful' }],
  ])('reads %j', (args, expected) => {
    expect(parseOptions(args, now)).toEqual({ ...defaults, ...expected });
  });

  it.each([
    [['--lease', '5'], /unknown option "--lease".*--help/],
    [['-x'], /unknown option "-x"/],
    [['freeze'], /unexpected argument "freeze"/],
    [['--period', '2026-13'], /--period: .*YYYY-MM.*"2026-13"/],
    [['--period'], /--period needs a value/],
    [['--json=yes'], /--json takes no value, got "yes"/],
    [['--store', 'etcd'], /--store must be dynamodb or azure-blob, got "etcd"/],
    [['--endpoint', 'localhost:8000'], /--endpoint must be a URL.*"localhost:8000"/],
    [['--endpoint', 'nonsense?sig=secret'], /--endpoint must be a URL.*"nonsense"$/],
    [['--schedulers', '0'], /--schedulers must be a whole number from 1 to 26, got "0"/],
    [['--schedulers', '2.5'], /--schedulers .* got "2.5"/],
    [
      ['--lease-ms', '10'],
      /--lease-ms must be a whole number from 500 to 60000 on dynamodb, got "10"/,
    ],
    [
      ['--lease-ms', '3000', '--store', 'azure-blob'],
      /--lease-ms must be a whole number from 15000 to 60000 on azure-blob, got "3000"/,
    ],
    [
      ['--store', 'azure-blob', '--lease-ms', '15500'],
      /--lease-ms must be a multiple of 1000 from 15000 to 60000 on azure-blob, got "15500"/,
    ],
    [['--lease-ms', '3s'], /--lease-ms .* got "3s"/],
    [['--fault', 'fire'], /--fault must be freeze or kill .* got "fire"/],
    [['--without', 'gateway'], /--without must be lease or fence, got "gateway"/],
    [['--gateway', 'slow'], /--gateway must be idempotent or forgetful, got "slow"/],
    [['--without', 'lease', '--fault', 'kill'], /leave one of them out/],
    [['--schedulers', '1'], /use at least 2/],
  ])('rejects %j, naming the value and the remedy', (args, message) => {
    expect(() => parseOptions(args, now)).toThrow(UsageError);
    expect(() => parseOptions(args, now)).toThrow(message);
  });

  it('asks for help before anything else', () => {
    expect(parseOptions(['--help', '--schedulers', '1'], now)).toBe('help');
  });

  it('promises failure only of runs that need what is left out', () => {
    expect(helpText).toMatch(
      /Two controls .*--without fence, with the faults freeze and partition/,
    );
  });

  it.each(Object.keys(defaults).filter((name) => !['customersFile', 'leaseMs'].includes(name)))(
    'is described by --help: %s',
    (name) => {
      expect(helpText).toContain(`--${name} `);
    },
  );
});
