import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  operationOf,
  startHttpProxy,
  type HttpProxy,
  type Interception,
  type ProxiedRequest,
} from '../../functions/local/http-proxy.ts';
import { azureBlobLedgerStore } from '../../src/azure-blob.ts';
import { dynamoDbLedgerStore } from '../../src/dynamodb.ts';
import { createLedger, idempotencyKeyOf, type LedgerStore } from '../../src/ledger/index.ts';
import {
  containerOf,
  newContainerName,
  noRetries,
  quickRetries,
  startAzurite,
} from '../support/azurite.ts';
import { clientFor, createTable, dynamoDbServers, titleOf } from '../support/dynamodb.ts';
import { chargeAt, charging, gateway, term } from './bench.ts';
import { newKey } from './records.ts';

/** A store, reached directly and through a proxy. */
interface Bench {
  readonly endpoint: string;
  store(endpoint: string, retries: boolean): LedgerStore;
  isWrite(request: ProxiedRequest): boolean;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly skipReason: string | undefined;
  start(): Promise<Bench>;
}

const kinds: readonly Kind[] = [
  ...dynamoDbServers.map((kind) => ({
    name: titleOf(kind),
    skipReason: kind.skipReason,
    start: async () => {
      const server = await kind.start();
      const client = clientFor(server);
      const tableName = await createTable(client);
      const clients = [client];
      return {
        endpoint: server.endpoint,
        store: (endpoint: string, retries: boolean) => {
          const one = clientFor({ endpoint }, { maxAttempts: retries ? 3 : 1 });
          clients.push(one);
          return dynamoDbLedgerStore({ client: one, tableName });
        },
        isWrite: (request: ProxiedRequest) => operationOf(request) === 'PutItem',
        close: async () => {
          clients.forEach((one) => one.destroy());
          await server.close();
        },
      };
    },
  })),
  {
    name: 'azurite',
    skipReason: undefined,
    start: async () => {
      const server = await startAzurite();
      const name = newContainerName();
      await containerOf(server, name).create();
      return {
        endpoint: server.endpoint,
        store: (endpoint: string, retries: boolean) =>
          azureBlobLedgerStore({
            containerClient: containerOf({ endpoint }, name, retries ? quickRetries : noRetries),
          }),
        isWrite: ({ method }: ProxiedRequest) => method === 'PUT',
        close: () => server.close(),
      };
    },
  },
];

const faults: readonly (readonly [string, Interception])[] = [
  ['the reply is lost', { action: 'drop-reply' }],
  ['the answer is 500 though it was applied', { action: 'respond-after-applying', status: 500 }],
  ['the request is lost', { action: 'drop-request' }],
  ['the network repeats it later', { action: 'duplicate-later', ms: 5 }],
];

const never = { keyHonouredForMs: 0 };

for (const kind of kinds) {
  describe.skipIf(kind.skipReason)(`a ledger write on ${kind.name}`, () => {
    let bench: Bench;
    let proxy: HttpProxy;
    let fault: Interception;
    let stores: Record<'direct' | 'retrying' | 'single', LedgerStore>;
    let writes = 0;
    let faultyWrite = 0;

    beforeAll(async () => {
      bench = await kind.start();
      proxy = await startHttpProxy({
        target: bench.endpoint,
        intercept: (request) => {
          writes += bench.isWrite(request) ? 1 : 0;
          return bench.isWrite(request) && writes === faultyWrite ? fault : { action: 'pass' };
        },
      });
    });

    beforeAll(() => {
      stores = {
        direct: bench.store(bench.endpoint, false),
        retrying: bench.store(proxy.endpoint, true),
        single: bench.store(proxy.endpoint, false),
      };
    });

    beforeEach(() => {
      writes = 0;
    });

    afterEach(() => {
      const repeated = fault.action === 'duplicate-later' ? 0 : 1;
      if (writes < faultyWrite + repeated) {
        throw new Error('the fault never struck, or nobody repeated the write');
      }
    });

    afterAll(async () => {
      await proxy.close();
      await bench.close();
    });

    /** A ledger behind the proxy and one beside it, and who sees what is left under a new key. */
    const setUp = (retries: boolean) => {
      const direct = createLedger({ store: stores.direct });
      const key = newKey();
      return {
        key,
        direct,
        ledger: createLedger({ store: retries ? stores.retrying : stores.single }),
        downstream: gateway(),
        left: async () => {
          await proxy.settled();
          const call = { signal: new AbortController().signal };
          return (await stores.direct.read(idempotencyKeyOf(key), call))?.record.state;
        },
      };
    };

    for (const retries of [true, false]) {
      describe.each(faults)(
        `${retries ? 'with' : 'without'} retries of the SDK, if %s`,
        (_name, given) => {
          beforeEach(() => {
            fault = given;
          });

          it.each([
            ['pending', 1],
            ['done', 2],
          ])('has the same result: %s', async (_write, count) => {
            faultyWrite = count;
            const { key, ledger, downstream, left } = setUp(retries);
            const outcome = await ledger.once(
              charging(term(33), { key, ...never }),
              chargeAt(downstream),
            );
            expect(outcome).toEqual({ status: 'done', result: { chargeId: 'ch-1' } });
            expect(downstream.requests).toBe(1);
            expect(await left()).toBe('done');
          });

          it('has the same result: unknown', async () => {
            faultyWrite = 2;
            const { key, ledger, left } = setUp(retries);
            const outcome = await ledger.once(charging(term(33), { key, ...never }), () =>
              Promise.reject(new Error('no answer')),
            );
            expect(outcome).toMatchObject({ status: 'unknown', error: { message: 'no answer' } });
            expect(await left()).toBe('unknown');
          });

          it('has the same result: taken back', async () => {
            faultyWrite = 2;
            const { key, ledger, direct, downstream, left } = setUp(retries);
            const leader = term(33);
            let checks = 0;
            const leadership = {
              fencingToken: 33,
              assertLeader: () => {
                checks += 1;
                if (checks === 2) {
                  leader.lose();
                }
                leader.assertLeader();
              },
            };
            const call = ledger.once(charging(leadership, { key, ...never }), chargeAt(downstream));
            await expect(call).rejects.toMatchObject({ code: 'LEASE_LOST' });
            expect(await left()).toBe('untried');
            await direct.once(charging(term(34), { key, ...never }), chargeAt(downstream));
            expect(downstream.requests).toBe(1);
          });

          it('has the same result: given up', async () => {
            faultyWrite = 1;
            const { key, ledger, direct, downstream, left } = setUp(retries);
            const begun = new Promise<void>((resolve) => {
              void direct.once(charging(term(33), { key, ...never }), () => {
                resolve();
                return new Promise(() => {});
              });
            });
            await begun;
            const outcome = await ledger.once(
              charging(term(34), { key, ...never }),
              chargeAt(downstream),
            );
            expect(outcome).toMatchObject({ status: 'unknown', entry: { fencingToken: 34 } });
            expect(downstream.requests).toBe(0);
            expect(await left()).toBe('unknown');
          });

          it('has the same result: reconciled', async () => {
            faultyWrite = 1;
            const { key, ledger, direct, left } = setUp(retries);
            const unknown = await direct.once(charging(term(33), { key, ...never }), () =>
              Promise.reject(new Error('no answer')),
            );
            const entry = unknown.status === 'unknown' ? unknown.entry : undefined;
            expect(entry && (await ledger.reconcile(entry, { status: 'declined' }))).toMatchObject({
              reconciled: true,
              entry: { state: 'declined' },
            });
            expect(await left()).toBe('declined');
          });
        },
      );
    }
  });
}
