import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPaymentGateway, type RunningGateway } from '../../functions/local/payment-gateway.ts';
import { startDynalite } from '../../functions/local/dynamodb-server.ts';
import { azureBlobLedgerStore } from '../../src/azure-blob.ts';
import { dynamoDbLedgerStore } from '../../src/dynamodb.ts';
import { createLedger, type Effect, type LedgerStore } from '../../src/ledger/index.ts';
import { containerOf, newContainerName, startAzurite } from '../support/azurite.ts';
import { clientFor, createTable } from '../support/dynamodb.ts';
import { charging, collected, term } from './bench.ts';
import type { CrashOrder } from './crash-child.ts';
import { crashSteps, type CrashStep } from './crash-steps.ts';
import { printTable } from './print-table.ts';
import { newKey } from './records.ts';

/** State of the entry that the killed process leaves, and charges that it made. */
const left: Record<CrashStep, readonly [state: string, charges: number]> = {
  'before the first look': ['none', 0],
  'pending not sent': ['none', 0],
  'pending applied, reply on its way': ['pending', 0],
  'checks passed, effect not sent': ['pending', 0],
  'effect took place, reply on its way': ['pending', 1],
  'reply seen, outcome not sent': ['pending', 1],
  'outcome applied, reply on its way': ['none', 1],
  'leadership over, attempt not taken back': ['pending', 0],
  'attempt taken back, reply on its way': ['none', 0],
};

/** One store, as the parent and as its children reach it. */
interface Place {
  readonly order: Pick<CrashOrder, 'store' | 'endpoint' | 'place'>;
  readonly store: LedgerStore;
  close(): Promise<void>;
}

const places: Record<string, () => Promise<Place>> = {
  dynalite: async () => {
    const server = await startDynalite();
    const client = clientFor(server);
    const place = await createTable(client);
    return {
      order: { store: 'dynamodb', endpoint: server.endpoint, place },
      store: dynamoDbLedgerStore({ client, tableName: place }),
      close: async () => {
        client.destroy();
        await server.close();
      },
    };
  },
  azurite: async () => {
    const server = await startAzurite();
    const place = newContainerName();
    const containerClient = containerOf(server, place);
    await containerClient.create();
    return {
      order: { store: 'azure-blob', endpoint: server.endpoint, place },
      store: azureBlobLedgerStore({ containerClient }),
      close: () => server.close(),
    };
  },
};

describe('a process that is killed at any step, and its successor', () => {
  let folder: string;
  let child: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenure-crash-'));
    child = join(folder, 'crash-child.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('crash-child.ts', import.meta.url))],
      outfile: child,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      // Some packages in the bundle are CommonJS and require the modules of Node.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
    });
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  /** Lets a child get to the step of its order, and kills it there. */
  const killAt = async (order: CrashOrder): Promise<void> => {
    const leader = spawn(process.execPath, [child, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaints = '';
    leader.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk.toString();
    });
    const exited = once(leader, 'exit');
    const reached = await Promise.race([once(leader.stdout, 'data'), exited]);
    leader.kill('SIGKILL');
    const [, signal] = (await exited) as [number | null, string | null];
    if (String(reached[0]) !== 'reached\n') {
      throw new Error(`the child never reached its step: ${complaints}`);
    }
    expect(signal).toBe('SIGKILL');
  };

  describe.each(Object.keys(places))('on %s', (name) => {
    let place: Place;
    let gateway: RunningGateway;
    const rows: string[][] = [];

    beforeAll(async () => {
      const start = places[name];
      place = await (start as () => Promise<Place>)();
      gateway = await startPaymentGateway();
    });

    afterAll(async () => {
      await gateway.close();
      await place.close();
      const head = ['killed', 'left', 'charges', 'successor', 'charges', 'keys'];
      printTable(`Processes killed on ${name}`, [head, ...rows]);
    });

    const chargesFor = (key: readonly string[]) =>
      gateway.records().charges.filter(({ customerId }) => customerId === key[1]);

    const charge =
      (key: readonly string[]): Effect =>
      async ({ idempotencyKey }) => {
        const [, customerId, period] = key;
        const response = await fetch(`${gateway.endpoint}/charges`, {
          method: 'POST',
          headers: { 'idempotency-key': idempotencyKey },
          body: JSON.stringify({ customerId, period, amountMinor: 1, currency: 'EUR' }),
        });
        return { status: 'done', result: await response.json() };
      };

    it.each(crashSteps)('charge once and lose no entry: %s', async (step) => {
      const key = newKey();
      const ledger = createLedger({ store: place.store });
      const stateNow = async () => {
        const entries = await collected(ledger.unfinished());
        return entries.find((entry) => entry.key[1] === key[1])?.state ?? 'none';
      };
      await killAt({ ...place.order, gateway: gateway.endpoint, key, step });
      const [state, charges] = left[step];
      expect(await stateNow()).toBe(state);
      expect(chargesFor(key).length).toBe(charges);

      // One to whom the key is never honoured leaves alone what may have been charged.
      if (state === 'pending') {
        const never = charging(term(34), { key, keyHonouredForMs: 0 });
        await ledger.once(never, charge(key));
      }
      expect(await stateNow()).toBe(state === 'pending' ? 'unknown' : 'none');
      expect(chargesFor(key).length).toBe(charges);
      const outcome = await ledger.once(charging(term(35), { key }), charge(key));
      expect(outcome).toMatchObject({ status: 'done', result: { chargeId: expect.any(String) } });
      expect(chargesFor(key).length).toBe(1);
      expect(await stateNow()).toBe('none');
      const keys = new Set(chargesFor(key).map(({ idempotencyKey }) => idempotencyKey));
      rows.push([step, state, String(charges), outcome.status, '1', String(keys.size)]);
    });
  });
});
