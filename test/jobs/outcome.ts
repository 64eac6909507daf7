import type { JobOutcome } from 'tenure/jobs';

/** An outcome of a run that completed everything, but for what a test says. */
export function outcome(more: Partial<JobOutcome> = {}): JobOutcome {
  return {
    job: 'billing',
    lease: 'nightly',
    identity: 'a/1',
    attempt: { id: '1' },
    trigger: { period: '2026-10' },
    status: 'led',
    reason: 'completed',
    periods: [],
    incomplete: [],
    incompleteCount: 0,
    stuck: [],
    renewals: 3,
    durationMs: 12,
    ...more,
  };
}
