import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What is called of an AWS SDK client. */
export type DynamoDbClient = Pick<DynamoDBClient, 'send'>;

/**
 * Settles as `answer` does, or rejects with the signal's reason as soon as it aborts.
 *
 * The SDK watches its `abortSignal` while a request is on its way, but not in each version between
 * two attempts, and never while credentials are fetched.
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
