import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const reporter = fileURLToPath(new URL('../plain-reporter.ts', import.meta.url));

const clean = { 'clean.test.js': "it('a', () => {}); it.skip('b', () => {});" };

/** Beside these, one test passes, one passes with an unhandled rejection, and one is skipped. */
const failures = {
  'assertion.test.js': "it('a', () => {}); it('b', () => { throw new Error('b'); });",
  'does-not-load.test.js': "import './absent.js'; it('a', () => {});",
  'hook.test.js':
    "describe('a', () => { beforeAll(() => { throw new Error('b'); }); it('c', () => {}); });",
  'rejection.test.js': "it('a', () => { void Promise.reject(new Error('b')); });",
};

describe('the last line of a test run', () => {
  it('counts what passed and what was skipped', async () => {
    expect(await runVitest(clean)).toEqual({
      exitCode: 0,
      lastLine: '1 passed, 0 failed, 1 skipped',
    });
  });

  it('counts a failure for whatever went wrong, inside a test or not', async () => {
    expect(await runVitest(failures)).toEqual({
      exitCode: 1,
      lastLine: `2 passed, ${Object.keys(failures).length} failed, 1 skipped`,
    });
  });
});

function runVitest(files: Readonly<Record<string, string>>): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-reporter-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, code] of Object.entries(files)) {
    writeFileSync(join(folder, file), code);
  }
  return new Promise((resolve) => {
    const options = ['run', '--globals', `--root=${folder}`, `--reporter=${reporter}`];
    const child = execFile(process.execPath, [vitest, ...options], (_error, stdout) => {
      resolve({ exitCode: child.exitCode, lastLine: stdout.trimEnd().split('\n').at(-1) });
    });
  });
}
