import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Send = (command: object) => Promise<unknown>;

/** A client that may not read, and the commands with which it was asked to. */
export function unableToRead(client: DynamoDBDocumentClient): {
  readonly documentClient: DynamoDBDocumentClient;
  readonly reads: readonly string[];
} {
  const reads: string[] = [];
  const documentClient = sendingThrough(client, async (command, send) => {
    const { name } = command.constructor;
    if (/^(Get|Describe)/.test(name)) {
      reads.push(name);
      throw Object.assign(new Error('not allowed'), { name: 'AccessDeniedException' });
    }
    return send(command);
  });
  return { documentClient, reads };
}

/** A client of a server that returns no rows with its cancellation reasons. */
export function withoutReturnedRows(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return sendingThrough(client, async (command, send) => {
    try {
      return await send(command);
    } catch (error) {
      const { CancellationReasons: reasons = [] } = error as { CancellationReasons?: object[] };
      reasons.forEach((reason) => Reflect.deleteProperty(reason, 'Item'));
      throw error;
    }
  });
}

/** The same client, with each command passed through `around`. */
function sendingThrough(
  client: DynamoDBDocumentClient,
  around: (command: object, send: Send) => Promise<unknown>,
): DynamoDBDocumentClient {
  const send = client.send.bind(client) as Send;
  const altered: unknown = Object.create(client, {
    send: { value: (command: object) => around(command, send) },
  });
  return altered as DynamoDBDocumentClient;
}
