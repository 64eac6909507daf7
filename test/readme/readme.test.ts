import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import initSqlJs from 'sql.js';
import { explainTiming, isLeadershipOver, type Leadership } from 'tenure';
import { memoryLeaseStore } from 'tenure/memory';
import { testLeadership } from 'tenure/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { generated, snippets, writeModules, type Snippet } from './snippets.ts';

let modules: ReadonlyMap<Snippet, URL>;
beforeAll(() => {
  modules = writeModules();
});

describe('README', () => {
  it('has only snippets that compile against the public API', () => {
    const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
    expect(modules.size).toBeGreaterThan(8);
    expect(compile(compiler)).toBe('');
  });

  it('prints what explainTiming prints', () => {
    const printed = snippets().find(({ given }) => given === 'explainTiming');
    expect(JSON.parse(printed?.code ?? '')).toEqual(
      explainTiming({ leaseDurationMs: 15_000 }, memoryLeaseStore()),
    );
  });

  it('rejects a lower token in the SQL example, and only that', async () => {
    const { code = '' } = snippets().find(({ language }) => language === 'sql') ?? {};
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run(
      `CREATE TABLE invoices (id TEXT PRIMARY KEY, status TEXT, fence_token BIGINT NOT NULL DEFAULT 0);
       INSERT INTO invoices (id, status) VALUES ('c-17', 'draft');`,
    );
    const changed = [33, 34, 34, 33].map((token) => {
      database.run(code, { ':token': token, ':id': 'c-17' });
      return database.getRowsModified();
    });
    expect(changed).toEqual([1, 1, 1, 0]);
    expect(database.exec('SELECT fence_token FROM invoices')[0]?.values).toEqual([[34]]);
  });

  describe('p-map example', () => {
    const customers = Array.from({ length: 30 }, (_, index) => `c-${index}`);

    it('charges everyone once above the low-water mark', async () => {
      const chargeAll = await importChargeAll();
      const progress = { period: '2026-11', doneUpTo: 5 };
      const leadership = testLeadership({ fencingToken: 34, progress });
      const charged: string[] = [];
      const failed = await chargeAll(customers, '2026-11', leadership, async (customer) => {
        // Later ones finish first, so that the mark must wait for the earlier ones.
        await turns(4 - (Number(customer.slice(2)) % 4));
        charged.push(customer);
      });
      expect(failed).toEqual([]);
      expect(charged.toSorted()).toEqual(customers.slice(5).toSorted());
      expect(leadership.checkpoints.at(-1)).toEqual({ period: '2026-11', doneUpTo: 30 });
    });

    it('begins again in the next period', async () => {
      const chargeAll = await importChargeAll();
      const progress = { period: '2026-10', doneUpTo: 30 };
      const leadership = testLeadership({ fencingToken: 34, progress });
      const charged: string[] = [];
      await chargeAll(customers, '2026-11', leadership, async (customer) => {
        charged.push(customer);
      });
      expect(charged.toSorted()).toEqual(customers.toSorted());
    });

    it('charges the others when one fails, and never counts it as done', async () => {
      const chargeAll = await importChargeAll();
      const leadership = testLeadership<Marked>({ fencingToken: 34 });
      const charged: string[] = [];
      const failed = await chargeAll(customers, '2026-11', leadership, async (customer) => {
        await turns(2);
        if (customer === 'c-7') {
          throw new Error('declined');
        }
        charged.push(customer);
      });
      expect(failed).toEqual(['c-7']);
      expect(charged).toHaveLength(29);
      expect(leadership.checkpoints.at(-1)).toEqual({ period: '2026-11', doneUpTo: 7 });
    });

    it('leaves no charge under way when the leadership is lost', async () => {
      const chargeAll = await importChargeAll();
      const leadership = testLeadership<Marked>({ fencingToken: 34, loseAtCheckpoint: 6 });
      let underWay = 0;
      let charged = 0;
      const lost = chargeAll(customers, '2026-11', leadership, async () => {
        underWay += 1;
        await turns(5);
        underWay -= 1;
        charged += 1;
      });
      const error: unknown = await lost.catch((reason: unknown) => reason);
      expect(isLeadershipOver(error)).toBe(true);
      expect(underWay).toBe(0);
      expect(charged).toBe(5);
    });
  });
});

interface Marked {
  readonly period: string;
  readonly doneUpTo: number;
}

type ChargeAll = (
  customers: readonly string[],
  period: string,
  leadership: Leadership<Marked>,
  charge: (customer: string) => Promise<void>,
) => Promise<string[]>;

async function importChargeAll(): Promise<ChargeAll> {
  const found = [...modules].find(([snippet]) => snippet.given === 'p-map');
  const example = (await import(/* @vite-ignore */ found?.[1].href ?? '')) as {
    readonly chargeAll: ChargeAll;
  };
  return example.chargeAll;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await Promise.resolve();
  }
}

function compile(compiler: string): string {
  try {
    execFileSync(compiler, ['-p', fileURLToPath(generated)], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
