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
});
