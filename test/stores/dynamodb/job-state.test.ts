import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createElection } from 'tenure';
import { dynamoDbLeaseStore } from 'tenure/dynamodb';
import { ManualClock } from 'tenure/testing';
import {
  operationOf,
  startHttpProxy,
  type HttpProxy,
} from '../../../functions/local/http-proxy.ts';
import { createJobElection } from '../../../src/core/create-election.ts';
import type { JobElection } from '../../../src/core/job-election.ts';
import { clientFor, dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { newLease, startBench, type Bench } from './bench.ts';

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`what jobs keep in the item on ${titleOf(kind)}`, () => {
    let bench: Bench;
    let proxy: HttpProxy;
    let clock: ManualClock;
    let lease: string;
    const operations: (string | undefined)[] = [];

    beforeAll(async () => {
      bench = await startBench(kind);
      proxy = await startHttpProxy({
        target: bench.endpoint,
        intercept: (request) => {
          operations.push(operationOf(request));
          return { action: 'pass' };
        },
      });
    });

    beforeEach(() => {
      clock = new ManualClock();
      lease = newLease();
      operations.length = 0;
    });

    afterAll(async () => {
      await proxy.close();
      await bench.close();
    });

    const options = (identity: string) => {
      const client = clientFor(proxy);
      const store = dynamoDbLeaseStore({ client, tableName: bench.tableName });
      return { store, lease, identity, clock, firstToken: 33, random: () => 0 };
    };
    const jobElection = (identity: string): JobElection => createJobElection(options(identity));
    /** The requests since the last call of this. */
    const requests = (): readonly unknown[] => operations.splice(0);

    it('costs one read to look at, and none more to lead after that', async () => {
      const first = jobElection('a');
      expect(await first.look(undefined)).toBeUndefined();
      expect(requests()).toEqual(['GetItem']);
      await first.lead((_, slot) => {
        expect(requests()).toEqual(['UpdateItem']);
        slot.leave('{"客户":1}');
      }, {});
      expect(requests()).toEqual(['UpdateItem']);

      const second = jobElection('b');
      expect(await second.look(undefined)).toMatchObject({ jobState: '{"客户":1}' });
      expect(requests()).toEqual(['GetItem']);
      const outcome = await second.lead((_, slot) => [slot.stored, ...requests()], {});
      expect(outcome).toMatchObject({ status: 'led', value: ['{"客户":1}', 'UpdateItem'] });
    });

    it('is written with the progress in one request by a renewal', async () => {
      await jobElection('a').lead(async (leadership, slot) => {
        requests();
        slot.leave('"j1"');
        await leadership.checkpoint({ done: 1 });
        expect(requests()).toEqual([]);
        await clock.advance(5_000);
        await leadership.checkpoint();
        expect(requests()).toEqual(['UpdateItem']);
        expect(await bench.item(lease)).toMatchObject({
          data: { B: new TextEncoder().encode('{"done":1}') },
          jobState: { S: '"j1"' },
        });
        slot.leave('"j2"');
      }, {});
      expect(requests()).toEqual(['UpdateItem']);
      expect(await bench.item(lease)).toMatchObject({
        data: { B: new TextEncoder().encode('{"done":1}') },
        jobState: { S: '"j2"' },
        isReleased: { S: '1' },
      });
    });

    it('stands beside the history, which one read shows', async () => {
      const startMs = clock.wallMs();
      await jobElection('a').lead((_, slot) => slot.leave('1'), {});
      await clock.advance(1_000);
      await createElection(options('b')).lead(() => {});
      requests();
      expect(await createElection(options('w')).history()).toEqual([
        { fencingToken: 33, holder: 'a', startedMs: startMs, end: 'released' },
        { fencingToken: 34, holder: 'b', startedMs: startMs + 1_000, end: 'released' },
      ]);
      expect(requests()).toEqual(['GetItem']);
      expect(await bench.item(lease)).toMatchObject({ jobState: { S: '1' } });
    });
  });
}
