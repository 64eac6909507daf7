import { beforeAll, describe, expect, it } from 'vitest';
import { recordStoreSuite } from 'tenure/testing';
import { BreakableRecords, type Mistake } from './broken/breakable-records.ts';
import { brokenOrders } from './broken/broken-orders.ts';
import { findingsOf, type Findings } from './suite-findings.ts';

function run(mistake: Mistake): Promise<Findings> {
  const records = new BreakableRecords(mistake);
  return findingsOf((api) =>
    recordStoreSuite(api, {
      createStore: () => records,
      readRaw: async (lease) => {
        const stored = records.raw(lease);
        return stored && { ...stored.record, released: stored.released };
      },
    }),
  );
}

describe('recordStoreSuite', () => {
  const findings = new Map<string, Findings>();

  beforeAll(async () => {
    for (const { name, mistake } of brokenOrders) {
      findings.set(name, await run(mistake));
    }
  });

  it.each(brokenOrders)('notices $name', ({ name, noticedBy }) => {
    expect(findings.get(name)?.failed).toEqual(expect.arrayContaining([...noticedBy]));
  });

  it('finds nothing wrong with a right store', async () => {
    const { all, failed } = await run({});
    expect(failed).toEqual([]);
    expect(all.length).toBeGreaterThan(10);
  });

  it('has no test that notices none of these mistakes', async () => {
    const noticing = new Set([...findings.values()].flatMap(({ failed }) => failed));
    const { all } = await run({});
    expect(all.filter((name) => !noticing.has(name))).toEqual([]);
  });
});
