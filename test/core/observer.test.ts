import { describe, expect, it } from 'vitest';
import { reporterFor, type ElectionEvent, type ElectionObserver } from '../../src/core/observer.ts';

const origin = { lease: 'billing', identity: 'a' };

describe('reporterFor', () => {
  it('says whose event it is, at once', () => {
    const events: ElectionEvent[] = [];
    const report = reporterFor((event) => {
      events.push(event);
    }, origin);
    report({ type: 'released', fencingToken: 33 });
    expect(events).toEqual([{ ...origin, type: 'released', fencingToken: 33 }]);
  });

  it('reports to nobody without an observer', () => {
    expect(() =>
      reporterFor(undefined, origin)({ type: 'released', fencingToken: 33 }),
    ).not.toThrow();
  });

  it('drops what an observer throws, and calls it again', () => {
    let calls = 0;
    const report = reporterFor(() => {
      calls += 1;
      throw new Error('no disk left for logs');
    }, origin);
    report({ type: 'released', fencingToken: 33 });
    report({ type: 'released', fencingToken: 34 });
    expect(calls).toBe(2);
  });

  it('drops the rejection of an async observer, which would end the process', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => {
      unhandled.push(error);
    };
    process.on('unhandledRejection', onUnhandled);
    try {
      const observer: unknown = () => Promise.reject(new Error('no logs'));
      const report = reporterFor(observer as ElectionObserver, origin);
      report({ type: 'released', fencingToken: 33 });
      // Node reports a rejection as unhandled after the microtasks of this turn.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
  });
});
