import type { Fault, RunOptions } from './options.ts';
import { shownEndpoint } from './store-calls.ts';
import { storeKinds } from './store-kinds.ts';

const faults: Readonly<Record<Fault, string>> = {
  freeze: 'the leader stands still for longer than its lease, then goes on as if nothing had been',
  kill: 'the leader dies',
  partition: 'the leader can reach the gateway but not the store',
  outage: 'nobody can reach the store for two leases',
  none: 'nothing',
};

/** What somebody who knows nothing yet needs to follow a run. */
export function introductionTo(options: RunOptions, customers: number): string {
  const { period, schedulers, leaseMs, endpoint, gateway, fault, without } = options;
  const { words } = storeKinds[options.store];
  const lines = [
    `The billing of ${period} for ${customers} customers.`,
    '',
    `  schedulers  ${schedulers} processes, each of which could run it. Only the holder of a lease should:`,
    '              the leader. A fencing token, larger with each leader, marks what it writes',
    `  store       ${words.name} (${endpoint === undefined ? words.embedded : shownEndpoint(endpoint)})`,
    ...(without === 'lease' ? [] : led(leaseMs)),
    `  charges     in the store, ${words.charges}`,
    `  gateway     takes the money. It cannot check tokens; ${
      gateway === 'idempotent'
        ? 'it charges once per idempotency key'
        : 'it also forgets the idempotency keys'
    }`,
    `  fault       ${faults[fault]}`,
    ...leftOut(options),
    '',
  ];
  return lines.join('\n');
}

function led(leaseMs: number): readonly string[] {
  return [
    `  lease       in the store; whoever is silent for ${leaseMs} ms may be replaced`,
    '  ledger      in the store; has each charge before it is asked for, so that a successor repeats what is unanswered',
  ];
}

function leftOut({ without, gateway, fault, schedulers }: RunOptions): readonly string[] {
  if (without === undefined) {
    return [];
  }
  if (without === 'fence') {
    const isNeeded = fault === 'freeze' || fault === 'partition';
    return [
      `  left out    the fence. The store takes any write${isNeeded ? '; the run is expected to fail' : ''}`,
    ];
  }
  return [
    '  left out    the lease, and with it the ledger, which is for leaders: each of them bills everybody.',
    gateway === 'idempotent'
      ? '              Only the keys, the same for all, keep a customer from being charged again'
      : `              ${schedulers > 1 ? 'The run is expected to fail' : 'Here there is only one'}`,
  ];
}
