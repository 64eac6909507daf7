import { describe, expect, it } from 'vitest';
import { LedgerEntryInvalidError } from 'tenure';
import { createLedger, idempotencyKeyOf, memoryLedgerStore, type LedgerStore } from 'tenure/ledger';
import { charging, key, term } from './bench.ts';

/** A store on which nobody can read the entries of these ids. */
function withInvalid(store: LedgerStore, ids: readonly string[]): LedgerStore {
  return {
    name: store.name,
    write: (id, write, call) => store.write(id, write, call),
    listUnfinished: async (from, call) => {
      const page = await store.listUnfinished(from, call);
      return { ...page, ids: from === undefined ? [...ids, ...page.ids] : page.ids };
    },
    read: async (id, call) => {
      if (ids.includes(id)) {
        throw new LedgerEntryInvalidError(`entry ${id} is no entry`, { store: store.name });
      }
      return store.read(id, call);
    },
  };
}

async function listed(store: LedgerStore): Promise<{ keys: unknown[]; error: unknown }> {
  const keys: unknown[] = [];
  try {
    for await (const entry of createLedger({ store }).unfinished()) {
      keys.push(entry.key);
    }
    return { keys, error: undefined };
  } catch (error) {
    return { keys, error };
  }
}

describe('unfinished', () => {
  it.each([0, 1, 2])('lists the others first where %i entries are not valid', async (count) => {
    const store = memoryLedgerStore();
    await createLedger({ store }).once(charging(term(33)), async () => {
      throw new Error('no answer');
    });
    const ids = Array.from({ length: count }, (_, index) => idempotencyKeyOf([`c-${index}`]));
    const { keys, error } = await listed(withInvalid(store, ids));
    expect(keys).toEqual([key]);
    const invalid = { code: 'LEDGER_ENTRY_INVALID' };
    const group = { errors: [invalid, invalid] };
    expect([undefined, error]).toMatchObject([undefined, [undefined, invalid, group][count]]);
  });

  it('leaves out what belongs to a ledger whose prefix begins with its own', async () => {
    const store = memoryLedgerStore();
    await createLedger({ store }).once(charging(term(33)), async () => {
      throw new Error('no answer');
    });
    const { keys, error } = await listed(withInvalid(store, ['eu/0c3a']));
    expect([keys, error]).toEqual([[key], undefined]);
  });
});

describe('once', () => {
  it('is not done while nothing is on record, and makes no second effect for it', async () => {
    const inner = memoryLedgerStore();
    let isHidden = false;
    const store: LedgerStore = {
      name: inner.name,
      write: (id, write, call) => inner.write(id, write, call),
      listUnfinished: (from, call) => inner.listUnfinished(from, call),
      read: async (id, call) => (isHidden ? undefined : inner.read(id, call)),
    };
    const ledger = createLedger({ store });
    let effects = 0;
    const effect = async () => {
      effects += 1;
      isHidden = true;
      return { status: 'done', result: effects } as const;
    };
    const gone = { code: 'LEDGER_ENTRY_INVALID' };
    await expect(ledger.once(charging(term(33)), effect)).rejects.toMatchObject(gone);
    await expect(ledger.once(charging(term(33)), effect)).rejects.toMatchObject(gone);
    isHidden = false;
    const outcome = await ledger.once(charging(term(34)), effect);
    expect(outcome).toEqual({ status: 'done', result: 1 });
    expect(effects).toBe(1);
  });
});
