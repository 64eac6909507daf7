import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import tsconfig from '../../tsconfig.json' with { type: 'json' };

const root = new URL('../../', import.meta.url);
const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
const entryDeclarations = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [posix.normalize(entry.types)],
);
const publicNames = subpaths.map((subpath) => manifest.name + subpath.slice(1));

describe('the package', () => {
  // A process of its own, since here the public names mean the sources.
  it.each(publicNames)('exports something at %s', async (name) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', `console.log(Object.keys(await import('${name}')).length)`],
      { cwd: fileURLToPath(root) },
    );
    expect(Number(stdout)).toBeGreaterThan(0);
  });

  it('has one public name for the compiler for each one in the manifest', () => {
    expect(Object.keys(tsconfig.compilerOptions.paths).toSorted()).toEqual(publicNames.toSorted());
  });

  it.each(['stores', 'runtimes'])(
    'has a subpath for all that is not shared under src/%s',
    (folder) => {
      const names = entriesOf(`src/${folder}/`)
        .filter((name) => name !== 'shared')
        .map((name) => `./${name.replace(/\.ts$/, '')}`);
      expect(subpaths).toEqual(expect.arrayContaining(names));
    },
  );

  it('declares the types that were last reviewed', async () => {
    const report = reachable(entryDeclarations).map(
      (file) => `// ${file}\n${readFileSync(new URL(file, root), 'utf8')}`,
    );
    await expect(report.join('\n')).toMatchFileSnapshot('./api.txt');
  });
});

/** The declarations at `entries` and those that they lead to, by path, sorted. */
function reachable(entries: readonly string[]): readonly string[] {
  const files = new Set(entries);
  for (const file of files) {
    const text = readFileSync(new URL(file, root), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
      files.add(posix.join(posix.dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
  return [...files].toSorted();
}

function entriesOf(folder: string): string[] {
  const url = new URL(folder, root);
  return existsSync(url) ? readdirSync(url) : [];
}
