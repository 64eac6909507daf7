import { requireFunction, requireNumber, requireObject } from './requirements.ts';

/** Time that the caller allots, such as what is left of a function's invocation. */
export interface Budget {
  /** What is left, in milliseconds. Anything but a number counts as nothing. */
  remainingMs(): number;
  /**
   * What must be left for the work to wind down and for the release, in milliseconds. At the
   * reserve `checkpoint` saves and rejects; when half of it is gone the leadership is over.
   */
  readonly reserveMs: number;
}

/** @throws `TypeError` or `RangeError` that names the wrong value. */
export function requireBudget(budget: Budget): Budget {
  requireObject('budget', budget);
  requireFunction('budget.remainingMs', Reflect.get(budget, 'remainingMs'));
  requireNumber('budget.reserveMs', budget.reserveMs, {
    kind: '0 or more milliseconds',
    fits: (ms) => Number.isFinite(ms) && ms >= 0,
  });
  return {
    reserveMs: budget.reserveMs,
    // Time that is not known must not be spent, nor waited out in a loop.
    remainingMs: () => {
      const leftMs: unknown = budget.remainingMs();
      return typeof leftMs === 'number' && !Number.isNaN(leftMs) ? leftMs : 0;
    },
  };
}
