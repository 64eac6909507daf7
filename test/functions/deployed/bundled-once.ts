import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

/** Folders of the unpacked packages of both clouds. */
export interface Packages {
  readonly aws: string;
  readonly azure: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    packages: Packages;
  }
}

/** Makes both packages, once for all test files: two runs of the bundler at a time would disturb each other. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-packages-'));
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  await promisify(execFile)('npm', ['run', '-s', 'bundle', '--', '--out', folder], { cwd: root });
  project.provide('packages', { aws: join(folder, 'aws'), azure: join(folder, 'azure') });
  return () => rm(folder, { recursive: true, force: true });
}
