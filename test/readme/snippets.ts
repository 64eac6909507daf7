import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
/** Where the snippets are written, to be compiled and imported. Not under version control. */
export const generated: URL = new URL('generated/', import.meta.url);

/** One fenced block of the README. */
export interface Snippet {
  readonly language: string;
  readonly code: string;
  /** The hidden comment before it: declarations that it needs, or what a test does with it. */
  readonly given: string;
  /** Line of the README on which it begins. */
  readonly line: number;
}

/** All fenced blocks of the README, in order. */
export function snippets(): readonly Snippet[] {
  const text = readFileSync(new URL('README.md', root), 'utf8');
  const block = /(?:<!-- (?:given|prints)\s([^]*?)-->\n)?```(\w+)\n([^]*?)```/g;
  return [...text.matchAll(block)].map(
    ({ 0: all, 1: given = '', 2: language = '', 3: code = '', index }) => ({
      language,
      code,
      given: given.trim(),
      line: text.slice(0, index + all.indexOf('```')).split('\n').length,
    }),
  );
}

/** Writes each TypeScript snippet, after what it is given, as a module of its own. */
export function writeModules(): ReadonlyMap<Snippet, URL> {
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  writeFileSync(
    new URL('tsconfig.json', generated),
    JSON.stringify({
      extends: '../../../tsconfig.json',
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ['.'],
      exclude: [],
    }),
  );
  const modules = new Map<Snippet, URL>();
  for (const snippet of snippets().filter(({ language }) => language === 'ts')) {
    const given = snippet.given.includes(' ') ? `${snippet.given}\n` : '';
    const file = new URL(`line-${snippet.line}.ts`, generated);
    writeFileSync(file, `${given}${snippet.code}export {};\n`);
    modules.set(snippet, file);
  }
  return modules;
}
