import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../src/core/lease-store.ts';
import { candidacy, leaderView, observed, type Observation } from '../../src/core/observation.ts';
import { lookAt } from './arbitraries.ts';

const absent: Look = { state: 'absent' };

/** What a candidate knows after looks at given times. */
function watching(...looks: readonly (readonly [atMs: number, look: Look])[]): Observation {
  return looks.reduce<Observation | undefined>(
    (before, [atMs, look]) => observed(before, look, atMs),
    undefined,
  ) as Observation;
}

describe('observed', () => {
  it('keeps when a version was seen first, however often it is seen again', () => {
    const seen = watching([100, lookAt('v1')], [200, lookAt('v1')], [300, lookAt('v1')]);
    expect(seen).toMatchObject({ firstSeenAtMs: 100, lastSeenAtMs: 300 });
    expect(seen.writtenAfterMs).toBeUndefined();
  });

  it('begins anew with another version, written after the last look at the one before', () => {
    const seen = watching([100, lookAt('v1')], [200, lookAt('v1')], [300, lookAt('v2')]);
    expect(seen).toMatchObject({ firstSeenAtMs: 300, lastSeenAtMs: 300, writtenAfterMs: 200 });
  });

  it('begins anew when a store that judges expiry changes the state of a version', () => {
    const seen = watching([100, lookAt('v1')], [200, lookAt('v1', { state: 'expired' })]);
    expect(seen).toMatchObject({ firstSeenAtMs: 200, writtenAfterMs: 100 });
    expect(seen.look).toMatchObject({ state: 'expired' });
  });

  it('begins anew when a record appears or disappears', () => {
    const appeared = watching([100, absent], [200, absent], [300, lookAt('v1')]);
    expect(appeared).toMatchObject({ firstSeenAtMs: 300, writtenAfterMs: 200 });
    const gone = watching([100, lookAt('v1')], [200, absent], [300, absent]);
    expect(gone).toMatchObject({ firstSeenAtMs: 200, lastSeenAtMs: 300 });
  });
});

describe('candidacy', () => {
  it.each<[string, Look]>([
    ['absent', absent],
    ['free', lookAt('v1', { state: 'free' })],
    ['expired', lookAt('v1', { state: 'expired' })],
  ])('is open at once for a record that is %s', (_, look) => {
    for (const expiry of ['observed', 'store'] as const) {
      expect(candidacy(watching([100, look]), [], 100, expiry)).toEqual({ open: true });
    }
  });

  it('is open at once for what an ended term of its own wrote, and for nothing else', () => {
    const seen = watching([100, { ...lookAt('v1'), mark: 'm1' } as Look]);
    for (const expiry of ['observed', 'store'] as const) {
      expect(candidacy(seen, ['m0', 'm1'], 100, expiry)).toEqual({ open: true });
      expect(candidacy(seen, ['m0', 'v1'], 100, expiry)).toMatchObject({ open: false });
    }
  });

  it('opens once the record did not change for exactly the duration that it names', () => {
    const atMs = fc.integer({ min: 0, max: 1e9 });
    const durations = fc.integer({ min: 1, max: 60_000 });
    const aroundMs = fc.integer({ min: -3, max: 3 });
    fc.assert(
      fc.property(atMs, durations, aroundMs, (seenAtMs, leaseDurationMs, around) => {
        const passedMs = Math.max(0, leaseDurationMs + around);
        const look = lookAt('v1', { record: { leaseDurationMs } });
        const state = candidacy(watching([seenAtMs, look]), [], seenAtMs + passedMs, 'observed');
        expect(state.open).toBe(passedMs >= leaseDurationMs);
        expect(state).toMatchObject(
          state.open ? {} : { agesInMs: leaseDurationMs - passedMs, alive: false },
        );
      }),
    );
  });

  it('counts anew from each change', () => {
    const seen = watching([0, lookAt('v1')], [14_999, lookAt('v2')]);
    expect(candidacy(seen, [], 29_998, 'observed')).toMatchObject({ open: false, agesInMs: 1 });
    expect(candidacy(seen, [], 29_999, 'observed')).toEqual({ open: true });
  });

  it('never opens by age where the store judges expiry', () => {
    const seen = watching([0, lookAt('v1')]);
    expect(candidacy(seen, [], 14_000, 'store')).toEqual({
      open: false,
      agesInMs: 1_000,
      alive: false,
    });
    // It held for its recorded duration since the first look, so it must have renewed.
    expect(candidacy(seen, [], 15_000, 'store')).toEqual({ open: false, agesInMs: 0, alive: true });
    expect(candidacy(seen, [], 1e9, 'store')).toEqual({ open: false, agesInMs: 0, alive: true });
  });

  it.each([
    ['within its duration', 15_999, true],
    ['no longer', 16_000, false],
  ])('knows a holder as alive while its last change is recent: %s', (_, nowMs, alive) => {
    const seen = watching([1_000, lookAt('v1')], [5_000, lookAt('v2')]);
    expect(candidacy(seen, [], nowMs, 'observed')).toMatchObject({ open: false, alive });
  });
});

describe('leaderView', () => {
  it.each<[string, Look]>([
    ['absent', absent],
    ['free', lookAt('v1', { state: 'free' })],
  ])('is undefined for a record that is %s', (_, look) => {
    expect(leaderView(watching([100, look]), 100, 'observed')).toBeUndefined();
    expect(leaderView(watching([100, look]), 100, 'store')).toBeUndefined();
  });

  it('names the holder, its token and for how long the record did not change', () => {
    expect(leaderView(watching([100, lookAt('v1')]), 700, 'observed')).toEqual({
      holder: 'a',
      fencingToken: 33,
      leaseDurationMs: 15_000,
      state: 'unconfirmed',
      unchangedForMs: 600,
    });
  });

  it.each<[string, Observation, number, string]>([
    ['one look', watching([0, lookAt('v1')]), 14_999, 'unconfirmed'],
    ['silence', watching([0, lookAt('v1')]), 15_000, 'expired'],
    ['a recent change', watching([0, lookAt('v1')], [900, lookAt('v2')]), 14_999, 'alive'],
    ['a change long ago', watching([0, lookAt('v1')], [900, lookAt('v2')]), 15_000, 'unconfirmed'],
    ['silence since a change', watching([0, lookAt('v1')], [900, lookAt('v2')]), 15_900, 'expired'],
  ])('calls a holder by observation after %s: at %i ms %s', (_, seen, nowMs, state) => {
    expect(leaderView(seen, nowMs, 'observed')).toMatchObject({ state });
  });

  it.each([
    ['held', 'alive'],
    ['expired', 'expired'],
  ] as const)('believes a store that judges expiry: %s is %s', (state, view) => {
    const seen = watching([0, lookAt('v1', { state })]);
    expect(leaderView(seen, 1e9, 'store')).toMatchObject({ state: view });
  });

  it('is expired exactly when a candidate may bid for a held record', () => {
    const times = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 9_000 }), fc.constantFrom('v1', 'v2')),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 20_000 }), (pauses, lastPauseMs) => {
        let nowMs = 0;
        const looks = pauses.map(([pauseMs, version]) => {
          nowMs += pauseMs;
          return [nowMs, lookAt(version)] as const;
        });
        const seen = watching(...looks);
        const view = leaderView(seen, nowMs + lastPauseMs, 'observed');
        const { open } = candidacy(seen, [], nowMs + lastPauseMs, 'observed');
        expect(view?.state === 'expired').toBe(open);
      }),
    );
  });
});
