import { describe, expect, it } from 'vitest';
import type { JobOutcome } from 'tenure/jobs';
import { returnedOrThrown } from '../../../src/runtimes/shared/returned-or-thrown.ts';
import { outcome } from '../../jobs/outcome.ts';

describe('how an invocation settles', () => {
  it.each<Partial<JobOutcome>>([
    {},
    { status: 'idle', reason: 'nothing-due' },
    { status: 'followed', reason: 'busy' },
    { status: 'lost', reason: 'taken-over', fencingToken: 33 },
    { reason: 'stuck', stuck: ['2026-10'] },
  ])('returns the outcome for %j', (more) => {
    const given = outcome(more);
    expect(returnedOrThrown(given, 'memory')).toBe(given);
  });

  it('throws where the lease ran out over the work', () => {
    const lost = outcome({ status: 'lost', reason: 'expired', fencingToken: 33 });
    expect(() => returnedOrThrown(lost, 'memory')).toThrow(
      expect.objectContaining({
        name: 'LeaseLostError',
        code: 'LEASE_LOST',
        reason: 'expired',
        fencingToken: 33,
        message:
          'the job billing was not done before its lease ran out, another invocation must go on with it [memory:nightly]',
      }),
    );
  });

  it('says then what the work failed with', () => {
    const error = { name: 'TypeError', message: 'no file' };
    const lost = outcome({ status: 'lost', reason: 'expired', fencingToken: 33, error });
    expect(() => returnedOrThrown(lost, 'memory')).toThrow(
      '; its work then failed with TypeError: no file [memory:nightly]',
    );
  });
});
