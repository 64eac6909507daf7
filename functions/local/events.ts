/**
 * What can happen in a local run. Store events are seen by the proxy in front of the store, in the
 * order in which the store applied the writes; the others are what the schedulers say of themselves.
 *
 * @module
 */

/** Seen at the store. */
type StoreEvent =
  | { readonly type: 'acquired'; readonly scheduler: string; readonly fencingToken: number }
  | { readonly type: 'released'; readonly scheduler: string; readonly fencingToken: number }
  | {
      /** A charge was written, or refused because of its token. */
      readonly type: 'row';
      readonly scheduler: string;
      readonly customerId: string;
      /** Absent where a run without leases writes without one. */
      readonly fencingToken: number | undefined;
      readonly accepted: boolean;
      /** The highest token that this row had seen before; the write is stale if its own is lower. */
      readonly highestToken: number;
      readonly stale: boolean;
      /** Accepted of a leader that had a successor already, who had not touched this row. */
      readonly late: boolean;
    };

/** Said by a scheduler about itself. */
export type SchedulerReport =
  | {
      readonly type: 'began';
      /** Absent without leases. */
      readonly fencingToken?: number;
      /** Id of the last customer whom the saved progress shows to be settled. */
      readonly settledThrough?: string;
    }
  | {
      /** It has found that it is leader no longer, while its work may still be ending. */
      readonly type: 'stopped-leading';
      readonly fencingToken: number;
      readonly reason: 'taken-over' | 'expired';
    }
  | { readonly type: 'followed'; readonly holder: string; readonly fencingToken: number }
  | {
      readonly type: 'lost';
      readonly fencingToken: number;
      readonly reason: 'taken-over' | 'expired';
      /** Code or name of the error that ended the work, if it had one of its own. */
      readonly workError?: string;
    }
  | { readonly type: 'finished'; readonly charged: number; readonly skipped: number }
  | {
      /** The work ended early; the scheduler stands again. */
      readonly type: 'gave-up';
      readonly because: string;
    };

/** Anything that happens in a local run. */
export type RunEvent =
  | StoreEvent
  | (SchedulerReport & { readonly scheduler: string })
  | {
      readonly type: 'exited';
      readonly scheduler: string;
      readonly exitCode: number | undefined;
      readonly killedBy: string | undefined;
      /** Whether the runner asked for it. */
      readonly expected: boolean;
    }
  | {
      /** The gateway has charged this customer and holds back the reply. */
      readonly type: 'held';
      readonly customerId: string;
    }
  | {
      /** The gateway was asked once more for a charge that it had made. */
      readonly type: 'repeated';
      readonly customerId: string;
      readonly chargedAgain: boolean;
    }
  | {
      /** The runner did something to the scenery, in words. */
      readonly type: 'staged';
      readonly text: string;
    };

/** The events of one type. */
export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;
