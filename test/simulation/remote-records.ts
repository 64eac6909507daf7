import type { StoreCall } from '../../src/core/lease-store.ts';
import type {
  RecordStore,
  RecordWrite,
  RecordWriteResult,
  StoredRecord,
} from '../../src/core/record-store.ts';
import type { Operation } from './history.ts';
import { lookOf, unbounded, type LeaseServer } from './lease-server.ts';
import type { Network } from './network.ts';
import type { SimProcess } from './sim-process.ts';

/** A table, as one process reaches it over the network. */
export class RemoteRecords implements RecordStore {
  readonly name: string;
  readonly limits: RecordStore['limits'];
  readonly #records: RecordStore;
  readonly #server: LeaseServer;
  readonly #network: Network;
  readonly #process: SimProcess;

  constructor(records: RecordStore, server: LeaseServer, network: Network, process: SimProcess) {
    this.name = records.name;
    this.limits = records.limits;
    this.#records = records;
    this.#server = server;
    this.#network = network;
    this.#process = process;
  }

  async read(lease: string, call: StoreCall): Promise<StoredRecord | undefined> {
    const found = await this.#network.send(this.#process, { kind: 'look' }, call, () =>
      this.#records.read(lease, unbounded),
    );
    this.#hasSeen(found);
    return found;
  }

  async write(lease: string, write: RecordWrite, call: StoreCall): Promise<RecordWriteResult> {
    const sentAtMs = this.#process.history.nowMs;
    const result = await this.#network.send(
      this.#process,
      operationOf(write),
      call,
      (request, delivery) =>
        this.#server.handle(
          this.#process,
          { request, delivery },
          () => this.#records.write(lease, write, unbounded),
          ({ written }) => written,
        ),
    );
    if (result.written) {
      this.#process.wasAnswered(write.fencingToken, sentAtMs);
    } else {
      this.#hasSeen(result.found);
    }
    return result;
  }

  #hasSeen(found: StoredRecord | undefined): void {
    const look = lookOf(found);
    if (look.state !== 'absent') {
      this.#process.hasSeen(look.version);
    }
  }
}

function operationOf(write: RecordWrite): Operation {
  const { version, replaces, within, released, holder, fencingToken } = write;
  const mark = version;
  if (within) {
    const kind = released ? 'release' : 'renew';
    const { progress, jobState } = write;
    return { kind, fencingToken, holder, mark, progress, jobState };
  }
  const basis = replaces === 'absent' ? undefined : replaces[0];
  return { kind: 'acquire', fencingToken, holder, mark, basis };
}
