/**
 * To be thrown by an effect that has proof that nothing reached the downstream: no connection came
 * about, or the request could not be made up. It takes back this attempt, and only this one.
 */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly code = 'NOT_SENT';
}

/** Compares the code, so that it also holds when two copies of the library are loaded. */
export function isNotSent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NOT_SENT';
}
