/**
 * `npm run bundle`: makes one zip per cloud, and checks what is in it.
 *
 * @module
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseArgs } from 'node:util';
import { bundle, bundleBare, type OutputFile } from './build.ts';
import { coldStarts } from './cold-start.ts';
import { loadingOf } from './loading.ts';
import { targets, type Target } from './targets.ts';
import { zip } from './zip.ts';

const helpText = `Bundles the billing function, one zip per cloud: dist-functions/aws.zip, azure.zip.

Usage: npm run bundle -- [options]

  --out DIR      where to. Default: dist-functions
  --cold-start   also measure how long a fresh process takes to load each, beside the bare SDK
  --json         print one JSON object instead of the table
  --help         print this

Fails if a bundle loads more than the bare SDK client of its cloud and 40 KiB at start, or
anything of the other cloud's SDK.
`;

/** What the composition, the jobs, the election, both fences and the ledger may add. */
const allowanceBytes = 60 * 1_024;

/** Settings with which the entry loads; nothing is asked of any store while it does. */
const settings = {
  BILLING_START_FROM: '2026-11',
  GATEWAY_URL: 'http://127.0.0.1:9',
  BILLING_SCHEDULE: '0 */5 * * * *',
};
const stores = {
  aws: 'dynamodb://leases/charges?region=eu-central-1',
  azure: 'azure-blob://account/container',
};

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist-functions' },
    'cold-start': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  process.stdout.write(helpText);
} else {
  const rows: Row[] = [];
  for (const target of targets) {
    rows.push(await make(target));
  }
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : tableOf(rows));
  const problems = rows.flatMap((row) => row.problems);
  for (const problem of problems) {
    process.stderr.write(`${problem}\n`);
  }
  process.exitCode = problems.length > 0 ? 1 : 0;
}

/** Sizes of what is loaded, in bytes. */
interface Size {
  readonly minified: number;
  /** As it travels in the package. */
  readonly compressed: number;
}

/** What is told of one target. */
interface Row {
  readonly target: Target['name'];
  readonly zip: string;
  readonly zipBytes: number;
  readonly atStart: Size;
  /** The bare SDK client. */
  readonly bare: Size;
  /** What is loaded only when it is needed. */
  readonly later: Size;
  /** Time to load the bundle, as a multiple of that of the bare SDK client. */
  readonly coldStartRatio?: number;
  readonly problems: readonly string[];
}

async function make(target: Target): Promise<Row> {
  const { name } = target;
  const folder = join(options.out, name);
  const zipFile = `${folder}.zip`;
  const bareFolder = `${folder}-bare`;
  const { files, metafile } = await bundle(target);
  const bare = await bundleBare(target);
  const packed = [...files, ...(await extraFiles(target))];
  const zipped = zip(packed);
  await writeFolder(folder, packed);
  await writeFolder(bareFolder, bare.files);
  await writeFile(zipFile, zipped);
  const loading = loadingOf(metafile);
  const atStart = sizeOf(files, loading.atStart);
  const bareSize = sizeOf(bare.files, loadingOf(bare.metafile).atStart);
  const over = atStart.compressed - bareSize.compressed;
  const foreign = loading.packagesAtStart.filter((path) => target.foreign.test(path));
  const ratio = options['cold-start']
    ? await coldStartRatio(target, folder, bareFolder)
    : undefined;
  return {
    target: name,
    zip: zipFile,
    zipBytes: zipped.length,
    atStart,
    bare: bareSize,
    later: sizeOf(files, loading.later),
    ...(ratio !== undefined && { coldStartRatio: ratio }),
    problems: [
      ...(over > allowanceBytes
        ? [`${name}: ${kib(over)} KiB over the bare SDK client, allowed are ${kib(allowanceBytes)}`]
        : []),
      ...(foreign.length > 0 ? [`${name}: loads ${foreign[0]} at start`] : []),
    ],
  };
}

function sizeOf(files: readonly OutputFile[], names: readonly string[]): Size {
  const loaded = files.filter(({ name }) => names.includes(name));
  return {
    minified: loaded.reduce((sum, { contents }) => sum + contents.length, 0),
    compressed: loaded.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0),
  };
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

async function coldStartRatio(
  { name }: Target,
  folder: string,
  bareFolder: string,
): Promise<number> {
  const { ours, bare } = await coldStarts(
    { ours: resolve(folder, 'index.mjs'), bare: resolve(bareFolder, 'index.mjs') },
    { ...settings, STORE: stores[name] },
  );
  return ours / bare;
}

function tableOf(rows: readonly Row[]): string {
  const names = ['at start', 'bare SDK client', 'more than bare', 'later'] as const;
  const header = [
    'KiB minified (compressed)',
    ...names,
    'zip',
    ...(options['cold-start'] ? ['load / bare'] : []),
  ];
  const lines = rows.map(({ target, atStart, bare, later, zipBytes, coldStartRatio }) => [
    target,
    ...[atStart, bare, difference(atStart, bare), later].map(sizeText),
    kib(zipBytes),
    ...(coldStartRatio === undefined ? [] : [coldStartRatio.toFixed(2)]),
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  return [header, ...lines]
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function difference(one: Size, other: Size): Size {
  return {
    minified: one.minified - other.minified,
    compressed: one.compressed - other.compressed,
  };
}

function sizeText({ minified, compressed }: Size): string {
  return `${kib(minified)} (${kib(compressed)})`;
}

function kib(bytes: number): string {
  return (bytes / 1_024).toFixed(1);
}
