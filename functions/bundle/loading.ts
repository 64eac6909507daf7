import type { Metafile } from 'esbuild';

/** What of a bundle is loaded when. */
export interface Loading {
  /** Files: the entry and everything that it imports statically. */
  readonly atStart: readonly string[];
  /** Files that are loaded only when they are needed. */
  readonly later: readonly string[];
  /** Modules of other packages that are loaded at start. */
  readonly packagesAtStart: readonly string[];
}

const entryName = /(?:^|\/)index\.mjs$/;

/** Reads what is loaded when out of what esbuild says about its outputs. */
export function loadingOf({ outputs }: Metafile): Loading {
  const code = Object.entries(outputs).filter(([path]) => path.endsWith('.mjs'));
  const [entry] = code.map(([path]) => path).filter((path) => entryName.test(path));
  if (entry === undefined) {
    throw new Error('the bundle has no index.mjs');
  }
  const start = new Set<string>();
  const visit = (path: string): void => {
    const output = outputs[path];
    if (start.has(path) || !output) {
      return;
    }
    start.add(path);
    for (const { path: imported, kind } of output.imports) {
      if (kind === 'import-statement') {
        visit(imported);
      }
    }
  };
  visit(entry);
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  return {
    atStart: [...start].map(nameOf),
    later: code
      .map(([path]) => path)
      .filter((path) => !start.has(path))
      .map(nameOf),
    packagesAtStart: [...start].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})),
  };
}
