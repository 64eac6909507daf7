import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoDbServers, titleOf } from '../../support/dynamodb.ts';
import { newUuid } from '../../../src/core/uuid.ts';
import { creation, release, renewal, takeOver } from '../../../src/testing/record-writes.ts';
import { newLease, patiently, startBench, type Bench } from './bench.ts';

for (const kind of dynamoDbServers) {
  describe.skipIf(kind.skipReason)(`dynamoDbRecordStore on ${titleOf(kind)}`, () => {
    let bench: Bench;
    const call = patiently();

    beforeAll(async () => {
      bench = await startBench(kind);
    });

    afterAll(async () => {
      await bench.close();
    });

    it('reads nothing where no item is', async () => {
      expect(await bench.store().read(newLease(), call)).toBeUndefined();
    });

    it('creates an item that the Java client can read', async () => {
      const lease = newLease();
      const history = [
        { fencingToken: 32, holder: 'z', startedMs: 1_795_942_800_123, end: 'taken-over' },
        { fencingToken: 33, holder: 'a' },
      ] as const;
      const write = creation({ progress: '{"done":"Zoë"}', jobState: '{"次":1}', history });
      expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toEqual({
        key: { S: lease },
        ownerName: { S: 'a' },
        leaseDuration: { S: '15000' },
        recordVersionNumber: { S: write.version },
        fencingToken: { N: '33' },
        data: { B: new TextEncoder().encode('{"done":"Zoë"}') },
        jobState: { S: '{"次":1}' },
        pastTerms: {
          S: '[{"fencingToken":32,"holder":"z","startedMs":1795942800123,"end":"taken-over"},{"fencingToken":33,"holder":"a"}]',
        },
      });
    });

    it('reads what another instance wrote', async () => {
      const lease = newLease();
      const history = [
        { fencingToken: 31, holder: 'x', end: 'taken-over' },
        { fencingToken: 32, holder: 'y', startedMs: 1_795_942_800_123, end: 'released' },
        { fencingToken: 33, holder: 'a' },
      ] as const;
      const write = creation({ progress: '[1]', jobState: '[2]', history });
      await bench.store().write(lease, write, call);
      expect(await bench.store().read(lease, call)).toEqual({
        version: write.version,
        released: false,
        record: {
          holder: 'a',
          fencingToken: 33,
          leaseDurationMs: 15_000,
          progress: '[1]',
          jobState: '[2]',
          history,
        },
      });
    });

    it('does not create over an item that exists, and says what is there', async () => {
      const lease = newLease();
      const first = creation();
      await bench.store().write(lease, first, call);
      const before = await bench.item(lease);
      const result = await bench.store().write(lease, creation({ holder: 'b' }), call);
      expect(result).toMatchObject({
        written: false,
        found: { version: first.version, released: false, record: { holder: 'a' } },
      });
      expect(await bench.item(lease)).toEqual(before);
    });

    it('takes over only from the version seen', async () => {
      const lease = newLease();
      const first = creation();
      await bench.store().write(lease, first, call);
      const before = await bench.item(lease);
      const late = await bench.store().write(lease, takeOver(newUuid()), call);
      expect(late).toMatchObject({ written: false, found: { version: first.version } });
      expect(await bench.item(lease)).toEqual(before);

      const write = takeOver(first.version, { history: [] });
      expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toMatchObject({
        ownerName: { S: 'b' },
        fencingToken: { N: '34' },
        recordVersionNumber: { S: write.version },
        pastTerms: { S: '[]' },
      });
    });

    it('takes over nothing where no item is', async () => {
      const lease = newLease();
      const result = await bench.store().write(lease, takeOver(newUuid()), call);
      expect(result).toEqual({ written: false, found: undefined });
      expect(await bench.item(lease)).toBeUndefined();
    });

    it('renews from any of the versions that the term may have written', async () => {
      const lease = newLease();
      const first = creation();
      await bench.store().write(lease, first, call);
      const versions = [...Array.from({ length: 63 }, newUuid), first.version];
      const write = renewal(versions, { leaseDurationMs: 20_000 });
      expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toMatchObject({
        leaseDuration: { S: '20000' },
        recordVersionNumber: { S: write.version },
        pastTerms: { S: '[{"fencingToken":33,"holder":"a"}]' },
      });
    });

    it.each([
      ['another holder', { ownerName: { S: 'b' } }],
      ['another token', { fencingToken: { N: '34' } }],
      ['a record that was given up', { isReleased: { S: '1' } }],
    ])('does not renew within %s, although the version is the same', async (_, change) => {
      const lease = newLease();
      const first = creation();
      await bench.store().write(lease, first, call);
      await bench.put({ ...(await bench.item(lease)), ...change });
      const before = await bench.item(lease);
      const result = await bench.store().write(lease, renewal([first.version]), call);
      expect(result).toMatchObject({ written: false, found: { version: first.version } });
      expect(await bench.item(lease)).toEqual(before);
    });

    it('does not renew a record that is gone', async () => {
      const lease = newLease();
      const result = await bench.store().write(lease, renewal([newUuid()]), call);
      expect(result).toEqual({ written: false, found: undefined });
      expect(await bench.item(lease)).toBeUndefined();
    });

    it('releases under a new version and keeps holder, token, duration and progress', async () => {
      const lease = newLease();
      const first = creation({ progress: '{"done":3}' });
      await bench.store().write(lease, first, call);
      const write = release([first.version], { history: undefined });
      expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
      expect(await bench.item(lease)).toEqual({
        key: { S: lease },
        ownerName: { S: 'a' },
        leaseDuration: { S: '15000' },
        recordVersionNumber: { S: write.version },
        isReleased: { S: '1' },
        fencingToken: { N: '33' },
        data: { B: new TextEncoder().encode('{"done":3}') },
        pastTerms: { S: '[{"fencingToken":33,"holder":"a"}]' },
      });
      expect(await bench.store().read(lease, call)).toMatchObject({ released: true });
    });

    it('does not release what another holds', async () => {
      const lease = newLease();
      const first = creation();
      const second = takeOver(first.version);
      await bench.store().write(lease, first, call);
      await bench.store().write(lease, second, call);
      const before = await bench.item(lease);
      const result = await bench.store().write(lease, release([first.version]), call);
      expect(result).toMatchObject({ written: false, found: { record: { holder: 'b' } } });
      expect(await bench.item(lease)).toEqual(before);
    });

    it('is held again once a released record is taken', async () => {
      const lease = newLease();
      const first = creation({ progress: '1' });
      const freed = release([first.version]);
      await bench.store().write(lease, first, call);
      await bench.store().write(lease, freed, call);
      await bench.store().write(lease, takeOver(freed.version), call);
      expect(await bench.item(lease)).not.toHaveProperty('isReleased');
      expect(await bench.item(lease)).toMatchObject({ data: { B: new TextEncoder().encode('1') } });
    });

    it.each([
      ['leaves it as it is', undefined, '"before"'],
      ['replaces it', '"after"', '"after"'],
      ['clears it', null, undefined],
    ])('%s when the progress is %j', async (_, progress, expected) => {
      const lease = newLease();
      const first = creation({ progress: '"before"' });
      await bench.store().write(lease, first, call);
      const renewed = renewal([first.version], { progress });
      await bench.store().write(lease, renewed, call);
      const { data } = (await bench.item(lease)) ?? {};
      expect(data?.B && new TextDecoder().decode(data.B)).toBe(expected);
    });

    it.each([
      ['leaves it as it is', undefined, { S: '"before"' }],
      ['replaces it', '"after"', { S: '"after"' }],
      ['clears it', null, undefined],
    ])("%s when the jobs' state is %j", async (_, jobState, expected) => {
      const lease = newLease();
      const first = creation({ jobState: '"before"' });
      await bench.store().write(lease, first, call);
      await bench.store().write(lease, renewal([first.version], { jobState }), call);
      expect((await bench.item(lease))?.['jobState']).toEqual(expected);
    });

    it('keeps attributes of others through every kind of write', async () => {
      const lease = newLease();
      const first = creation();
      await bench.store().write(lease, first, call);
      const foreign = { team: { S: 'billing' }, nested: { M: { ttl: { N: '1' } } } };
      await bench.put({ ...(await bench.item(lease)), ...foreign });
      const second = takeOver(first.version);
      const owner = { holder: 'b', fencingToken: 34 };
      const third = renewal([second.version], { ...owner, within: owner, progress: null });
      const fourth = release([third.version], { ...owner, within: owner });
      for (const write of [second, third, fourth]) {
        expect(await bench.store().write(lease, write, call)).toEqual({ written: true });
        expect(await bench.item(lease)).toMatchObject(foreign);
      }
    });

    it('lets one of many concurrent candidates win', async () => {
      const lease = newLease();
      const attempts = Array.from({ length: 20 }, (_, index) =>
        bench.store().write(lease, creation({ holder: `candidate-${index}` }), patiently()),
      );
      const results = await Promise.all(attempts);
      expect(results.filter(({ written }) => written)).toHaveLength(1);
      const winner = results.findIndex(({ written }) => written);
      expect(await bench.item(lease)).toMatchObject({ ownerName: { S: `candidate-${winner}` } });
    });
  });
}
