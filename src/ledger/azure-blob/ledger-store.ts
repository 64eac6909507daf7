/**
 * A ledger as blobs of an Azure container, which may be that of the leases.
 *
 * A blob is called by prefix and idempotency key. Its body is the record as JSON; its metadata holds
 * `ledgerstate`, by which the list is filtered, and `ledgerwrite`, the UUID of the write. A record's
 * version is the blob's ETag.
 *
 * Each write is one `Put Blob` with `If-None-Match: *` or `If-Match`. Where it was applied before,
 * the condition fails, and a read finds the UUID: so it has the same result however often it is
 * delivered. Needs the data actions `blobs/read` and `blobs/write` (Storage Blob Data Contributor),
 * or a SAS with the rights `rcw`, and `l` for `unfinished`. Nothing is deleted; a lifecycle rule
 * would forget what was done.
 *
 * @module
 */
import { requireObject } from '../../core/requirements.ts';
import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import type { StoreCall } from '../../core/lease-store.ts';
import { requireTime } from '../../core/require-time.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { requireContainerClient } from '../../stores/azure-blob/options.ts';
import { refusalOf } from '../../stores/azure-blob/sdk-errors.ts';
import { storeError, storeName } from '../../stores/azure-blob/store-errors.ts';
import {
  isUnfinished,
  type LedgerPage,
  type LedgerStore,
  type LedgerWrite,
  type LedgerWriteResult,
  type StoredEntry,
} from '../ledger-store.ts';
import { requirePageSize, requirePrefix } from '../place.ts';
import { decodeRecord, encodeRecord, invalidEntry } from '../record-text.ts';

/** Options of {@link azureBlobLedgerStore}. */
export interface AzureBlobLedgerStoreOptions {
  /** Client of the container. It is used as it is: its retries and credentials are the caller's. */
  readonly containerClient: ContainerClient;
  /**
   * Start of the name of each blob: it keeps the entries apart from leases in the same container,
   * and ledgers from each other. Default `ledger/`.
   */
  readonly prefix?: string;
  /** How many blobs one request of the list names. Default as many as Azure does, 5 000. */
  readonly pageSize?: number;
}

/**
 * Keeps a ledger in an Azure container, one blob for each entry.
 *
 * @throws `TypeError` or `RangeError` naming the option that does not fit.
 */
export function azureBlobLedgerStore(options: AzureBlobLedgerStoreOptions): LedgerStore {
  return new AzureBlobLedgerStore(requireObject('options', options));
}

/** What was read, and which write it came from. */
interface ReadRecord extends StoredEntry {
  readonly writeId: string | undefined;
}

class AzureBlobLedgerStore implements LedgerStore {
  readonly name = storeName;
  readonly #container: ContainerClient;
  readonly #prefix: string;
  readonly #pageSize: number | undefined;

  constructor(options: AzureBlobLedgerStoreOptions) {
    requireContainerClient(options.containerClient);
    this.#container = options.containerClient;
    this.#prefix = requirePrefix(options.prefix);
    this.#pageSize = requirePageSize(options.pageSize);
  }

  async read(id: string, call: StoreCall): Promise<StoredEntry | undefined> {
    const found = await this.#read(id, call);
    return found && { version: found.version, record: found.record };
  }

  async write(id: string, write: LedgerWrite, call: StoreCall): Promise<LedgerWriteResult> {
    const { signal } = call;
    requireTime('Put Blob', signal, { store: this.name });
    try {
      const { etag } = await untilAborted(this.#put(id, write, signal), signal);
      return etag === undefined
        ? await this.#settle(id, write, call, new Error('the answer to Put Blob has no ETag'))
        : { written: true, version: etag };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined || refusal === 'no-container') {
        throw storeError(error, this.#call('Put Blob', true));
      }
      return this.#settle(id, write, call, error);
    }
  }

  async listUnfinished(from: string | undefined, { signal }: StoreCall): Promise<LedgerPage> {
    const blobs = this.#container.listBlobsFlat({
      prefix: this.#prefix,
      includeMetadata: true,
      abortSignal: signal,
    });
    const pages = blobs.byPage({
      ...(from !== undefined && { continuationToken: from }),
      ...(this.#pageSize !== undefined && { maxPageSize: this.#pageSize }),
    });
    try {
      signal.throwIfAborted();
      const page = await untilAborted(firstOf(pages), signal);
      const unfinished = page?.segment.blobItems.filter(({ metadata }) =>
        isUnfinished(metadata?.['ledgerstate']),
      );
      return {
        ids: unfinished?.map(({ name }) => name.slice(this.#prefix.length)) ?? [],
        // After the last page it is an empty text.
        next: page?.continuationToken || undefined,
      };
    } catch (error) {
      throw storeError(error, this.#call('List Blobs', false));
    }
  }

  /** Whether a refused write had been applied before: the SDK repeats, and so does the ledger. */
  async #settle(
    id: string,
    { replaces, writeId }: LedgerWrite,
    call: StoreCall,
    error: unknown,
  ): Promise<LedgerWriteResult> {
    const found = await this.#read(id, call);
    if (found?.writeId === writeId) {
      return { written: true, version: found.version };
    }
    // Refused although it is the version that the write names, as when somebody leased the blob.
    if (found?.version === replaces) {
      throw storeError(error, this.#call('Put Blob', true));
    }
    return { written: false, found: found && { version: found.version, record: found.record } };
  }

  #put(
    id: string,
    { record, replaces, writeId }: LedgerWrite,
    abortSignal: AbortSignal,
  ): ReturnType<BlockBlobClient['upload']> {
    const body = new TextEncoder().encode(encodeRecord(record));
    return this.#blob(id).upload(body, body.length, {
      abortSignal,
      conditions: replaces === undefined ? { ifNoneMatch: '*' } : { ifMatch: replaces },
      metadata: { ledgerstate: record.state, ledgerwrite: writeId },
      blobHTTPHeaders: { blobContentType: 'application/json' },
    });
  }

  async #read(id: string, { signal }: StoreCall): Promise<ReadRecord | undefined> {
    let answer: Awaited<ReturnType<BlockBlobClient['download']>>;
    let text: string;
    try {
      signal.throwIfAborted();
      const download = this.#blob(id).download(0, undefined, { abortSignal: signal });
      answer = await untilAborted(download, signal);
      text = await untilAborted(textOf(answer.readableStreamBody), signal);
    } catch (error) {
      if (refusalOf(error) === 'absent') {
        return undefined;
      }
      throw storeError(error, this.#call('Get Blob', false));
    }
    const { etag, metadata } = answer;
    const record = decodeRecord(text, this.name);
    if (etag === undefined || metadata?.['ledgerstate'] !== record.state) {
      throw invalidEntry('the ledgerstate of its metadata is not that of the entry', this.name);
    }
    return { version: etag, record, writeId: metadata['ledgerwrite'] };
  }

  #blob(id: string): BlockBlobClient {
    return this.#container.getBlockBlobClient(this.#prefix + id);
  }

  #call(operation: string, writes: boolean): Parameters<typeof storeError>[1] {
    return { operation, containerName: this.#container.containerName, writes };
  }
}

async function textOf(stream: NodeJS.ReadableStream | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream ?? []) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) {
    return item;
  }
  return undefined;
}
