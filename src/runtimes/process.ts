/**
 * Leading from a long-lived process that ends by signals.
 *
 * @module
 */
import { describeValue } from '../core/describe-value.ts';
import { hasCode } from '../core/errors.ts';
import type { Election } from '../core/election.ts';
import type { Work } from '../core/leadership.ts';
import type { Outcome } from '../core/outcome.ts';
import { optionalFunction, requireFunction, requireObject } from '../core/requirements.ts';

/** Options of {@link runUntilSignal}. */
export interface RunUntilSignalOptions<T> {
  /**
   * After a loss: `follow` stands again; `exit` ends the process with status 1 at once, without
   * waiting for the work, as the Kubernetes control plane does.
   */
  readonly onLoss: 'follow' | 'exit';
  /** Told how each term ended; awaited before the next. What it throws ends the campaign. */
  readonly onOutcome?: (outcome: Outcome<T>) => void | Promise<void>;
}

/** The campaigns of this process: one signal stops them all, and the last one to end exits. */
const campaigns = new Set<AbortController>();
/** Why all are being stopped, if they are. */
let stopped: Error | undefined;

/**
 * Campaigns until SIGTERM or SIGINT, then waits for the work, releases the lease and exits with
 * status 0. A second signal ends the process at once, as it would without this function.
 *
 * May be called for several elections: a signal stops all, and the process exits when the last one
 * has released its lease.
 *
 * @throws what {@link Election.campaign} throws; the signals then have their usual effect again,
 *   unless others still campaign.
 */
export async function runUntilSignal<Progress, T>(
  election: Election<Progress>,
  work: Work<Progress, T>,
  options: RunUntilSignalOptions<T>,
): Promise<never> {
  const { onLoss, onOutcome } = requireObject('options', options, 'an object with onLoss');
  if (!['follow', 'exit'].includes(onLoss)) {
    throw new TypeError(`onLoss must be 'follow' or 'exit', got ${describeValue(onLoss)}`);
  }
  requireFunction('work', work);
  optionalFunction('onOutcome', onOutcome);
  const stop = new AbortController();
  join(stop);
  try {
    const watched: Work<Progress, T> = (leadership) => {
      if (onLoss === 'exit') {
        exitOnLoss(leadership.signal);
      }
      return work(leadership);
    };
    for await (const outcome of election.campaign(watched, { signal: stop.signal })) {
      await onOutcome?.(outcome);
      // A stale token ends the term as lost without having aborted its signal.
      if (outcome.status === 'lost' && onLoss === 'exit') {
        process.exit(1);
      }
    }
  } finally {
    leave(stop);
  }
  if (campaigns.size === 0) {
    process.exit(0);
  }
  // Another campaign still winds down, and exits when it has.
  return new Promise<never>(() => {});
}

function join(stop: AbortController): void {
  if (campaigns.size === 0) {
    process.on('SIGTERM', stopAll);
    process.on('SIGINT', stopAll);
  }
  campaigns.add(stop);
  if (stopped) {
    stop.abort(stopped);
  }
}

function leave(stop: AbortController): void {
  campaigns.delete(stop);
  if (campaigns.size === 0) {
    stopListening();
    stopped = undefined;
  }
}

function stopAll(name: NodeJS.Signals): void {
  // The next one, whichever it is, has its usual effect.
  stopListening();
  stopped = new Error(`stopped by ${name}`);
  for (const stop of campaigns) {
    stop.abort(stopped);
  }
}

function stopListening(): void {
  process.removeListener('SIGTERM', stopAll);
  process.removeListener('SIGINT', stopAll);
}

/** Ends the process as soon as the leadership is lost: a drain could outlive the lease. */
function exitOnLoss(signal: AbortSignal): void {
  signal.addEventListener(
    'abort',
    () => {
      const reason: unknown = signal.reason;
      if (isLoss(reason)) {
        process.exit(1);
      }
    },
    { once: true },
  );
}

function isLoss(reason: unknown): boolean {
  return (
    hasCode(reason, 'LEASE_LOST') && (reason.reason === 'taken-over' || reason.reason === 'expired')
  );
}
