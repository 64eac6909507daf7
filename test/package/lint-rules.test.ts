import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const importRule = 'eslint(no-restricted-imports)';
const globalRule = 'eslint(no-restricted-globals)';
const propertyRule = 'eslint(no-restricted-properties)';

/** File, its only statement, and the rule that must refuse it. */
const refused: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['src/core/a.ts', "import '@aws-sdk/client-dynamodb';", importRule],
  ['src/core/b.ts', "import 'node:fs';", importRule],
  ['src/core/c.ts', "import '../stores/memory/index.ts';", importRule],
  ['src/core/d.ts', "export const d = import('../testing/index.ts');", importRule],
  ['src/core/e.ts', "import 'node:timers/promises';", importRule],
  ['src/core/f.ts', "export { f } from '../runtimes/process.ts';", importRule],
  ['src/stores/memory/a.ts', "import '@aws-sdk/client-dynamodb';", importRule],
  ['src/stores/memory/b.ts', "import '../dynamodb/index.ts';", importRule],
  ['src/stores/dynamodb/a.ts', "import '../memory/index.ts';", importRule],
  ['src/stores/dynamodb/b.ts', "import '@azure/storage-blob';", importRule],
  ['src/stores/dynamodb/c.ts', "import '../../fencing/dynamodb/fenced.ts';", importRule],
  ['src/stores/azure-blob/a.ts', "import '@aws-sdk/lib-dynamodb';", importRule],
  ['src/fencing/dynamodb/a.ts', "import '../../stores/dynamodb/index.ts';", importRule],
  ['src/fencing/azure-blob/a.ts', "import '../../stores/azure-blob/acquire.ts';", importRule],
  ['src/fencing/azure-blob/b.ts', "import '@aws-sdk/lib-dynamodb';", importRule],
  ['src/ledger/a.ts', "import '../stores/dynamodb/index.ts';", importRule],
  ['src/ledger/b.ts', "import '@aws-sdk/client-dynamodb';", importRule],
  ['src/ledger/c.ts', "import '@azure/storage-blob';", importRule],
  ['src/ledger/dynamodb/a.ts', "import '../azure-blob/ledger-store.ts';", importRule],
  ['src/ledger/dynamodb/b.ts', "import '../../stores/azure-blob/options.ts';", importRule],
  ['src/ledger/dynamodb/c.ts', "import '@azure/storage-blob';", importRule],
  ['src/ledger/azure-blob/a.ts', "import '../dynamodb/ledger-store.ts';", importRule],
  ['src/ledger/azure-blob/b.ts', "import '@aws-sdk/client-dynamodb';", importRule],
  ['src/jobs/a.ts', "import '../runtimes/process.ts';", importRule],
  ['src/runtimes/a.ts', "import '../stores/memory/index.ts';", importRule],
  ['src/runtimes/d.ts', "import '@azure/functions';", importRule],
  ['src/runtimes/aws-lambda/a.ts', "import '@azure/functions';", importRule],
  ['src/runtimes/aws-lambda/b.ts', "import '../azure-functions/index.ts';", importRule],
  ['src/runtimes/shared/a.ts', "import '../aws-lambda/index.ts';", importRule],
  ['src/runtimes/shared/b.ts', "import '@azure/functions';", importRule],
  ['src/runtimes/azure-functions/a.ts', "import '@azure/storage-blob';", importRule],
  ['src/runtimes/azure-functions/b.ts', "import '../aws-lambda/index.ts';", importRule],
  ['src/runtimes/azure-functions/c.ts', "import '../../stores/memory/index.ts';", importRule],
  ['src/testing/a.ts', "import '../stores/dynamodb/index.ts';", importRule],
  ['src/testing/b.ts', "import 'vitest';", importRule],
  ['src/a.ts', "import '@aws-sdk/client-dynamodb';", importRule],
  ['functions/local/a.ts', "import '../../src/index.ts';", importRule],
  ['functions/billing/a.ts', "import '../../src/core/clock.ts';", importRule],
  ['functions/billing/b.ts', "import '../../dist/index.js';", importRule],
  ['src/core/g.ts', 'export const g = Date.now();', globalRule],
  ['src/core/h.ts', 'export const h = new Date();', globalRule],
  ['src/stores/dynamodb/d.ts', 'export const d = performance.now();', globalRule],
  ['src/testing/c.ts', 'setTimeout(() => {}, 1);', globalRule],
  ['src/fencing/b.ts', 'setInterval(() => {}, 1);', globalRule],
  ['src/core/i.ts', 'export const i = globalThis.performance.now();', propertyRule],
  ['src/core/j.ts', 'export const j = Math.random();', propertyRule],
  ['src/core/k.ts', 'export const k = AbortSignal.timeout(1);', propertyRule],
  ['src/runtimes/b.ts', "export const b = process.env['A'];", propertyRule],
  ['src/core/l.ts', "console.log('l');", 'eslint(no-console)'],
  ['src/core/m.ts', 'export default 1;', 'import(no-default-export)'],
];

const allowed: readonly (readonly [file: string, code: string])[] = [
  ['src/core/clock.ts', 'export const ms = Date.now() + performance.now();'],
  ['src/core/random.ts', 'export const random = Math.random();'],
  ['src/core/n.ts', "import './clock.ts';\nimport 'node:crypto';\nimport 'node:os';"],
  ['src/stores/dynamodb/e.ts', "import '../../core/clock.ts';\nimport '@aws-sdk/lib-dynamodb';"],
  ['src/stores/memory/c.ts', "import './d.ts';\nimport '../../core/clock.ts';"],
  ['src/fencing/dynamodb/c.ts', "import '../../core/errors.ts';\nimport './mark.ts';"],
  ['src/fencing/azure-blob/c.ts', "import '../../stores/azure-blob/sdk-errors.ts';"],
  ['src/runtimes/c.ts', "import '../core/errors.ts';\nimport '../jobs/period.ts';"],
  ['src/runtimes/shared/c.ts', "import './d.ts';\nimport '../../core/errors.ts';"],
  ['src/runtimes/aws-lambda/c.ts', "import '../../jobs/job.ts';\nimport '../shared/c.ts';"],
  ['src/runtimes/azure-functions/d.ts', "import '../shared/c.ts';\nimport '@azure/functions';"],
  ['src/testing/d.ts', "import '../core/errors.ts';\nimport '../stores/memory/index.ts';"],
  ['src/ledger/d.ts', "import '../core/errors.ts';\nimport './place.ts';"],
  ['src/ledger/dynamodb/d.ts', "import '../place.ts';\nimport '@aws-sdk/client-dynamodb';"],
  [
    'src/ledger/azure-blob/c.ts',
    "import '../../stores/azure-blob/options.ts';\nimport '@azure/storage-blob';",
  ],
  ['src/b.ts', "export { b } from './core/clock.ts';"],
  ['functions/local/b.ts', "import 'tenure/dynamodb';\nconsole.log(process.env['A'], Date.now());"],
];

describe('the lint rules', () => {
  let folder: string;
  let found: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tenure-lint-'));
    cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    for (const [file, code] of [...refused, ...allowed]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${code}\n`);
    }
    found = lint(folder);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(refused)('refuse in %s: %s', (file, _code, rule) => {
    expect(found.get(file)).toContain(rule);
  });

  it.each(allowed)('allow what %s does', (file) => {
    expect(
      found.get(file)?.filter((rule) => rule.includes('restricted') || rule.includes('console')),
    ).toBeOneOf([undefined, []]);
  });
});

/** The rules that each file of `folder` breaks. */
function lint(folder: string): ReadonlyMap<string, readonly string[]> {
  const output = run(join(root, 'node_modules/.bin/oxlint'), ['--format=json', '.'], folder);
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { code: string; filename: string }[];
  };
  const rules = new Map<string, string[]>();
  for (const { code, filename } of diagnostics) {
    rules.set(filename, [...(rules.get(filename) ?? []), code]);
  }
  return rules;
}

/** What a command prints; oxlint exits 1 because it finds what it is meant to find. */
function run(command: string, options: string[], cwd: string): string {
  try {
    return execFileSync(command, options, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
