import type { Fault, Omission, RunOptions } from './options.ts';

const faults: Readonly<Record<Fault, string>> = {
  freeze: 'the leader stands still for longer than its lease, then goes on as if nothing had been',
  kill: 'the leader dies',
  partition: 'the leader can reach the gateway but not the store',
  outage: 'nobody can reach the store for two leases',
  none: 'nothing',
};

const omissions: Readonly<Record<Omission, string>> = {
  lease: 'the lease. Nobody leads; the run is expected to fail',
  fence: 'the fence. The table takes any write; the run is expected to fail',
};

/** What somebody who knows nothing yet needs to follow a run. */
export function introductionTo(options: RunOptions, customers: number): string {
  const { period, schedulers, leaseMs, endpoint, gateway, fault, without } = options;
  const lines = [
    `The billing of ${period} for ${customers} customers.`,
    '',
    `  schedulers  ${schedulers} processes, each of which could run it. Only the holder of a lease should:`,
    '              the leader. A fencing token, larger with each leader, marks what it writes',
    `  lease       in DynamoDB (${endpoint ?? 'dynalite, in this process'}); whoever is silent for ${leaseMs} ms may be replaced`,
    '  table       one row per customer and period; rejects a lower token than it has seen',
    `  gateway     takes the money. It cannot check tokens; ${
      gateway === 'idempotent'
        ? 'it charges once per idempotency key'
        : 'it also forgets the idempotency keys'
    }`,
    `  fault       ${faults[fault]}`,
    ...(without === undefined ? [] : [`  left out    ${omissions[without]}`]),
    '',
  ];
  return lines.join('\n');
}
