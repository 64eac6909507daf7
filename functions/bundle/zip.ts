import { zipSync, type ZippableFile } from 'fflate';
import type { OutputFile } from './build.ts';

/** The earliest time that a zip can hold, so that the same files make the same bytes. */
const noTime = new Date(1980, 0, 1);

/** Packs files, by name, readable for everybody as both platforms need it. */
export function zip(files: readonly OutputFile[]): Uint8Array {
  const entries = files.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(entryOf);
  return zipSync(Object.fromEntries(entries), { mtime: noTime, level: 9 });
}

function entryOf({ name, contents }: OutputFile): readonly [string, ZippableFile] {
  return [name, [contents, { attrs: 0o100644 << 16, os: 3 }]];
}
