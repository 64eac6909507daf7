import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import initSqlJs from 'sql.js';
import { explainTiming } from 'tenure';
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

  it('charges everyone once above the low-water mark in the p-map example', async () => {
    const { chargeAll } = (await importSnippet('p-map')) as {
      chargeAll: (
        customers: readonly string[],
        leadership: unknown,
        charge: (customer: string) => Promise<void>,
      ) => Promise<void>;
    };
    const customers = Array.from({ length: 30 }, (_, index) => `c-${index}`);
    const leadership = testLeadership({ fencingToken: 34, progress: { doneUpTo: 5 } });
    const charged: string[] = [];
    await chargeAll(customers, leadership, async (customer) => {
      // Later ones finish first, so that the mark must wait for the earlier ones.
      for (let turn = Number(customer.slice(2)) % 4; turn < 4; turn += 1) {
        await Promise.resolve();
      }
      charged.push(customer);
    });
    expect(charged.toSorted()).toEqual(customers.slice(5).toSorted());
    expect(leadership.checkpoints.at(-1)).toEqual({ doneUpTo: 30 });
  });

  it('never names a customer as done that is not, in the p-map example', async () => {
    const { chargeAll } = (await importSnippet('p-map')) as {
      chargeAll: (
        customers: readonly string[],
        leadership: unknown,
        charge: (customer: string) => Promise<void>,
      ) => Promise<void>;
    };
    const customers = Array.from({ length: 20 }, (_, index) => `c-${index}`);
    const leadership = testLeadership({ fencingToken: 34 });
    const charged = new Set<string>();
    const failing = chargeAll(customers, leadership, async (customer) => {
      await Promise.resolve();
      if (customer === 'c-7') {
        throw new Error('declined');
      }
      charged.add(customer);
    });
    await expect(failing).rejects.toThrow('declined');
    const marks = leadership.checkpoints.map(
      (progress) => (progress as { doneUpTo: number }).doneUpTo,
    );
    expect(Math.max(...marks)).toBeLessThanOrEqual(7);
    expect(customers.slice(0, Math.max(...marks)).every((customer) => charged.has(customer))).toBe(
      true,
    );
  });
});

function compile(compiler: string): string {
  try {
    execFileSync(compiler, ['-p', fileURLToPath(generated)], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

async function importSnippet(given: string): Promise<unknown> {
  const found = [...modules].find(([snippet]) => snippet.given === given);
  return import(/* @vite-ignore */ found?.[1].href ?? '');
}
