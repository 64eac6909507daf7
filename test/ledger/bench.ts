import type { Effect, LedgerStore } from '../../src/ledger/index.ts';
import { LeaseLostError } from '../../src/core/errors.ts';
import type { OnceOptions } from '../../src/ledger/index.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A term that the test ends when it likes. */
export interface TestTerm {
  readonly fencingToken: number;
  assertLeader(): void;
  lose(): void;
}

export function term(fencingToken: number): TestTerm {
  let lost = false;
  return {
    fencingToken,
    assertLeader: () => {
      if (lost) {
        throw new LeaseLostError('taken-over', 'lost', { store: 'test', fencingToken });
      }
    },
    lose: () => {
      lost = true;
    },
  };
}

export const key = ['billing', 'c-001', '2026-10'];

/** Options of `once` for the customer that most tests charge. */
export function charging(
  leadership: OnceOptions['leadership'],
  changes: Partial<OnceOptions> = {},
): OnceOptions {
  return { key, leadership, request: { amountMinor: 1990 }, keyHonouredForMs: dayMs, ...changes };
}

/** A downstream that cannot check tokens. It counts what it really did. */
export interface Gateway {
  /** The key of each charge that took effect, oldest first. */
  readonly charged: readonly string[];
  readonly requests: number;
  /** Forgets every key, as one that keeps them for a day. */
  prune(): void;
  charge(idempotencyKey: string): { readonly chargeId: string };
}

export function gateway(): Gateway {
  const charged: string[] = [];
  const answers = new Map<string, { readonly chargeId: string }>();
  let requests = 0;
  return {
    charged,
    get requests() {
      return requests;
    },
    prune: () => answers.clear(),
    charge: (idempotencyKey) => {
      requests += 1;
      const known = answers.get(idempotencyKey);
      if (known) {
        return known;
      }
      charged.push(idempotencyKey);
      const answer = { chargeId: `ch-${charged.length}` };
      answers.set(idempotencyKey, answer);
      return answer;
    },
  };
}

/** An effect that charges at `downstream` and gets its answer. */
export function chargeAt(downstream: Gateway): Effect {
  return async ({ idempotencyKey }) => ({
    status: 'done',
    result: downstream.charge(idempotencyKey),
  });
}

/** What happens to a call of a store; `undefined` lets it pass. */
export interface CallHooks {
  readonly before?: (operation: 'read' | 'write', count: number) => Promise<void> | undefined;
  readonly after?: (operation: 'read' | 'write', count: number) => Promise<void> | undefined;
}

/** The store, with something done before a call is applied or before its answer is seen. */
export function hooked(store: LedgerStore, { before, after }: CallHooks): LedgerStore {
  const counts = { read: 0, write: 0 };
  const around = async <T>(operation: 'read' | 'write', call: () => Promise<T>): Promise<T> => {
    counts[operation] += 1;
    const count = counts[operation];
    await before?.(operation, count);
    const answer = await call();
    await after?.(operation, count);
    return answer;
  };
  return {
    name: store.name,
    read: (id, call) => around('read', () => store.read(id, call)),
    write: (id, write, call) => around('write', () => store.write(id, write, call)),
    listUnfinished: (from, call) => store.listUnfinished(from, call),
  };
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}

/** A promise and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
