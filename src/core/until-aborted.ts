/**
 * Settles as `answer` does, or rejects with the signal's reason as soon as it aborts.
 *
 * To give the signal to a client is not enough: an SDK watches it while a request is under way, but
 * not in each version between two attempts, nor while credentials are fetched.
 */
export function untilAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return answer;
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
    }
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
