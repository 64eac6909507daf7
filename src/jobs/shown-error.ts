import { describeValue } from '../core/describe-value.ts';
import type { JobOutcome } from './job-outcome.ts';

/** An error as it is told. No stack: it goes to the log with the rejection. */
export function shownError(error: unknown): NonNullable<JobOutcome['error']> {
  if (!(error instanceof Error)) {
    return { name: 'unknown', message: describeValue(error) };
  }
  const { cause } = error;
  return {
    ...titleOf(error),
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(cause instanceof Error && { cause: `${titleOf(cause).name}: ${titleOf(cause).message}` }),
  };
}

/** Code of others may have put anything there. */
function titleOf({ name, message }: Error): { readonly name: string; readonly message: string } {
  return { name: textOf(name), message: textOf(message) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : describeValue(value);
}
