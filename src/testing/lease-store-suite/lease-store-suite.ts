import { acquireCases } from './acquire-cases.ts';
import { jobStateCases } from './job-state-cases.ts';
import { lateCases } from './late-cases.ts';
import { recordCases } from './record-cases.ts';
import { storeCases } from './store-cases.ts';
import { SuiteBench } from './suite-bench.ts';
import type { LeaseStoreSuiteOptions, TestApi } from './suite-case.ts';
import { termCases } from './term-cases.ts';

/**
 * Registers the tests that every `LeaseStore` must pass. Each uses a lease name of its own.
 *
 * @param api - Functions of the test runner: `leaseStoreSuite({ describe, it, expect }, …)`.
 */
export function leaseStoreSuite(api: TestApi, options: LeaseStoreSuiteOptions): void {
  const { describe, it, expect } = api;
  const expiry = options.passLease ? 'store' : 'observed';
  const groups = {
    'the store': storeCases,
    'a bid': acquireCases,
    'a term': termCases,
    'what is late or given up': lateCases,
    'the record': recordCases,
    "jobs' state in the record": jobStateCases,
  };
  describe('LeaseStore contract', () => {
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const one of cases) {
          if (one.expiry === undefined || one.expiry === expiry) {
            it(one.name, async () => {
              await one.run(await SuiteBench.create(options, expect));
            });
          }
        }
      });
    }
  });
}
