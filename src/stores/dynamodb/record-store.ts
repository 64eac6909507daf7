import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { longestTimerMs } from '../../core/clock.ts';
import type { StoreCall } from '../../core/lease-store.ts';
import { requireTime } from '../../core/require-time.ts';
import type {
  RecordStore,
  RecordWrite,
  RecordWriteResult,
  StoredRecord,
} from '../../core/record-store.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { attributes, keyOf, type LeaseTable, type StoredItem } from './attributes.ts';
import { decodeItem } from './decode-item.ts';
import { leaseUpdate } from './lease-update.ts';
import { leaseTableOf, type DynamoDbClient, type DynamoDbLeaseStoreOptions } from './options.ts';
import { isFailedCondition } from './sdk-errors.ts';
import { storeError } from './store-errors.ts';

/**
 * Lease records as items of a DynamoDB table.
 *
 * @throws `TypeError` naming the option that does not fit.
 */
export function dynamoDbRecordStore(options: DynamoDbLeaseStoreOptions): RecordStore {
  return new DynamoDbRecordStore(options);
}

class DynamoDbRecordStore implements RecordStore {
  readonly name = 'dynamodb';
  readonly limits = {
    expiry: 'observed',
    minDurationMs: 1,
    maxDurationMs: longestTimerMs,
    granularityMs: 1,
  } as const;

  readonly #client: DynamoDbClient;
  readonly #table: LeaseTable;
  readonly #onTokenLost: 'fail' | 'restart';

  constructor(options: DynamoDbLeaseStoreOptions) {
    this.#table = leaseTableOf(options);
    this.#client = options.client;
    this.#onTokenLost = options.onTokenLost ?? 'fail';
  }

  async read(lease: string, { signal }: StoreCall): Promise<StoredRecord | undefined> {
    const command = new GetItemCommand({
      TableName: this.#table.tableName,
      Key: keyOf(this.#table, lease),
      ConsistentRead: true,
    });
    let item: StoredItem | undefined;
    try {
      const answer = this.#client.send(command, { abortSignal: signal });
      item = (await untilAborted(answer, signal)).Item;
    } catch (error) {
      throw storeError(error, this.#call('GetItem', lease));
    }
    return item && this.#decode(lease, item);
  }

  async write(lease: string, write: RecordWrite, call: StoreCall): Promise<RecordWriteResult> {
    const { signal } = call;
    requireTime('UpdateItem', signal, { store: this.name, lease });
    const command = new UpdateItemCommand(leaseUpdate(this.#table, lease, write));
    try {
      const answer = this.#client.send(command, { abortSignal: signal });
      const { Attributes: attributesNow } = await untilAborted(answer, signal);
      if (attributesNow?.[attributes.version]?.S !== write.version) {
        throw new Error('the answer does not show the write: is this DynamoDB?');
      }
      return { written: true };
    } catch (error) {
      if (!isFailedCondition(error)) {
        throw storeError(error, this.#call('UpdateItem', lease));
      }
      // Some servers never return the item, and none does if there is none.
      const found = error.Item ? this.#decode(lease, error.Item) : await this.read(lease, call);
      return found && isResultOf(write, found) ? { written: true } : { written: false, found };
    }
  }

  #call(operation: string, lease: string): Parameters<typeof storeError>[1] {
    const { tableName } = this.#table;
    return { operation, tableName, lease, writes: operation === 'UpdateItem' };
  }

  #decode(lease: string, item: StoredItem): StoredRecord {
    return decodeItem(item, { store: this.name, lease }, this.#onTokenLost);
  }
}

/**
 * Whether `found` is what `write` writes. An attempt that was long under way can be applied after
 * a later attempt of the same request failed: the item it met had been deleted in between.
 */
function isResultOf(write: RecordWrite, { version, released, record }: StoredRecord): boolean {
  return (
    version === write.version &&
    released === write.released &&
    record.holder === write.holder &&
    record.fencingToken === write.fencingToken
  );
}
