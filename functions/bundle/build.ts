import { build, type BuildOptions, type Metafile } from 'esbuild';
import type { Target } from './targets.ts';

/** A file that was made, by its name in the package. */
export interface OutputFile {
  readonly name: string;
  readonly contents: Uint8Array;
}

/** A bundle. */
export interface Bundle {
  readonly files: readonly OutputFile[];
  readonly metafile: Metafile;
}

/**
 * ES modules, since both platforms load them and top-level `await` reads the settings once. What is
 * CommonJS inside, such as `@azure/functions`, needs a `require`, and esbuild's own stand-in throws.
 */
const options = {
  bundle: true,
  minify: true,
  splitting: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  mainFields: ['module', 'main'],
  outdir: 'out',
  entryNames: '[name]',
  chunkNames: 'chunk-[hash]',
  outExtension: { '.js': '.mjs' },
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
  alias: { '@aws-sdk/credential-provider-node': './functions/bundle/env-credentials.ts' },
  // The worker of Azure Functions puts it there.
  external: ['@azure/functions-core'],
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles a target's entry, with source maps beside it. */
export async function bundle({ entry }: Target, version: string): Promise<Bundle> {
  const result = await build({
    ...options,
    entryPoints: { index: entry },
    define: { packageVersion: JSON.stringify(version) },
    sourcemap: true,
  });
  return bundleOf(result);
}

/** Bundles the bare SDK client of a target in the same way. */
export async function bundleBare({ bare }: Target): Promise<Bundle> {
  const stdin = { contents: bare, resolveDir: '.', sourcefile: 'bare.ts', loader: 'ts' } as const;
  const result = await build({ ...options, stdin, entryNames: 'index' });
  return bundleOf(result);
}

function bundleOf(result: {
  readonly outputFiles: readonly { readonly path: string; readonly contents: Uint8Array }[];
  readonly metafile: Metafile;
}): Bundle {
  const files = result.outputFiles.map(({ path, contents }) => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    contents,
  }));
  return { files, metafile: result.metafile };
}
