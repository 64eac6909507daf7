import { unzipSync } from 'fflate';
import { afterEach, expect, it, vi } from 'vitest';
import { zip } from '../../../functions/bundle/zip.ts';

const file = (name: string, text: string) => ({ name, contents: new TextEncoder().encode(text) });
const files = [file('index.mjs', 'export {}'), file('chunk-1.mjs', 'x'.repeat(9_999))];

afterEach(() => {
  vi.useRealTimers();
});

it('zip packs the same files to the same bytes, in whatever order and at whatever time', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-01T00:00:00Z') });
  const first = zip(files);
  vi.setSystemTime(new Date('2026-12-01T00:00:00Z'));
  expect(Buffer.from(zip(files.toReversed())).equals(first)).toBe(true);
  expect(Buffer.from(zip([file('index.mjs', 'export { }')])).equals(first)).toBe(false);
});

it('zip keeps every file as it is, readable for everybody', () => {
  const packed = zip(files);
  const unpacked = Object.entries(unzipSync(packed)).map(([name, contents]) => ({
    name,
    contents: new Uint8Array(contents),
  }));
  expect(unpacked).toEqual(files.toReversed());
  const directory = Buffer.from(packed);
  const header = directory.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  // High byte of the version: made on Unix, so the high half of the attributes is the mode.
  expect(directory.readUInt8(header + 5)).toBe(3);
  expect(directory.readUInt32LE(header + 38) >>> 16).toBe(0o100644);
});
