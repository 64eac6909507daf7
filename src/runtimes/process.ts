/**
 * Leading from a long-lived process that ends by signals.
 *
 * @module
 */
import { describeValue } from '../core/describe-value.ts';
import { isTenureError } from '../core/errors.ts';
import type { Election, Work } from '../core/election.ts';
import type { Outcome } from '../core/outcome.ts';
import { optionalFunction, requireWork } from '../core/requirements.ts';

/** Options of {@link runUntilSignal}. */
export interface RunUntilSignalOptions<T> {
  /**
   * After a loss: `follow` stands again; `exit` ends the process with status 1 at once, without
   * waiting for the work, as the Kubernetes control plane does.
   */
  readonly onLoss: 'follow' | 'exit';
  /** Told how each term ended. */
  readonly onOutcome?: (outcome: Outcome<T>) => void;
}

/**
 * Campaigns until SIGTERM or SIGINT, then waits for the work, releases the lease and exits with
 * status 0. A second signal ends the process at once, as it would without this function.
 *
 * @throws what {@link Election.campaign} throws; the signals then have their usual effect again.
 */
export async function runUntilSignal<Progress, T>(
  election: Election<Progress>,
  work: Work<Progress, T>,
  { onLoss, onOutcome }: RunUntilSignalOptions<T>,
): Promise<never> {
  if (!['follow', 'exit'].includes(onLoss)) {
    throw new TypeError(`onLoss must be 'follow' or 'exit', got ${describeValue(onLoss)}`);
  }
  requireWork(work);
  optionalFunction('onOutcome', onOutcome);
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    // The next one, whichever it is, has its usual effect.
    stopListening();
    stop.abort(new Error(`stopped by ${name}`));
  };
  const stopListening = (): void => {
    process.removeListener('SIGTERM', onSignal);
    process.removeListener('SIGINT', onSignal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  try {
    const watched: Work<Progress, T> = (leadership) => {
      if (onLoss === 'exit') {
        exitOnLoss(leadership.signal);
      }
      return work(leadership);
    };
    for await (const outcome of election.campaign(watched, { signal: stop.signal })) {
      onOutcome?.(outcome);
      if (outcome.status === 'lost' && onLoss === 'exit') {
        process.exit(1);
      }
    }
  } finally {
    stopListening();
  }
  process.exit(0);
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
    isTenureError(reason) &&
    reason.code === 'LEASE_LOST' &&
    (reason.reason === 'taken-over' || reason.reason === 'expired')
  );
}
