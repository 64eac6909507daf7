import { LeaseLostError } from '../../core/errors.ts';
import type { JobOutcome } from '../../jobs/job-outcome.ts';
import { isFailure } from '../../jobs/outcome-event.ts';

/**
 * Returns the outcome of a run that resolved, or throws it: platforms retry, and alarm on, what throws.
 *
 * @param store - Name of the store, for the message.
 * @throws `LeaseLostError` if the lease ran out over the work and nobody is known to have taken it over:
 *   the work that is left needs another invocation. After `failed` the run itself has thrown already.
 */
export function returnedOrThrown(outcome: JobOutcome, store: string): JobOutcome {
  if (!isFailure(outcome)) {
    return outcome;
  }
  const { error, fencingToken = 0, job, lease } = outcome;
  const workError = error ? `; its work then failed with ${error.name}: ${error.message}` : '';
  throw new LeaseLostError(
    'expired',
    `the job ${job} was not done before its lease ran out, another invocation must go on with it${workError}`,
    { lease, store, fencingToken },
  );
}
