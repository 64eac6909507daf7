import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A folder as a platform unpacks it, removed at the end. */
export interface BundledApp {
  readonly folder: string;
  remove(): Promise<void>;
}

/** How a bundle differs from one that both clouds load. */
export interface BundleOptions {
  /** Code before the bundle. Default: a `require`, for the CommonJS packages in it. */
  readonly banner?: string;
}

const requireBanner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles `source` to `index.mjs` in a new folder, beside `files`: name and content. */
export async function bundleApp(
  source: string,
  files: Readonly<Record<string, string>> = {},
  { banner = requireBanner }: BundleOptions = {},
): Promise<BundledApp> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-app-'));
  await build({
    stdin: {
      contents: source,
      loader: 'ts',
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile: join(folder, 'index.mjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['@azure/functions-core'],
    banner: { js: banner },
  });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
