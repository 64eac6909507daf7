import { beforeAll, describe, expect, it } from 'vitest';
import { leaseStoreSuite, type LeaseStoreSuiteOptions } from 'tenure/testing';
import { brokenAnswers } from './broken/broken-answers.ts';
import { brokenConditions } from './broken/broken-conditions.ts';
import { brokenContents } from './broken/broken-contents.ts';
import { expiringOptionsFor, optionsFor, type BrokenStore } from './broken/broken-store.ts';
import { brokenJobStates } from './broken/broken-job-states.ts';
import { brokenVersions } from './broken/broken-versions.ts';
import { findingsOf, type Findings } from './suite-findings.ts';

function run(options: LeaseStoreSuiteOptions): Promise<Findings> {
  return findingsOf((api) => leaseStoreSuite(api, options));
}

const brokenStores: readonly BrokenStore[] = [
  ...brokenConditions,
  ...brokenContents,
  ...brokenJobStates,
  ...brokenVersions,
  ...brokenAnswers,
];

describe('leaseStoreSuite', () => {
  const findings = new Map<string, Findings>();

  beforeAll(async () => {
    for (const { mistake, options } of brokenStores) {
      findings.set(mistake, await run(options));
    }
  });

  it.each(brokenStores)('notices $mistake', ({ mistake, noticedBy }) => {
    expect(findings.get(mistake)?.failed).toEqual(expect.arrayContaining([...noticedBy]));
  });

  it.each([
    ['observed', optionsFor({})],
    ['store', expiringOptionsFor((clock) => clock)],
  ])("finds nothing wrong with a right store of expiry '%s'", async (_, options) => {
    const { all, failed } = await run(options);
    expect(failed).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(85);
  });

  it('has no test that notices none of these mistakes', async () => {
    const noticing = new Set([...findings.values()].flatMap(({ failed }) => failed));
    const { all } = await run(optionsFor({}));
    const { all: expiring } = await run(expiringOptionsFor((clock) => clock));
    const silent = [...all, ...expiring].filter((name) => !noticing.has(name));
    expect(silent).toEqual([]);
  });

  it('registers the tests of expiry only where the store judges it', async () => {
    const { all } = await run(optionsFor({}));
    const { all: expiring } = await run(expiringOptionsFor((clock) => clock));
    const name = 'shows a silent holder as expired, and not as released';
    expect([all.includes(name), expiring.includes(name)]).toEqual([false, true]);
  });
});
