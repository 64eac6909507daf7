import { describe, expect, it } from 'vitest';
import { chargeKey } from '../../../functions/billing/charge-key.ts';
import { parseOptions, type RunOptions } from '../../../functions/local/options.ts';
import {
  closingTable,
  isSuccess,
  reportOf,
  type RunRecords,
} from '../../../functions/local/report.ts';
import { customersNamed } from '../billing/support.ts';

const period = '2026-10';
const options = parseOptions(['--period', period], new Date()) as RunOptions;

/** Records of a run that charged `charged`, and wrote rows for `recorded`. */
function recordsOf(
  charged: readonly string[],
  recorded: readonly string[],
  rest: Partial<RunRecords> = {},
): RunRecords {
  return {
    customers: customersNamed('a', 'b', 'c'),
    gateway: {
      requests: charged.length + 1,
      repeatedRequests: 1,
      charges: charged.map((customerId, index) => ({
        chargeId: `ch-${index}`,
        idempotencyKey: customerId,
        customerId,
        period,
        amountMinor: 1,
        currency: 'EUR',
      })),
    },
    rows: recorded.map((customerId) => ({ customerId, period })),
    unfinished: [],
    audit: {
      staleWritesRejected: 1,
      staleWritesAccepted: 0,
      lateCreations: 0,
      failoverMs: 3_100,
      terms: [{ scheduler: 'A', fencingToken: 33, endedBy: 'released' }],
    },
    problems: [],
    ...rest,
  };
}

describe('reportOf', () => {
  it('counts a run without fault', () => {
    const report = reportOf(options, recordsOf(['a', 'b', 'c'], ['a', 'b', 'c']));
    expect(report).toMatchObject({
      store: 'dynamodb',
      period,
      customers: 3,
      charged: 3,
      chargedTwice: 0,
      missed: 0,
      unknown: 0,
      charges: 3,
      gatewayRequests: 4,
      repeatedRequests: 1,
      staleWritesRejected: 1,
      staleWritesAccepted: 0,
      leaseDurationMs: 3_000,
      failoverMs: 3_100,
      terms: [{ scheduler: 'A', fencingToken: 33, endedBy: 'released' }],
    });
    expect(isSuccess(report)).toBe(true);
    expect(closingTable(report)).toMatch(/exactly once/);
  });

  it('tells of rows that were created late, which is no failure', () => {
    const records = recordsOf(['a', 'b', 'c'], ['a', 'b', 'c']);
    const report = reportOf(options, { ...records, audit: { ...records.audit, lateCreations: 2 } });
    expect(report.lateCreations).toBe(2);
    expect(isSuccess(report)).toBe(true);
    expect(closingTable(report)).toMatch(/late creations +2/);
    expect(closingTable(reportOf(options, records))).not.toMatch(/late/);
  });

  const audit = recordsOf([], []).audit;
  it.each([
    [
      'a customer charged again',
      recordsOf(['a', 'b', 'c', 'a'], ['a', 'b', 'c']),
      /more than once/,
    ],
    [
      'a customer without a charge',
      recordsOf(['a', 'b'], ['a', 'b', 'c']),
      /1 customers were missed/,
    ],
    ['a customer without a row', recordsOf(['a', 'b', 'c'], ['a', 'b']), /1 customers were missed/],
    [
      'a stale write that was accepted',
      recordsOf(['a', 'b', 'c'], ['a', 'b', 'c'], { audit: { ...audit, staleWritesAccepted: 1 } }),
      /1 stale writes were accepted/,
    ],
    [
      'a charge of which the ledger does not know what became',
      recordsOf(['a', 'b', 'c'], ['a', 'b', 'c'], {
        unfinished: [{ key: chargeKey('b', period) }],
      }),
      /unknown to the ledger +1$[^]*1 customers may have been charged or not/m,
    ],
    [
      'a story without an end',
      recordsOf(['a', 'b', 'c'], ['a', 'b', 'c'], { problems: ['B ended'] }),
      /problem +B ended[^]*did not come to its end/,
    ],
  ])('fails for %s', (_what, records, words) => {
    const report = reportOf(options, records);
    expect(isSuccess(report)).toBe(false);
    expect(closingTable(report)).toMatch(words);
    expect(closingTable(report)).toMatch(/^FAILED/m);
  });

  it("does not take another period's charge, row or entry for this one's", () => {
    const records = recordsOf(['a', 'b', 'c'], ['a', 'b', 'c']);
    const otherRow = records.rows.map((row) => ({ ...row, period: '2026-09' }));
    expect(reportOf(options, { ...records, rows: otherRow }).missed).toBe(3);
    const unfinished = [{ key: chargeKey('a', '2026-09') }, { key: ['refunds', 'a', period] }];
    expect(reportOf(options, { ...records, unfinished }).unknown).toBe(0);
  });
});
