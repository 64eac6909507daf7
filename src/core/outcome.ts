/** What one look, and what was seen before it, says about the leader. */
export interface LeaderView {
  /** Identity of the holder. */
  readonly holder: string;
  /** Token of its term; 0 if its record has none, as under `onTokenLost: 'restart'`. */
  readonly fencingToken: number;
  /** How long it may be silent, in milliseconds. */
  readonly leaseDurationMs: number;
  /**
   * `alive`: wrote within its lease duration. `expired`: silent for longer. `unconfirmed`: the
   * record has not been watched for long enough to tell.
   */
  readonly state: 'alive' | 'unconfirmed' | 'expired';
  /** For how long this process has seen the record unchanged, in milliseconds. */
  readonly unchangedForMs: number;
}

/**
 * How one attempt to lead ended.
 *
 * - `led`, `completed`: the work returned `value`.
 * - `led`, `paused`: the budget was spent; `value` is what the work returned, if it returned.
 * - `followed`: no leadership was won. `held`: another leads. `lost-race`: another was faster.
 *   `cannot-age`: the budget was too short to see whether the holder is silent; call again.
 *   `busy`: this election already leads or is trying to.
 * - `lost`: the leadership was over before the work settled. `taken-over`: proved to be another's.
 *   `expired`: not renewed in time. `workError` is the work's own error, if it had one.
 */
export type Outcome<T> =
  | {
      readonly status: 'led';
      readonly end: 'completed';
      readonly fencingToken: number;
      readonly value: T;
    }
  | {
      readonly status: 'led';
      readonly end: 'paused';
      readonly fencingToken: number;
      readonly value?: T;
    }
  | {
      readonly status: 'followed';
      readonly reason: 'held' | 'lost-race' | 'cannot-age' | 'busy';
      readonly leader?: LeaderView;
    }
  | {
      readonly status: 'lost';
      readonly reason: 'taken-over' | 'expired';
      readonly fencingToken: number;
      readonly workError?: unknown;
    };
