import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Customer } from '../billing/customers.ts';
import { bundle, bundleBare, type OutputFile } from './build.ts';
import { coldStarts } from './cold-start.ts';
import { loadingOf } from './loading.ts';
import type { PackageReport, Size } from './report.ts';
import type { Target } from './targets.ts';
import { zip } from './zip.ts';

/** What to make a package of, and where. */
export interface PackageOptions {
  readonly customers: readonly Customer[];
  /** Version of this project, for the identity of whoever holds the lease. */
  readonly version: string;
  /** Folder of the zip; the unpacked package and the bare SDK client lie beside it. */
  readonly out: string;
  readonly measuresColdStart: boolean;
}

/** Settings with which an entry loads; nothing is asked of any store while it does. */
const settings = {
  BILLING_START_FROM: '2026-11',
  GATEWAY_URL: 'http://127.0.0.1:9',
  BILLING_SCHEDULE: '0 */5 * * * *',
};

/** Makes one cloud's package, and says how large it is. */
export async function makePackage(
  target: Target,
  { customers, version, out, measuresColdStart }: PackageOptions,
): Promise<PackageReport> {
  const folder = join(out, target.name);
  const bareFolder = `${folder}-bare`;
  const { files, metafile } = await bundle(target, version);
  const bare = await bundleBare(target);
  await Promise.all([folder, bareFolder].map(requireOwn));
  const packed = [...files, customerFile(customers), ...(await extraFiles(target))];
  const zipped = zip(packed);
  await writeFolder(folder, packed);
  await writeFolder(bareFolder, bare.files);
  await writeFile(`${folder}.zip`, zipped);
  const loading = loadingOf(metafile);
  return {
    target: target.name,
    zip: `${folder}.zip`,
    zipBytes: zipped.length,
    atStart: sizeOf(files, loading.atStart),
    bare: sizeOf(bare.files, loadingOf(bare.metafile).atStart),
    later: sizeOf(files, loading.later),
    foreign: loading.packagesAtStart.find((path) => target.foreign.test(path)),
    ...(measuresColdStart && {
      coldStartRatio: await coldStartRatio(target, folder, bareFolder),
    }),
  };
}

function customerFile(customers: readonly Customer[]): OutputFile {
  const text = `${JSON.stringify(customers, undefined, 1)}\n`;
  return { name: 'customers.json', contents: new TextEncoder().encode(text) };
}

async function extraFiles({ files, texts }: Target): Promise<readonly OutputFile[]> {
  const copies = Object.entries(files).map(async ([name, path]) => ({
    name,
    contents: new Uint8Array(await readFile(path)),
  }));
  const written = Object.entries(texts).map(([name, text]) => ({
    name,
    contents: new TextEncoder().encode(text),
  }));
  return [...(await Promise.all(copies)), ...written];
}

async function writeFolder(folder: string, files: readonly OutputFile[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, contents }) => writeFile(join(folder, name), contents)));
}

/** @throws Error if there is something that this has not made, which would be deleted. */
async function requireOwn(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  if (names.length > 0 && !names.includes('index.mjs')) {
    throw new Error(
      `${folder} is no package of this command and would be deleted; use another --out`,
    );
  }
}

function sizeOf(files: readonly OutputFile[], names: readonly string[]): Size {
  const loaded = files.filter(({ name }) => names.includes(name));
  return {
    minified: loaded.reduce((sum, { contents }) => sum + contents.length, 0),
    compressed: loaded.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0),
  };
}

async function coldStartRatio(
  { exampleStore }: Target,
  folder: string,
  bareFolder: string,
): Promise<number> {
  const { ours, bare } = await coldStarts(
    { ours: resolve(folder, 'index.mjs'), bare: resolve(bareFolder, 'index.mjs') },
    { ...settings, STORE: exampleStore },
  );
  return ours / bare;
}
