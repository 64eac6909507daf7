import { getEventListeners } from 'node:events';
import { afterEach, assert, beforeEach, describe, expect, it } from 'vitest';
import { boundedCall, type CallBounds } from '../../src/core/bounded-call.ts';
import { OutcomeUnknownError, StoreUnavailableError } from '../../src/core/errors.ts';
import type { StoreCall } from '../../src/core/lease-store.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';

const context = { lease: 'billing', store: 'memory' };
const hangs = (): Promise<never> => new Promise(() => {});

let clock: ManualClock;
let caller: AbortController;

/** Bounds of 2 s with a caller that goes on for long. */
function bounds(given: Partial<CallBounds> = {}): CallBounds {
  return { clock, timeoutMs: 2_000, signal: caller.signal, writes: true, context, ...given };
}

/** How a promise that should have settled did; asserting this never waits. */
async function settledAs(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([
    promise.catch((error: unknown) => error),
    new Promise((resolve) => {
      setImmediate(resolve, 'still waiting');
    }),
  ]);
}

beforeEach(() => {
  clock = new ManualClock();
  caller = new AbortController();
});

describe('boundedCall', () => {
  afterEach(() => {
    assert.strictEqual(clock.pendingSleeps, 0);
    assert.lengthOf(getEventListeners(caller.signal, 'abort'), 0);
  });

  it('gives what the call gives', async () => {
    expect(await boundedCall(bounds(), () => Promise.resolve(7))).toBe(7);
  });

  it('leaves nothing behind on a signal that outlives a hundred calls', async () => {
    for (let call = 0; call < 100; call += 1) {
      await boundedCall(bounds(), () => Promise.resolve(call));
    }
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  it('rejects with what the call rejects with, untouched', async () => {
    const error = new Error('refused');
    await expect(boundedCall(bounds(), () => Promise.reject(error))).rejects.toBe(error);
  });

  it('rejects with what the call throws at once', async () => {
    const error = new Error('not even a promise');
    const call = boundedCall(bounds(), () => {
      throw error;
    });
    await expect(call).rejects.toBe(error);
  });

  it('ends a hung write that ignores its signal as of unknown outcome', async () => {
    const call = boundedCall(bounds({ writes: true }), hangs);
    await clock.advance(1_999);
    expect(await settledAs(call)).toBe('still waiting');
    await clock.advance(1);
    expect(await settledAs(call)).toBeInstanceOf(OutcomeUnknownError);
    await expect(call).rejects.toMatchObject({ ...context, code: 'OUTCOME_UNKNOWN' });
  });

  it('ends a hung read as an unavailable store', async () => {
    const call = boundedCall(bounds({ writes: false }), hangs);
    expect(await settledAs(call)).toBe('still waiting');
    await clock.advance(2_000);
    expect(await settledAs(call)).toBeInstanceOf(StoreUnavailableError);
    await expect(call).rejects.toMatchObject({ ...context, code: 'STORE_UNAVAILABLE' });
    await expect(call).rejects.toThrow('no answer within 2000 ms');
  });

  it('aborts the signal of a call that takes too long, and says why itself', async () => {
    let seen: StoreCall | undefined;
    const call = boundedCall(bounds(), (given) => {
      seen = given;
      return new Promise((_, reject) => {
        given.signal.addEventListener('abort', () => reject(new Error('what the client says')));
      });
    });
    expect(await settledAs(call)).toBe('still waiting');
    expect(seen?.signal.aborted).toBe(false);
    await clock.advance(2_000);
    expect(await settledAs(call)).toBeInstanceOf(OutcomeUnknownError);
    expect(seen?.signal.aborted).toBe(true);
  });

  it('aborts the signal of a call that has settled, for what it left running', async () => {
    let seen: StoreCall | undefined;
    await boundedCall(bounds(), (given) => {
      seen = given;
      return Promise.resolve();
    });
    expect(seen?.signal.aborted).toBe(true);
  });

  it.each([[new Error('stop')], ['a text'], [null], [{ why: 'an object' }]])(
    'rejects with the reason of a caller that aborts, untouched: %o',
    async (reason) => {
      const call = boundedCall(bounds(), hangs).catch((error: unknown) => [error]);
      expect(await settledAs(call)).toBe('still waiting');
      caller.abort(reason);
      expect(await settledAs(call)).toEqual([reason]);
    },
  );

  it('rejects with the reason of the caller if the call fails at the same moment', async () => {
    const refusals: ((error: Error) => void)[] = [];
    const call = boundedCall(bounds(), () => {
      return new Promise<never>((_, reject) => {
        refusals.push(reject);
      });
    });
    const reason = new Error('stop');
    refusals.forEach((refuse) => refuse(new Error('refused')));
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('makes no call if the caller has already aborted', async () => {
    const reason = new Error('stop');
    caller.abort(reason);
    let calls = 0;
    const call = boundedCall(bounds(), () => {
      calls += 1;
      return Promise.resolve();
    });
    await expect(call).rejects.toBe(reason);
    expect(calls).toBe(0);
  });

  it('needs no caller that aborts', async () => {
    expect(await boundedCall(bounds({ signal: undefined }), () => Promise.resolve(7))).toBe(7);
  });

  it.each([0, -100])('ends a call with %i ms left unless it answers at once', async (timeoutMs) => {
    const call = boundedCall(bounds({ timeoutMs }), hangs).catch((error: unknown) => error);
    await clock.advance(0);
    expect(await settledAs(call)).toBeInstanceOf(OutcomeUnknownError);
    expect(await boundedCall(bounds({ timeoutMs }), () => Promise.resolve(7))).toBe(7);
  });

  it('drops what a call that was given up does later', async () => {
    const answers: ((error: Error) => void)[] = [];
    const call = boundedCall(bounds(), () => {
      return new Promise<never>((_, reject) => {
        answers.push(reject);
      });
    }).catch((error: unknown) => error);
    await clock.advance(2_000);
    // A rejection that nobody handles would fail this run.
    answers.forEach((reject) => reject(new Error('late')));
    expect(await settledAs(call)).toBeInstanceOf(OutcomeUnknownError);
  });
});
