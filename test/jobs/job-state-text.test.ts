import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaseRecordInvalidError } from 'tenure';
import { daily, monthly, weekly } from 'tenure/jobs';
import { emptyState, type JobState } from '../../src/jobs/job-state.ts';
import { decodeJobState, encodeJobState, hasRoom } from '../../src/jobs/job-state-text.ts';
import { thrown } from '../core/bench.ts';

const job = { name: 'orders', lease: 'orders', periods: monthly() };
const place = { lease: 'orders', store: 'memory' };

const state: JobState = {
  settled: [
    { first: '2026-01', last: '2026-06' },
    { first: '2026-08', last: '2026-08' },
  ],
  open: [
    { period: '2026-07', kind: 'stuck', hasUnknown: true, sweptMinutes: 29_838_240 },
    { period: '2026-09', kind: 'unfinished', hasUnknown: true, sweptMinutes: 0 },
    { period: '2026-10', kind: 'unfinished', hasUnknown: false, sweptMinutes: 1 },
  ],
  current: { period: '2026-11', cursor: 'c-017', counts: { charged: 17 }, isCheck: true },
};
const text =
  '{"v":1,"settled":"2026-01/2026-06 2026-08","open":"2026-07~s0hrjc0 2026-09~m000000 2026-10~u000001",' +
  '"run":{"period":"2026-11","cursor":"c-017","counts":{"charged":17},"check":1}}';

describe('the text of a state', () => {
  it('has a layout that later versions must read', () => {
    expect(encodeJobState(state, job)).toBe(text);
    expect(decodeJobState(text, job, place)).toEqual(state);
  });

  it('is short where there is nothing to say', () => {
    expect(encodeJobState(emptyState, job)).toBe('{"v":1}');
    expect(decodeJobState('{"v":1}', job, place)).toEqual(emptyState);
    expect(decodeJobState(undefined, job, place)).toEqual(emptyState);
  });

  it('keeps any cursor', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        // A cursor is a copy by way of its text, in which -0 is 0.
        const cursor: unknown = JSON.parse(JSON.stringify(json));
        const current = { period: '2026-11', cursor, counts: {}, isCheck: false };
        const written = encodeJobState({ ...state, current }, job);
        expect(decodeJobState(written, job, place).current).toEqual(current);
      }),
    );
  });

  it.each([
    ['no JSON', '{"v":1'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[1]'],
    ['no version', '{"settled":"2026-01"}'],
    ['another version', '{"v":2}'],
    ['days', '{"v":1,"settled":"2026-01-01"}'],
    ['an impossible month', '{"v":1,"settled":"2026-13"}'],
    ['a range of three', '{"v":1,"settled":"2026-01/2026-02/2026-03"}'],
    ['settled periods that are no text', '{"v":1,"settled":["2026-01"]}'],
    ['an empty list of periods', '{"v":1,"open":""}'],
    ['a mark without a time', '{"v":1,"open":"2026-01~s"}'],
    ['a mark of another kind', '{"v":1,"open":"2026-01~x000000"}'],
    ['a run without a period', '{"v":1,"run":{}}'],
    ['a run that is no object', '{"v":1,"run":"2026-01"}'],
    ['counts that are no numbers', '{"v":1,"run":{"period":"2026-01","counts":{"a":"1"}}}'],
    ['counts below 0', '{"v":1,"run":{"period":"2026-01","counts":{"a":-1}}}'],
  ])('is refused if it is %s', (_, garbage) => {
    const error = thrown(() => decodeJobState(garbage, job, place));
    expect(error).toBeInstanceOf(LeaseRecordInvalidError);
    expect(error).toMatchObject({
      code: 'LEASE_RECORD_INVALID',
      reason: 'malformed',
      message: expect.stringMatching(/^the state of the job cannot be read: .*\[memory:orders\]$/),
    });
  });

  it('is not quoted when it is no JSON', () => {
    const error = thrown(() => decodeJobState('alice@example.com', job, place));
    expect(error).toMatchObject({ cause: { message: 'it must be JSON' } });
  });

  it('quotes none of the words that stand in the record', () => {
    const error = thrown(() => decodeJobState('{"v":1,"settled":"alice"}', job, place));
    expect(error).toMatchObject({ cause: { message: 'it must name periods of this job' } });
  });

  it('names the job where the lease does not', () => {
    const own = { ...job, lease: 'shared' };
    const named = encodeJobState(emptyState, own);
    expect(named).toBe('{"v":1,"job":"orders"}');
    expect(decodeJobState(named, own, place)).toEqual(emptyState);
  });

  it.each([
    ['one that names itself', { name: 'refunds', lease: 'orders' }],
    ['one that is called as the lease', { name: 'orders', lease: 'orders' }],
  ])('is refused by another job on the same lease: %s', (_, other) => {
    const written = encodeJobState(emptyState, { name: 'invoices', lease: 'orders' });
    const error = thrown(() => decodeJobState(written, { ...job, ...other }, place));
    expect(error).toMatchObject({
      code: 'LEASE_RECORD_INVALID',
      message: expect.stringContaining('give each job a lease of its own'),
    });
  });

  it('is refused by a job of another name than the lease that the state goes by', () => {
    const written = encodeJobState(emptyState, job);
    const renamed = { ...job, name: 'invoices' };
    expect(() => decodeJobState(written, renamed, place)).toThrow(LeaseRecordInvalidError);
  });

  it('is refused by a job that has other periods', () => {
    expect(() => decodeJobState(text, { ...job, periods: daily() }, place)).toThrow(
      LeaseRecordInvalidError,
    );
    expect(() => decodeJobState(text, { ...job, periods: weekly() }, place)).toThrow(
      LeaseRecordInvalidError,
    );
  });
});

describe('hasRoom', () => {
  it('has room for sixteen months that are open at one time, and for no more', () => {
    const open = Array.from({ length: 15 }, (_, index) => ({
      period: new Date(Date.UTC(2026, 2 * index)).toISOString().slice(0, 7),
      kind: 'stuck' as const,
      hasUnknown: true,
      sweptMinutes: 0,
    }));
    const fifteen = { ...emptyState, open };
    expect(hasRoom(fifteen, '2030-01', { owner: job })).toBe(true);
    const current = { period: '2030-01', cursor: undefined, counts: {}, isCheck: false };
    expect(hasRoom({ ...fifteen, current }, '2030-01', { owner: job })).toBe(true);
    expect(hasRoom({ ...fifteen, current }, '2030-02', { owner: job })).toBe(false);
  });

  it('has no room once ranges have taken it', () => {
    const settled = (count: number): JobState => ({
      ...emptyState,
      settled: Array.from({ length: count }, (_, index) => {
        const name = new Date(Date.UTC(2026, 0, 1 + 2 * index)).toISOString().slice(0, 10);
        return { first: name, last: name };
      }),
    });
    expect(hasRoom(settled(40), '2030-01-01', { owner: job })).toBe(true);
    expect(hasRoom(settled(60), '2030-01-01', { owner: job })).toBe(false);
  });

  it('leaves room for one more where it must', () => {
    const settled = Array.from({ length: 53 }, (_, index) => {
      const name = new Date(Date.UTC(2026, 0, 1 + 2 * index)).toISOString().slice(0, 10);
      return { first: name, last: name };
    });
    const lengths = settled.map((_, count) => ({
      ...emptyState,
      settled: settled.slice(0, count),
    }));
    const last = lengths.findLast((full) => hasRoom(full, '2030-01-01', { owner: job, spare: 1 }));
    const fuller = { ...emptyState, settled: settled.slice(0, (last?.settled.length ?? 0) + 1) };
    expect(hasRoom(fuller, '2030-01-01', { owner: job, spare: 1 })).toBe(false);
    expect(hasRoom(fuller, '2030-01-01', { owner: job })).toBe(true);
  });
});
