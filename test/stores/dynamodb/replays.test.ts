import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RecordWrite } from '../../../src/core/record-store.ts';
import {
  operationOf,
  startHttpProxy,
  type Exchange,
  type HttpProxy,
  type Interception,
  type ProxiedRequest,
} from '../../../functions/local/http-proxy.ts';
import { clientFor, dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { newUuid } from '../../../src/core/uuid.ts';
import { creation, release, renewal, takeOver } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench } from './bench.ts';

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`a repeated write on ${titleOf(kind)}`, () => {
    let bench: Bench;
    let proxy: HttpProxy;
    let intercept: (request: ProxiedRequest) => Interception | Promise<Interception>;
    let exchanges: Exchange[] = [];
    const call = patiently();

    beforeAll(async () => {
      bench = await startBench(kind);
      proxy = await startHttpProxy({
        target: bench.endpoint,
        intercept: (request) => intercept(request),
        observe: (exchange) => exchanges.push(exchange),
      });
    });

    afterEach(() => {
      exchanges = [];
    });

    afterAll(async () => {
      await proxy.close();
      await bench.close();
    });

    const faulty = (attempts = 1) =>
      bench.store({ client: clientFor(proxy, { maxAttempts: attempts }) });

    const onUpdate =
      (...actions: readonly Interception[]) =>
      (request: ProxiedRequest): Interception => {
        const count = exchanges.filter((past) => operationOf(past.request) === 'UpdateItem').length;
        const action = operationOf(request) === 'UpdateItem' ? actions[count] : undefined;
        return action ?? { action: 'pass' };
      };

    /** Brings a new lease to the state from which `kindOfWrite` is made, and makes it ready. */
    const prepare = async (kindOfWrite: string) => {
      const lease = newLease();
      const created = creation({ progress: '{"done":1}' });
      const renewed = renewal([created.version, newUuid()], { progress: '{"done":2}' });
      const released = release([renewed.version], { progress: null });
      const retaken = takeOver(released.version);
      const story = {
        creation: created,
        renewal: renewed,
        release: released,
        'take-over': retaken,
      };
      const steps = Object.entries(story);
      const index = steps.findIndex(([name]) => name === kindOfWrite);
      for (const [, step] of steps.slice(0, index)) {
        expect(await bench.store().write(lease, step, call)).toEqual({ written: true });
      }
      const [, write] = steps[index] as [string, RecordWrite];
      return { lease, write };
    };

    const kindsOfWrite = ['creation', 'renewal', 'release', 'take-over'];

    it.each(kindsOfWrite)('succeeds and changes nothing: %s', async (kindOfWrite) => {
      const { lease, write } = await prepare(kindOfWrite);
      expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
      const after = await bench.item(lease);
      expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toEqual(after);
    });

    it.each(kindsOfWrite)(
      'is a success when the SDK repeats it after a lost reply: %s',
      async (kindOfWrite) => {
        const { lease, write } = await prepare(kindOfWrite);
        intercept = onUpdate({ action: 'drop-reply' });
        expect(await faulty(2).write(lease, write, call)).toEqual({ written: true });
        expect(exchanges.map(({ status }) => status)).toEqual([200, 200]);
        expect(await bench.item(lease)).toMatchObject({
          recordVersionNumber: { S: write.version },
        });
      },
    );

    it.each(kindsOfWrite)(
      'changes nothing when the network repeats it before the next write: %s',
      async (kindOfWrite) => {
        const { lease, write } = await prepare(kindOfWrite);
        intercept = onUpdate({ action: 'duplicate-later', ms: 0 });
        expect(await faulty().write(lease, write, call)).toEqual({ written: true });
        const after = await bench.item(lease);
        await proxy.settled();
        expect(exchanges.map(({ status, duplicate }) => [status, duplicate])).toEqual([
          [200, false],
          [200, true],
        ]);
        expect(await bench.item(lease)).toEqual(after);
      },
    );

    it('changes nothing when it arrives after any later write of the lease', async () => {
      const lease = newLease();
      const created = creation();
      const renewed = renewal([created.version]);
      const released = release([created.version, renewed.version]);
      const retaken = takeOver(released.version);
      const writes = [created, renewed, released, retaken];
      for (const [index, write] of writes.entries()) {
        expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
        const item = await bench.item(lease);
        for (const late of writes.slice(0, index)) {
          const result = await bench.store().write(lease, late, call);
          expect(result).toMatchObject({ written: false, found: { version: write.version } });
          expect(await bench.item(lease)).toEqual(item);
        }
      }
    });

    it('does not revive a term when its creation is delivered after the release', async () => {
      const lease = newLease();
      const created = creation();
      let deliver = (): void => {};
      const held = new Promise<void>((resolve) => {
        deliver = resolve;
      });
      intercept = onUpdate({ action: 'hold-request', until: held });
      const lost = faulty().write(lease, created, { signal: AbortSignal.timeout(30) });
      await expect(lost).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });

      await bench.store().write(lease, created, call);
      await bench.store().write(lease, release([created.version]), call);
      const item = await bench.item(lease);
      deliver();
      await proxy.settled();
      expect(exchanges.map(({ status }) => status)).toEqual([400]);
      expect(await bench.item(lease)).toEqual(item);
    });

    it('settles a renewal of unknown outcome with the next one, without a read', async () => {
      const lease = newLease();
      const created = creation();
      await bench.store().write(lease, created, call);
      const first = renewal([created.version], { progress: '1' });
      intercept = onUpdate({ action: 'drop-reply' });
      await expect(faulty().write(lease, first, call)).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
      });
      const second = renewal([created.version, first.version]);
      expect(await faulty().write(lease, second, call)).toEqual({ written: true });
      expect(exchanges.map(({ request }) => operationOf(request))).toEqual([
        'UpdateItem',
        'UpdateItem',
      ]);
    });

    it('finds that it was applied late, after a later attempt had failed', async () => {
      const lease = newLease();
      await bench.store().write(lease, creation({ holder: 'b' }), call);
      const mine = creation();
      intercept = async (request) => {
        if (operationOf(request) === 'GetItem') {
          const Key = { key: { S: lease } };
          const remove = new DeleteItemCommand({ TableName: bench.tableName, Key });
          await bench.client.send(remove);
          await bench.store().write(lease, mine, call);
        }
        return { action: 'pass' };
      };
      const result = await faulty().write(lease, mine, call);
      // Only a server that leaves out the item makes the store look again; of a server that is only
      // named, nobody knows.
      const reads = exchanges.filter(({ request }) => operationOf(request) === 'GetItem').length;
      const returnsItem = kind.returnsItemOnFailedCondition ?? reads === 0;
      expect(reads).toBe(returnsItem ? 0 : 1);
      expect(result).toMatchObject(returnsItem ? { written: false } : { written: true });
    });
  });
}
