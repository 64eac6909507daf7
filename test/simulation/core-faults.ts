import { vi } from 'vitest';
import type * as BoundedCall from '../../src/core/bounded-call.ts';
import type * as FencingToken from '../../src/core/fencing-token.ts';
import type * as ObservationModule from '../../src/core/observation.ts';
import type * as Outlast from '../../src/core/outlast.ts';
import type * as TermModule from '../../src/core/term.ts';
import type * as Validity from '../../src/core/validity.ts';

/** Faults of the core: each replaces a part of one module for what is imported afterwards. */
export const coreFaults = {
  countsFromReply: inValidity(() => ({ countsFrom: ({ repliedAt }) => repliedAt })),
  trustsMonotonicClock: inValidity(() => {
    const elapsedMs: typeof Validity.elapsedMs = (from, to) => to.monotonicMs - from.monotonicMs;
    return {
      elapsedMs,
      remainingMs: (confirmedAt, now, timing) =>
        timing.renewDeadlineMs - elapsedMs(confirmedAt, now),
    };
  }),
  neverStopsByItself: inValidity(() => ({ remainingMs: () => 1_000 })),
  trustsOwnDuration: inObservation((actual) => ({
    candidacy: (observation, ...others) =>
      actual.candidacy(withDuration(observation, 8_000), ...others),
  })),
  countsFromBeforeRequest: inObservation((actual) => ({
    observed: (before, look, nowMs) => actual.observed(before, look, nowMs - 100),
  })),
  countsFromLastLook: inObservation((actual) => ({
    candidacy: (observation, ...others) =>
      actual.candidacy({ ...observation, firstSeenAtMs: observation.lastSeenAtMs }, ...others),
  })),
  comesBack: (): void => {
    vi.doMock('../../src/core/term.ts', async (original) => {
      const actual = await original<typeof TermModule>();
      const { withRevivableTerm } = await import('./revivable-term.ts');
      return withRevivableTerm(actual);
    });
  },
  keepsToken: (): void => {
    vi.doMock('../../src/core/fencing-token.ts', (): typeof FencingToken => ({
      nextToken: (look, { firstToken, wallMs }) =>
        (look.state === 'absent' ? undefined : look.record.fencingToken) ?? firstToken ?? wallMs,
    }));
  },
  outlastsNothing: (): void => {
    vi.doMock('../../src/core/outlast.ts', async (original): Promise<typeof Outlast> => ({
      ...(await original<typeof Outlast>()),
      outlasting: (_context, _signal, call) => call(),
    }));
  },
  leavesTimer: (): void => {
    vi.doMock('../../src/core/bounded-call.ts', async (original): Promise<typeof BoundedCall> => {
      const actual = await original<typeof BoundedCall>();
      return {
        ...actual,
        boundedCall: (bounds, call) => {
          void bounds.clock.sleep(bounds.timeoutMs);
          return actual.boundedCall(bounds, call);
        },
      };
    });
  },
} satisfies Record<string, () => void>;

/** Brings the core back to what it is. */
export function mendCore(): void {
  vi.doUnmock('../../src/core/validity.ts');
  vi.doUnmock('../../src/core/observation.ts');
  vi.doUnmock('../../src/core/term.ts');
  vi.doUnmock('../../src/core/fencing-token.ts');
  vi.doUnmock('../../src/core/outlast.ts');
  vi.doUnmock('../../src/core/bounded-call.ts');
  vi.resetModules();
}

function inValidity(change: () => Partial<typeof Validity>): () => void {
  return () => {
    vi.doMock('../../src/core/validity.ts', async (original) => ({
      ...(await original<typeof Validity>()),
      ...change(),
    }));
  };
}

function inObservation(
  change: (actual: typeof ObservationModule) => Partial<typeof ObservationModule>,
): () => void {
  return () => {
    vi.doMock('../../src/core/observation.ts', async (original) => {
      const actual = await original<typeof ObservationModule>();
      return { ...actual, ...change(actual) };
    });
  };
}

function withDuration(
  observation: ObservationModule.Observation,
  leaseDurationMs: number,
): ObservationModule.Observation {
  const { look } = observation;
  return look.state === 'absent'
    ? observation
    : { ...observation, look: { ...look, record: { ...look.record, leaseDurationMs } } };
}
