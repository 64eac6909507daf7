import type { LeaderView } from './outcome.ts';
import type { LossReason } from './errors.ts';
import { quietly } from './quietly.ts';

/** What an election tells its observer. `lease` and `identity` say whose event it is. */
export type ElectionEvent = { readonly lease: string; readonly identity: string } & (
  | { readonly type: 'acquired'; readonly fencingToken: number; readonly remainingMs: number }
  | {
      readonly type: 'renewed';
      readonly fencingToken: number;
      /** What was left of the leadership when the renewal was sent, in milliseconds. */
      readonly headroomMs: number;
    }
  | {
      readonly type: 'renewal-failed';
      readonly fencingToken: number;
      readonly remainingMs: number;
      readonly error: unknown;
    }
  | {
      /** Sent once the release is over, also with an `error` when it failed. */
      readonly type: 'released';
      readonly fencingToken: number;
      /** Why the store may still show this process as holder; absent if the release succeeded. */
      readonly error?: unknown;
    }
  | {
      readonly type: 'lost';
      readonly fencingToken: number;
      readonly reason: LossReason;
      readonly error: unknown;
    }
  | {
      /** The store could not be asked, or gave no usable answer; this candidate tries again. */
      readonly type: 'attempt-failed';
      readonly error: unknown;
    }
  | { readonly type: 'leader-changed'; readonly leader: LeaderView | undefined }
  | {
      /** The stored progress is not ours, or `parseProgress` refused it; it reads as none. */
      readonly type: 'foreign-progress';
      readonly fencingToken: number;
      readonly error?: unknown;
    }
  | {
      /** The leadership is over, the work still runs, and another may lead by now. */
      readonly type: 'work-overdue';
      readonly fencingToken: number;
      readonly overdueMs: number;
    }
  | {
      /** Sent when a term begins: leaders keep dying or losing the lease. */
      readonly type: 'flapping';
      /** How many of the last ten terms ended because their holder fell silent; 5 or more. */
      readonly terms: number;
      /** In how long, in milliseconds. */
      readonly withinMs: number;
    }
);

/** Called synchronously; what it throws is dropped, and so is the rejection of an async one. */
export type ElectionObserver = (event: ElectionEvent) => void;

type EventBody<E = ElectionEvent> = E extends unknown ? Omit<E, 'lease' | 'identity'> : never;

/** Reports one event. Never throws. */
export type Report = (event: EventBody) => void;

/** Makes a {@link Report} for one election. An observer must not be able to end a leadership. */
export function reporterFor(
  observer: ElectionObserver | undefined,
  origin: { readonly lease: string; readonly identity: string },
): Report {
  return (event) => quietly(() => observer?.({ ...origin, ...event }));
}
