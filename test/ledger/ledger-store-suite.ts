import { expect, it } from 'vitest';
import type { StoreCall } from '../../src/core/lease-store.ts';
import type { LedgerStore } from '../../src/ledger/index.ts';
import { doneRecord, idOf, newKey, pendingRecord, writeOf } from './records.ts';

/** A store under test. */
export interface SuiteBench {
  /** A store over the shared place; with a prefix of its own if one is given. */
  store(options?: { readonly prefix?: string; readonly pageSize?: number }): LedgerStore;
  /** What is stored, read a second way, in any form that is equal when nothing was changed. */
  raw(id: string): Promise<unknown>;
}

/** Of its own for each use: an SDK may leave a listener on a signal. */
const call = (): StoreCall => ({ signal: new AbortController().signal });

/** Registers what every ledger store must pass. */
export function ledgerStoreSuite(bench: () => SuiteBench): void {
  /** Writes a record to where there was none. */
  const created = async (record = pendingRecord(newKey())) => {
    const result = await bench().store().write(idOf(record), writeOf(record), call());
    if (!result.written) {
      throw new Error('a fresh record was not written');
    }
    return { record, id: idOf(record), version: result.version };
  };

  it('reads nothing where nothing was written', async () => {
    expect(
      await bench()
        .store()
        .read(idOf(pendingRecord(newKey())), call()),
    ).toBe(undefined);
  });

  it('reads back what another client wrote, text of any language included', async () => {
    const key = ['เรียกเก็บเงิน', 'c/1 ?#%&"\'\\', '2026-10 \u{1F4B6}'];
    const record = doneRecord([...key, ...newKey()], { note: 'ชำระแล้ว', big: 'x'.repeat(1_900) });
    const { id, version } = await created(record);
    expect(await bench().store().read(id, call())).toEqual({ version, record });
  });

  it('creates a record once', async () => {
    const { id, record, version } = await created();
    const before = await bench().raw(id);
    const other = pendingRecord(record.key, { fencingToken: 34 });
    expect(await bench().store().write(id, writeOf(other), call())).toEqual({
      written: false,
      found: { version, record },
    });
    expect(await bench().raw(id)).toEqual(before);
  });

  it('lets one of many concurrent creations succeed', async () => {
    const record = pendingRecord(newKey());
    const results = await Promise.all(
      Array.from({ length: 6 }, () => bench().store().write(idOf(record), writeOf(record), call())),
    );
    expect(results.filter(({ written }) => written).length).toBe(1);
  });

  it('replaces the version that a write names, and no other', async () => {
    const { id, record, version } = await created();
    const done = doneRecord(record.key, { chargeId: 'ch-1' });
    const first = await bench().store().write(id, writeOf(done, version), call());
    expect(first).toMatchObject({ written: true });
    const before = await bench().raw(id);
    const late = await bench().store().write(id, writeOf(record, version), call());
    const stored = await bench().store().read(id, call());
    expect(stored?.record).toEqual(done);
    expect(stored?.version).not.toBe(version);
    expect(late).toEqual({ written: false, found: stored });
    expect(await bench().raw(id)).toEqual(before);
  });

  it('replaces nothing where there is nothing', async () => {
    const record = pendingRecord(newKey());
    const { version } = await created();
    expect(await bench().store().write(idOf(record), writeOf(record, version), call())).toEqual({
      written: false,
      found: undefined,
    });
    expect(await bench().store().read(idOf(record), call())).toBe(undefined);
  });

  it.each(['creation', 'replacement'])('gives the same result for a repeated %s', async (kind) => {
    const record = pendingRecord(newKey());
    const replaces = kind === 'creation' ? undefined : (await created(record)).version;
    const write = writeOf(doneRecord(record.key, 1), replaces);
    const first = await bench().store().write(idOf(record), write, call());
    const before = await bench().raw(idOf(record));
    expect(first).toMatchObject({ written: true });
    expect(await bench().store().write(idOf(record), write, call())).toEqual(first);
    expect(await bench().raw(idOf(record))).toEqual(before);
  });

  it.each(['creation', 'replacement'])(
    'changes nothing when a %s arrives again after a later write',
    async (kind) => {
      const record = pendingRecord(newKey());
      const id = idOf(record);
      const replaces = kind === 'creation' ? undefined : (await created(record)).version;
      const write = writeOf(record, replaces);
      const first = await bench().store().write(id, write, call());
      const version = first.written ? first.version : '';
      await bench()
        .store()
        .write(id, writeOf(doneRecord(record.key, 1), version), call());
      const before = await bench().raw(id);
      expect(await bench().store().write(id, write, call())).toMatchObject({
        written: false,
        found: { record: { state: 'done' } },
      });
      expect(await bench().raw(id)).toEqual(before);
    },
  );

  it('lists what is unfinished, page by page, and only of its own prefix', async () => {
    const prefix = `list-${newKey()[1]}/`;
    const store = bench().store({ prefix, pageSize: 2 });
    const states = [
      'pending',
      'unknown',
      'done',
      'declined',
      'untried',
      'pending',
      'unknown',
    ] as const;
    const expected: string[] = [];
    for (const state of states) {
      const settled = { attempts: [], triedSinceMs: 1 };
      const record = pendingRecord(newKey(), { state, ...(state === 'pending' ? {} : settled) });
      await store.write(idOf(record), writeOf(record), call());
      if (state === 'pending' || state === 'unknown') {
        expected.push(idOf(record));
      }
    }
    await created();
    const listed: string[] = [];
    let pages = 0;
    let from: string | undefined;
    do {
      const page = await store.listUnfinished(from, call());
      listed.push(...page.ids);
      from = page.next;
      pages += 1;
    } while (from !== undefined);
    expect(listed.toSorted()).toEqual(expected.toSorted());
    expect(pages).toBeGreaterThan(3);
  });

  it.each(['read', 'write', 'list'])('makes no %s whose time is over', async (operation) => {
    const record = pendingRecord(newKey());
    const over: StoreCall = { signal: AbortSignal.abort(new Error('too late')) };
    const store = bench().store();
    const made = {
      read: () => store.read(idOf(record), over),
      write: () => store.write(idOf(record), writeOf(record), over),
      list: () => store.listUnfinished(undefined, over),
    };
    await expect(made[operation as keyof typeof made]()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      store: store.name,
    });
    expect(await bench().store().read(idOf(record), call())).toBe(undefined);
  });
}
