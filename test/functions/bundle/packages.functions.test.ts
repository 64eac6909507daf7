/**
 * The packages that `npm run bundle` makes, unpacked and loaded as each platform does it. The Node of
 * the platforms and AWS's runtime client are real, the host of Azure Functions is a stand-in.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageReport } from '../../../functions/bundle/report.ts';
import { startFunctionsHost } from '../../support/azure-functions/functions-host.ts';
import { startLambdaSandbox } from '../../support/lambda/lambda-sandbox.ts';
import {
  functionsRuntimes,
  lambdaRuntimes,
  nodeExecutable,
  runtimeTitle,
} from '../../support/runtimes.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const clouds = ['aws', 'azure'] as const;

type Row = PackageReport;

interface Told {
  readonly packages: readonly Row[];
  readonly problems: readonly string[];
}

let folder: string;
let rows: readonly Row[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-packages-'));
  const [first] = [await bundle('first'), await bundle('second')];
  rows = first;
  await Promise.all(clouds.map(unpack));
});
afterAll(() => rm(folder, { recursive: true }));

async function bundle(name: string): Promise<readonly Row[]> {
  const out = join(folder, name);
  const args = ['run', '-s', 'bundle', '--', '--json', '--out', out];
  const { stdout } = await run('npm', args, { cwd: root });
  const { packages, problems } = JSON.parse(stdout) as Told;
  expect(problems).toEqual([]);
  return packages;
}

const packed = (name: string, cloud: string): Promise<Buffer> =>
  readFile(join(folder, name, `${cloud}.zip`));

/** Unpacks a package where nothing of this project can be found from. */
async function unpack(cloud: string): Promise<void> {
  const target = join(folder, cloud);
  await mkdir(target);
  for (const [name, contents] of Object.entries(unzipSync(await packed('first', cloud)))) {
    await writeFile(join(target, name), contents);
  }
}

const own = {
  aws: 'dynamodb://leases/charges?region=eu-central-1',
  azure: 'azure-blob://ledger1/billing',
};
const settings = {
  BILLING_START_FROM: '2026-11',
  GATEWAY_URL: 'https://gateway.example',
  BILLING_SCHEDULE: '0 */5 * * * *',
};
const awsCredentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const azureCredentials = {
  AZURE_TENANT_ID: 'c3c1d4a0-0000-4000-8000-000000000000',
  AZURE_CLIENT_ID: 'client',
  AZURE_CLIENT_SECRET: 'secret',
};

/** Imports the entry of a package in a new process, and resolves to what its `handler` is. */
async function imported(
  appRoot: string,
  env: Readonly<Record<string, string>>,
  executable: string = process.execPath,
): Promise<string> {
  const url = pathToFileURL(join(appRoot, 'index.mjs')).href;
  const script = `const { handler } = await import(${JSON.stringify(url)}); console.log(typeof handler, handler.length);`;
  const { stdout } = await run(executable, ['--input-type=module', '--eval', script], {
    cwd: appRoot,
    env: { PATH: process.env['PATH'], ...env },
  });
  return stdout.trim();
}

describe('npm run bundle', () => {
  it('deletes nothing that it has not made', async () => {
    const out = join(folder, 'mine');
    await mkdir(join(out, 'aws'), { recursive: true });
    await writeFile(join(out, 'aws', 'template.yaml'), 'Resources: {}');
    const told = run('npm', ['run', '-s', 'bundle', '--', '--out', out], { cwd: root });
    await expect(told).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is no package of this command and would be deleted'),
    });
    expect(await readdir(join(out, 'aws'))).toEqual(['template.yaml']);
  });

  it('says in one line that it cannot write there', async () => {
    const told = run('npm', ['run', '-s', 'bundle', '--', '--out', 'README.md'], { cwd: root });
    await expect(told).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^[^\n]*\n$/),
    });
  });

  it.each(clouds)('makes the same bytes for %s again', async (cloud) => {
    expect((await packed('first', cloud)).equals(await packed('second', cloud))).toBe(true);
  });

  it('keeps the sizes, and tells them', () => {
    expect(rows).toMatchObject(
      clouds.map((target) => ({
        target,
        zip: join(folder, 'first', `${target}.zip`),
        zipBytes: expect.any(Number),
      })),
    );
  });

  it.each(clouds)('has the sizes for %s that the README tells', async (cloud) => {
    const told = new RegExp(`^${cloud} +(\\d.*)$`, 'm').exec(await readFile('README.md', 'utf8'));
    const row = rows.find(({ target }) => target === cloud);
    const sizes = [row?.atStart, row?.bare].flatMap((size) => [size?.minified, size?.compressed]);
    const tenths = told?.[1]?.match(/[\d.]+/g)?.map(Number) ?? [];
    // The compressed ones differ a little from one version of Node to the next.
    const off = sizes.map((bytes = 0, index) => Math.abs(bytes / 1_024 - (tenths[index] ?? 0)));
    expect(off.filter((kib) => kib > 1)).toEqual([]);
  });

  it.each([
    ['aws', ['customers.json', 'index.mjs', 'index.mjs.map', 'package.json']],
    ['azure', ['customers.json', 'host.json', 'index.mjs', 'index.mjs.map', 'package.json']],
  ])('packs for %s what that platform needs, and source maps', async (cloud, expected) => {
    const names = await readdir(join(folder, cloud));
    expect(names.filter((name) => !name.startsWith('chunk-')).toSorted()).toEqual(expected);
    const chunks = names.filter((name) => name.endsWith('.mjs'));
    expect(names).toEqual(expect.arrayContaining(chunks.map((name) => `${name}.map`)));
  });

  it.each(clouds)(
    'puts no path of the machine that it ran on into the package for %s',
    async (cloud) => {
      const names = await readdir(join(folder, cloud));
      const texts = names.map((name) => readFile(join(folder, cloud, name), 'utf8'));
      expect((await Promise.all(texts)).filter((text) => text.includes(root))).toEqual([]);
    },
  );
});

describe.each(lambdaRuntimes)('$name', (runtime) => {
  describe.skipIf(runtime.skipReason)(runtimeTitle(runtime), () => {
    const start = (env: Readonly<Record<string, string>>) =>
      startLambdaSandbox({
        nodeMajor: runtime.nodeMajor,
        taskRoot: join(folder, 'aws'),
        handler: 'index.handler',
        env,
      });

    it('loads the package', async () => {
      const sandbox = await start({ ...settings, STORE: own.aws });
      expect(sandbox.initError).toBeUndefined();
      await sandbox.close();
    });

    it('reports every setting that is missing or wrong when the package is loaded', async () => {
      const sandbox = await start({ STORE: 'redis://x/y', BILLING_CATCH_UP: 'some' });
      expect(sandbox.initError).toMatchObject({ errorType: 'SettingsError' });
      expect(sandbox.initError?.errorMessage).toMatch(
        /- STORE: .*\n- BILLING_START_FROM: .*\n- GATEWAY_URL: .*\n- BILLING_CATCH_UP: /,
      );
      await sandbox.close();
    });
  });
});

describe.each(functionsRuntimes)('$name', (runtime) => {
  describe.skipIf(runtime.skipReason)(runtimeTitle(runtime), () => {
    const start = (env: Readonly<Record<string, string>>) =>
      startFunctionsHost({ appRoot: join(folder, 'azure'), nodeMajor: runtime.nodeMajor, env });

    it('loads the package and finds the timer and the run by hand', async () => {
      const host = await start({ ...settings, STORE: own.azure });
      expect(host.functions).toMatchObject([
        { name: 'billing', schedule: '0 */5 * * * *' },
        { name: 'billing-manual' },
      ]);
      await host.close();
    });

    it('reports every setting that is missing or wrong when the package is loaded', async () => {
      const starting = start({ STORE: 'redis://x/y', BILLING_CATCH_UP: 'some' });
      await expect(starting).rejects.toThrow(
        /- STORE: .*\n- BILLING_START_FROM: .*\n- GATEWAY_URL: .*\n- BILLING_CATCH_UP: /,
      );
    });

    it('gets a handler for Lambda of at most two parameters', async () => {
      const env = { ...settings, STORE: own.aws };
      const executable = nodeExecutable(runtime.nodeMajor);
      expect(await imported(join(folder, 'aws'), env, executable)).toBe('function 2');
    });
  });
});

describe("the other cloud's SDK", () => {
  /** A copy of a package without the files that are loaded only when they are needed. */
  async function withoutLater(cloud: (typeof clouds)[number]): Promise<string> {
    const copy = join(folder, `${cloud}-small`);
    await cp(join(folder, cloud), copy, { recursive: true });
    const later = await Promise.all(
      (await readdir(copy))
        .filter((name) => name.startsWith('chunk-') && name.endsWith('.mjs'))
        .map(async (name) => ({ name, text: await readFile(join(copy, name), 'utf8') })),
    );
    const foreign = later.filter(({ text }) =>
      cloud === 'aws' ? text.includes('x-ms-version') : text.includes('DynamoDB_20120810'),
    );
    expect(foreign).not.toEqual([]);
    await Promise.all(foreign.map(({ name }) => rm(join(copy, name))));
    return copy;
  }

  it('is not looked for on AWS, unless STORE is in Azure', async () => {
    const small = await withoutLater('aws');
    const env = { ...settings, ...azureCredentials };
    expect(await imported(small, { ...env, STORE: own.aws })).toBe('function 2');
    await expect(imported(small, { ...env, STORE: own.azure })).rejects.toThrow(
      'ERR_MODULE_NOT_FOUND',
    );
    expect(await imported(join(folder, 'aws'), { ...env, STORE: own.azure })).toBe('function 2');
  });

  it('is not looked for on Azure, unless STORE is in AWS', async () => {
    const small = await withoutLater('azure');
    const env = { ...settings, ...awsCredentials };
    const start = async (appRoot: string, store: string) => {
      const host = await startFunctionsHost({ appRoot, env: { ...env, STORE: store } });
      await host.close();
      return host.functions.length;
    };
    expect(await start(small, own.azure)).toBe(2);
    await expect(start(small, own.aws)).rejects.toThrow('Cannot find module');
    expect(await start(join(folder, 'azure'), own.aws)).toBe(2);
  });
});
