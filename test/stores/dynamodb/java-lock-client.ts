import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

export interface JavaOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ownerName: string;
  /** `updateExistingLockRecord`: false is `put`, the default there, and replaces the whole item. */
  readonly acquires: 'put' | 'update';
  /** `deleteLockOnRelease`: true is `delete`, the default there. */
  readonly releases: 'delete' | 'keep';
  /** Default 1 000. */
  readonly leaseDurationMs?: number;
  /** Bytes that its user keeps in `data`. */
  readonly data?: string;
  /** Whether an update that takes over also removes `isReleased`: not so up to version 1.4.0. */
  readonly clearsReleased?: boolean;
}

/** What the Java client knows of an item. */
export interface JavaLook {
  readonly recordVersionNumber: string;
  readonly ownerName: string;
  readonly leaseDurationMs: number;
  readonly isReleased: boolean;
}

/** A lease that the Java client holds. */
export interface JavaLease {
  readonly key: string;
  recordVersionNumber: string;
}

const names = {
  '#pk': 'key',
  '#rvn': 'recordVersionNumber',
  '#on': 'ownerName',
  '#ld': 'leaseDuration',
  '#ir': 'isReleased',
  '#d': 'data',
};

/**
 * Sends what the Java DynamoDB lock client (awslabs/amazon-dynamodb-lock-client, 1.4.0) sends: the
 * same items, conditions and order of requests, one pass of its loop at a time.
 */
export class JavaLockClient {
  readonly #options: JavaOptions;
  readonly #seen = new Map<string, { look: JavaLook; atMs: number }>();

  constructor(options: JavaOptions) {
    this.#options = options;
  }

  get #leaseDuration(): AttributeValue {
    return { S: String(this.#options.leaseDurationMs ?? 1_000) };
  }

  /** Reads the item as strictly as the Java code does, which throws for anything unexpected. */
  async look(key: string): Promise<JavaLook | undefined> {
    const { client, tableName } = this.#options;
    const Key = { key: { S: key } };
    const command = new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true });
    const { Item: item } = await client.send(command);
    return item && lookOf(item);
  }

  /** One pass: looks, and writes if the item is absent, released, or unchanged for its duration. */
  async tryAcquire(key: string): Promise<JavaLease | undefined> {
    const look = await this.look(key);
    if (look === undefined) {
      return this.#write(key, 'attribute_not_exists(#pk)', {});
    }
    if (look.isReleased) {
      return this.#write(key, 'attribute_exists(#pk) AND #ir = :ir', { ':ir': { S: '1' } }, true);
    }
    const seen = this.#seen.get(key);
    if (seen?.look.recordVersionNumber !== look.recordVersionNumber) {
      this.#seen.set(key, { look, atMs: performance.now() });
      return undefined;
    }
    return performance.now() - seen.atMs > seen.look.leaseDurationMs
      ? this.takeOver(key, seen.look)
      : undefined;
  }

  /** Passes until the lease is acquired. */
  async acquire(key: string): Promise<JavaLease> {
    for (;;) {
      const lease = await this.tryAcquire(key);
      if (lease) {
        return lease;
      }
      await sleep(50);
    }
  }

  /** Takes over what `look` showed, which it holds to be expired. */
  takeOver(key: string, look: JavaLook): Promise<JavaLease | undefined> {
    const values = { ':rvn': { S: look.recordVersionNumber } };
    const { clearsReleased = false } = this.#options;
    return this.#write(key, 'attribute_exists(#pk) AND #rvn = :rvn', values, clearsReleased);
  }

  /** Shows that it lives. Resolves to `false` if the lease is lost. */
  renew(lease: JavaLease): Promise<boolean> {
    const next = randomUUID();
    return this.#ifStillHeld(lease, async (Key, held) => {
      await this.#send(
        new UpdateItemCommand({
          TableName: this.#options.tableName,
          Key,
          ConditionExpression: held.condition,
          UpdateExpression: 'SET #ld = :ld, #rvn = :next',
          ExpressionAttributeNames: pick('#pk', '#rvn', '#on', '#ld'),
          ExpressionAttributeValues: {
            ...held.values,
            ':ld': this.#leaseDuration,
            ':next': { S: next },
          },
        }),
      );
      lease.recordVersionNumber = next;
    });
  }

  /** Gives up the lease. Resolves to `false` if it was lost before. */
  release(lease: JavaLease): Promise<boolean> {
    const { tableName: TableName, releases } = this.#options;
    return this.#ifStillHeld(lease, async (Key, { condition, values }) => {
      const conditional = { TableName, Key, ConditionExpression: condition };
      await (releases === 'delete'
        ? this.#send(
            new DeleteItemCommand({
              ...conditional,
              ExpressionAttributeNames: pick('#pk', '#rvn', '#on'),
              ExpressionAttributeValues: values,
            }),
          )
        : this.#send(
            new UpdateItemCommand({
              ...conditional,
              UpdateExpression: 'SET #ir = :ir',
              ExpressionAttributeNames: pick('#pk', '#rvn', '#on', '#ir'),
              ExpressionAttributeValues: { ...values, ':ir': { S: '1' } },
            }),
          ));
    });
  }

  /** Holds the lease until `signal` aborts, renewing as its background thread does. */
  async keepRenewing(lease: JavaLease, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.renew(lease))) {
      await sleep(100, undefined, { signal }).catch(() => {});
    }
  }

  async #write(
    key: string,
    condition: string,
    values: Item,
    clearsReleased = false,
  ): Promise<JavaLease | undefined> {
    const { tableName: TableName, ownerName, acquires, data } = this.#options;
    const recordVersionNumber = randomUUID();
    const owner = { S: ownerName };
    const bytes = data === undefined ? undefined : { B: new TextEncoder().encode(data) };
    const used = Object.keys(names).filter((name) => condition.includes(name));
    const put = new PutItemCommand({
      TableName,
      Item: {
        key: { S: key },
        ownerName: owner,
        leaseDuration: this.#leaseDuration,
        recordVersionNumber: { S: recordVersionNumber },
        ...(bytes && { data: bytes }),
      },
      ConditionExpression: condition,
      ExpressionAttributeNames: pick(...used),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    });
    const remove = clearsReleased ? ' REMOVE #ir' : '';
    const set = `SET #on = :on, #ld = :ld, #rvn = :new${bytes ? ', #d = :d' : ''}`;
    const all = `${condition} ${set}${remove}`;
    const update = new UpdateItemCommand({
      TableName,
      Key: { key: { S: key } },
      ConditionExpression: condition,
      UpdateExpression: `${set}${remove}`,
      ExpressionAttributeNames: pick(...Object.keys(names).filter((name) => all.includes(name))),
      ExpressionAttributeValues: {
        ...values,
        ':on': owner,
        ':ld': this.#leaseDuration,
        ':new': { S: recordVersionNumber },
        ...(bytes && { ':d': bytes }),
      },
    });
    const written = await applied(() => this.#send(acquires === 'put' ? put : update));
    return written ? { key, recordVersionNumber } : undefined;
  }

  #ifStillHeld(
    { key, recordVersionNumber }: JavaLease,
    write: (key: Item, held: { condition: string; values: Item }) => Promise<void>,
  ): Promise<boolean> {
    const held = {
      condition: 'attribute_exists(#pk) AND #rvn = :rvn AND #on = :on',
      values: { ':rvn': { S: recordVersionNumber }, ':on': { S: this.#options.ownerName } },
    };
    return applied(() => write({ key: { S: key } }, held));
  }

  async #send(command: PutItemCommand | UpdateItemCommand | DeleteItemCommand): Promise<void> {
    const { client } = this.#options;
    await (client.send as (sent: typeof command) => Promise<unknown>).call(client, command);
  }
}

async function applied(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return false;
    }
    throw error;
  }
}

function lookOf(item: Item): JavaLook {
  const { ownerName, leaseDuration, recordVersionNumber, isReleased, data } = item;
  if (ownerName?.S === undefined || recordVersionNumber?.S === undefined) {
    throw new TypeError('NullPointerException');
  }
  // Long.parseLong
  if (leaseDuration?.S === undefined || !/^[-+]?[0-9]+$/.test(leaseDuration.S)) {
    throw new TypeError('NumberFormatException');
  }
  if (data !== undefined && data.B === undefined) {
    throw new TypeError('NullPointerException');
  }
  return {
    recordVersionNumber: recordVersionNumber.S,
    ownerName: ownerName.S,
    leaseDurationMs: Number(leaseDuration.S),
    isReleased: isReleased !== undefined,
  };
}

function pick(...keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(names).filter(([name]) => keys.includes(name)));
}
