import { expect, it } from 'vitest';
import type { RunReport } from '../../../functions/local/report.ts';
import {
  expectFailover,
  expectStoryOfFreeze,
  nothingWrong as nothingWrongFor,
  type Ended,
} from './run-program.ts';

type FaultStory = '--fault freeze' | '--fault kill' | '--fault partition' | '--fault outage';

/** Registers what every store must survive. */
export function itSurvivesFaults(
  customers: number,
  storyOf: (args: FaultStory) => Ended & { readonly report: RunReport },
): void {
  const nothingWrong = nothingWrongFor(customers);

  it('survives a leader that is frozen, and rejects its late write', () => {
    const { exitCode, stdout, report } = storyOf('--fault freeze');
    expect(report).toMatchObject({ ...nothingWrong, problems: [] });
    expect(report.staleWritesRejected).toBeGreaterThanOrEqual(1);
    expect(report.repeatedRequests).toBeGreaterThanOrEqual(1);
    expect(report.gatewayRequests).toBe(customers + report.repeatedRequests);
    expect(exitCode).toBe(0);
    expectFailover(report);
    expectStoryOfFreeze(stdout);
  });

  it('survives a leader that is killed', () => {
    const { exitCode, report } = storyOf('--fault kill');
    expect(report).toMatchObject({ ...nothingWrong, staleWritesRejected: 0, problems: [] });
    expect(report.repeatedRequests).toBeGreaterThanOrEqual(1);
    expect(exitCode).toBe(0);
    expectFailover(report);
  });

  it('survives a leader that is cut off from the store, and rejects its late write', () => {
    const { exitCode, report } = storyOf('--fault partition');
    expect(report).toMatchObject({ ...nothingWrong, problems: [] });
    expect(report.staleWritesRejected).toBeGreaterThanOrEqual(1);
    expect(exitCode).toBe(0);
    expectFailover(report);
  });

  it('survives a store that answers nobody', () => {
    const { exitCode, report } = storyOf('--fault outage');
    expect(report).toMatchObject({ ...nothingWrong, problems: [] });
    expect(report.terms.length).toBeGreaterThan(1);
    expect(report.terms.at(-1)?.endedBy).toBe('released');
    // A leader that lost its term late in the outage may still free its record right after it.
    const neverSilent = report.terms.every(({ endedBy }) => endedBy === 'released');
    const { failoverMs, leaseDurationMs } = report;
    expect(neverSilent ? failoverMs === null : (failoverMs ?? 0) > 2 * leaseDurationMs).toBe(true);
    expect(exitCode).toBe(0);
  });
}
