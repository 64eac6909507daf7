/**
 * A ledger as items of a DynamoDB table, which may be that of the leases.
 *
 * | attribute       | type | meaning                                                            |
 * | --------------- | ---- | ------------------------------------------------------------------ |
 * | partition key   | S    | prefix and idempotency key; the attribute's own name is an option  |
 * | sort key        | S    | one value per store, if the table has a sort key                   |
 * | `ledgerVersion` | S    | UUID, new on each write                                            |
 * | `ledgerState`   | S    | state, for the filter of the list                                  |
 * | `ledgerEntry`   | S    | the record as JSON                                                 |
 *
 * Each write is one conditional `PutItem` that carries the version it replaces and the version it
 * writes, so it has the same effect however often it is delivered. Reads and the `Scan` of the list
 * are strongly consistent. Needs the permissions `dynamodb:GetItem`, `dynamodb:PutItem` and, for
 * `unfinished` alone, `dynamodb:Scan`. Nothing is deleted; a TTL would forget what was done.
 *
 * @module
 */
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { StoreCall } from '../../core/lease-store.ts';
import { requireTime } from '../../core/require-time.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { keyOf, type LeaseTable, type StoredItem } from '../../stores/dynamodb/attributes.ts';
import {
  leaseTableOf,
  type DynamoDbClient,
  type DynamoDbLeaseStoreOptions,
} from '../../stores/dynamodb/options.ts';
import { isFailedCondition } from '../../stores/dynamodb/sdk-errors.ts';
import { storeError } from '../../stores/dynamodb/store-errors.ts';
import type {
  LedgerPage,
  LedgerStore,
  LedgerWrite,
  LedgerWriteResult,
  StoredEntry,
} from '../ledger-store.ts';
import { requirePageSize, requirePrefix } from '../place.ts';
import { decodeRecord, encodeRecord, invalidEntry } from '../record-text.ts';

/** Options of {@link dynamoDbLedgerStore}. */
export interface DynamoDbLedgerStoreOptions extends Pick<
  DynamoDbLeaseStoreOptions,
  'client' | 'tableName' | 'partitionKey' | 'sortKey'
> {
  /**
   * Start of the key of each item: it keeps the entries apart from leases in the same table, and
   * ledgers from each other. Default `ledger/`.
   */
  readonly prefix?: string;
  /** How many items one request of the list reads. Default as many as DynamoDB does, 1 MiB. */
  readonly pageSize?: number;
}

const attributes = {
  version: 'ledgerVersion',
  state: 'ledgerState',
  entry: 'ledgerEntry',
} as const;

/**
 * Keeps a ledger in a DynamoDB table, one item for each entry. Its keys are those of a table made by
 * `createLeaseTable`.
 *
 * @throws `TypeError` or `RangeError` naming the option that does not fit.
 */
export function dynamoDbLedgerStore(options: DynamoDbLedgerStoreOptions): LedgerStore {
  return new DynamoDbLedgerStore(options);
}

class DynamoDbLedgerStore implements LedgerStore {
  readonly name = 'dynamodb';
  readonly #client: DynamoDbClient;
  readonly #table: LeaseTable;
  readonly #prefix: string;
  readonly #pageSize: number | undefined;

  constructor(options: DynamoDbLedgerStoreOptions) {
    this.#table = leaseTableOf(options);
    requireOtherNames(this.#table);
    this.#client = options.client;
    this.#prefix = requirePrefix(options.prefix);
    this.#pageSize = requirePageSize(options.pageSize);
  }

  async read(id: string, { signal }: StoreCall): Promise<StoredEntry | undefined> {
    const command = new GetItemCommand({
      TableName: this.#table.tableName,
      Key: keyOf(this.#table, this.#prefix + id),
      ConsistentRead: true,
    });
    let item: StoredItem | undefined;
    try {
      signal.throwIfAborted();
      item = (await untilAborted(this.#client.send(command, { abortSignal: signal }), signal)).Item;
    } catch (error) {
      throw storeError(error, this.#call('GetItem'));
    }
    return item && this.#decode(item);
  }

  async write(id: string, write: LedgerWrite, call: StoreCall): Promise<LedgerWriteResult> {
    const { signal } = call;
    requireTime('PutItem', signal, { store: this.name });
    const command = this.#putOf(id, write);
    try {
      await untilAborted(this.#client.send(command, { abortSignal: signal }), signal);
      return { written: true, version: write.writeId };
    } catch (error) {
      if (!isFailedCondition(error)) {
        throw storeError(error, this.#call('PutItem'));
      }
      // Some servers never return the item, and none does if there is none.
      const found = error.Item ? this.#decode(error.Item) : await this.read(id, call);
      return { written: false, found };
    }
  }

  async listUnfinished(from: string | undefined, { signal }: StoreCall): Promise<LedgerPage> {
    const command = this.#scanFrom(from);
    try {
      signal.throwIfAborted();
      const answer = this.#client.send(command, { abortSignal: signal });
      const { Items = [], LastEvaluatedKey } = await untilAborted(answer, signal);
      return {
        ids: Items.map((item) => this.#keyIn(item).slice(this.#prefix.length)),
        // The whole key: a page may end at an item of another sort key.
        next: LastEvaluatedKey && JSON.stringify(LastEvaluatedKey),
      };
    } catch (error) {
      throw storeError(error, this.#call('Scan'));
    }
  }

  #putOf(id: string, { record, replaces, writeId }: LedgerWrite): PutItemCommand {
    const { partitionKey, tableName } = this.#table;
    return new PutItemCommand({
      TableName: tableName,
      Item: {
        ...keyOf(this.#table, this.#prefix + id),
        [attributes.version]: { S: writeId },
        [attributes.state]: { S: record.state },
        [attributes.entry]: { S: encodeRecord(record) },
      },
      // With a key that exists and a version that does not, another's item is never replaced.
      ConditionExpression:
        replaces === undefined
          ? 'attribute_not_exists(#key) OR #version = :written'
          : '#version IN (:seen, :written)',
      ExpressionAttributeNames: {
        '#version': attributes.version,
        ...(replaces === undefined && { '#key': partitionKey }),
      },
      ExpressionAttributeValues: {
        ':written': { S: writeId },
        ...(replaces !== undefined && { ':seen': { S: replaces } }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  }

  #scanFrom(from: string | undefined): ScanCommand {
    const { partitionKey, sortKey, tableName } = this.#table;
    const filter = 'begins_with(#key, :prefix) AND #state IN (:pending, :unknown)';
    return new ScanCommand({
      TableName: tableName,
      ConsistentRead: true,
      ...(this.#pageSize !== undefined && { Limit: this.#pageSize }),
      ...(from !== undefined && { ExclusiveStartKey: startKeyOf(from) }),
      ProjectionExpression: '#key',
      FilterExpression: sortKey ? `${filter} AND #sort = :sort` : filter,
      ExpressionAttributeNames: {
        '#key': partitionKey,
        '#state': attributes.state,
        ...(sortKey && { '#sort': sortKey.name }),
      },
      ExpressionAttributeValues: {
        ':prefix': { S: this.#prefix },
        ':pending': { S: 'pending' },
        ':unknown': { S: 'unknown' },
        ...(sortKey && { ':sort': { S: sortKey.value } }),
      },
    });
  }

  #keyIn(item: StoredItem): string {
    return item[this.#table.partitionKey]?.S ?? '';
  }

  #call(operation: string): Parameters<typeof storeError>[1] {
    return { operation, tableName: this.#table.tableName, writes: operation === 'PutItem' };
  }

  #decode(item: StoredItem): StoredEntry {
    const version = item[attributes.version]?.S;
    const record = decodeRecord(item[attributes.entry]?.S, this.name);
    if (version === undefined || item[attributes.state]?.S !== record.state) {
      throw invalidEntry(
        `its ${attributes.version} is missing or its ${attributes.state} is not that of the entry`,
        this.name,
      );
    }
    return { version, record };
  }
}

/** @throws `TypeError` if a key of the table is called like an attribute of an entry. */
function requireOtherNames({ partitionKey, sortKey }: LeaseTable): void {
  const taken = new Set<string | undefined>(Object.values(attributes));
  const name = [partitionKey, sortKey?.name].find((key) => taken.has(key));
  if (name !== undefined) {
    throw new TypeError(
      `a key of the table must not be called like an attribute of an entry, got ${name}; use a table whose keys have other names`,
    );
  }
}

/** The key that a page before ended at; its attributes are strings, which JSON keeps as they are. */
function startKeyOf(from: string): StoredItem {
  // oxlint-disable-next-line no-unsafe-type-assertion -- written by this store alone
  return JSON.parse(from) as StoredItem;
}
