import type { Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { loadingOf } from '../../../functions/bundle/loading.ts';

type Output = Metafile['outputs'][string];
type Import = readonly [path: string, kind: 'import-statement' | 'dynamic-import'];

function output(inputs: readonly string[], imports: readonly Import[] = []): Output {
  return {
    bytes: 1,
    exports: [],
    inputs: Object.fromEntries(inputs.map((path) => [path, { bytesInOutput: 1 }])),
    imports: imports.map(([path, kind]) => ({ path, kind })),
  };
}

const metafile = (outputs: Readonly<Record<string, Output>>): Metafile => ({
  inputs: {},
  outputs: { ...outputs },
});

const outputs = {
  'out/chunk-B.mjs': output(['src/b.ts'], [['out/index.mjs', 'import-statement']]),
  'out/index.mjs': output(
    ['node_modules/sdk/index.js', 'functions/main.ts'],
    [
      ['out/chunk-A.mjs', 'import-statement'],
      ['out/chunk-C.mjs', 'dynamic-import'],
      ['node:fs', 'import-statement'],
    ],
  ),
  'out/chunk-A.mjs': output(['src/a.ts'], [['out/chunk-B.mjs', 'import-statement']]),
  'out/chunk-C.mjs': output(['node_modules/other/index.js']),
  'out/chunk-C.mjs.map': output([]),
};

describe('loadingOf', () => {
  it('counts what the entry imports statically, over any number of steps, as loaded at start', () => {
    expect(loadingOf(metafile(outputs))).toEqual({
      atStart: ['index.mjs', 'chunk-A.mjs', 'chunk-B.mjs'],
      later: ['chunk-C.mjs'],
      packagesAtStart: ['node_modules/sdk/index.js', 'functions/main.ts', 'src/a.ts', 'src/b.ts'],
    });
  });

  it('counts what is imported both ways as loaded at start', () => {
    const both = {
      ...outputs,
      'out/chunk-B.mjs': output([], [['out/chunk-C.mjs', 'import-statement']]),
    };
    expect(loadingOf(metafile(both)).later).toEqual([]);
  });

  it('fails where there is no entry to start at', () => {
    const { 'out/index.mjs': _, ...others } = outputs;
    expect(() => loadingOf(metafile(others))).toThrow('the bundle has no index.mjs');
  });
});
