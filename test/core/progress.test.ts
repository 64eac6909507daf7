import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  maxProgressBytes,
  parseStoredProgress,
  serializeProgress,
} from '../../src/core/progress.ts';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
class Cursor {
  readonly page = 1;
}
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const shared = { n: 1 };
const cyclicArray: unknown[] = [];
cyclicArray.push({ inner: cyclicArray });

describe('serializeProgress', () => {
  it('gives JSON that reads back as it was', () => {
    const small = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }).filter((value) => {
      return bytesOf(JSON.stringify(value)) <= maxProgressBytes;
    });
    fc.assert(
      fc.property(small, (value) => {
        expect(JSON.parse(serializeProgress(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ['null', null, 'null'],
    [
      'text of any language',
      { last: 'Łódź – 北京 – عمان – 🦊' },
      '{"last":"Łódź – 北京 – عمان – 🦊"}',
    ],
    ['an undefined member', { last: 'a', next: undefined }, '{"last":"a"}'],
    ['an object without a prototype', Object.assign(Object.create(null), { n: 1 }), '{"n":1}'],
    ['the same object twice', [shared, shared], '[{"n":1},{"n":1}]'],
    ['a lone surrogate', ['\ud83e', 'a\udd8a'], String.raw`["\ud83e","a\udd8a"]`],
  ])('accepts %s', (_, value, text) => {
    expect(serializeProgress(value)).toBe(text);
    expect(text.isWellFormed()).toBe(true);
  });

  it.each([
    ['undefined', undefined, 'progress must be JSON, got undefined'],
    ['a function', () => 'secret', 'progress must be JSON, got a function'],
    ['a symbol', { tag: Symbol('s') }, 'progress.tag must be JSON, got Symbol(s)'],
    ['a big integer', { n: 10n }, 'progress.n must be JSON, got 10'],
    ['not a number', { n: Number.NaN }, 'progress.n must be JSON, got NaN'],
    ['infinity', [1, -Infinity], 'progress.1 must be JSON, got -Infinity'],
    ['a date', { at: new Date(0) }, 'progress.at must be JSON, got Date'],
    ['a map', { a: [{ b: new Map() }] }, 'progress.a.0.b must be JSON, got Map'],
    ['a set', new Set([1]), 'progress must be JSON, got Set'],
    ['an instance of a class', new Cursor(), 'progress must be JSON, got Cursor'],
    ['bytes', new Uint8Array(2), 'progress must be JSON, got Uint8Array'],
    ['a boxed string', Object('a'), 'progress must be JSON, got String'],
    ['an error', new Error('secret'), 'progress must be JSON, got Error'],
    ['an object with toJSON', { toJSON: () => 1 }, 'progress must be JSON, got an object'],
    ['an array with toJSON', Object.assign([1], { toJSON: () => 1 }), 'progress must be JSON'],
    ['undefined in an array', [1, undefined], 'progress.1 must be JSON, got undefined'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole in an array', [1, , 3], 'progress.1 must be JSON, got undefined'],
    ['an array of holes', Array.from({ length: 2 }).concat(Array(3)), 'progress.0 must be JSON'],
    ['a cycle', cyclic, 'progress.self must be JSON, got a cycle'],
    ['a cycle through an array', cyclicArray, 'progress.0.inner must be JSON, got a cycle'],
  ])('refuses %s', (_, value, message) => {
    expect(() => serializeProgress(value)).toThrow(TypeError);
    expect(() => serializeProgress(value)).toThrow(message);
  });

  it.each([
    ['ASCII', 'a', 1],
    ['two bytes each', 'ü', 2],
    ['three bytes each', '京', 3],
    ['four bytes each', '🦊', 4],
    ['escaped as six bytes each', '\ud800', 6],
    ['escaped as two bytes each', '"', 2],
  ])('counts the limit in bytes of UTF-8: %s', (_, character, bytes) => {
    const room = maxProgressBytes - 2;
    const fits = character.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes);
    expect(bytesOf(serializeProgress(fits))).toBe(2_048);
    expect(() => serializeProgress(`${fits}x`)).toThrow(
      new RangeError('progress must be at most 2048 bytes of JSON, got 2049'),
    );
  });
});

describe('parseStoredProgress', () => {
  it('reads nothing as no progress, and tells nobody', () => {
    expect(parseStoredProgress(undefined, undefined)).toEqual({
      usable: true,
      progress: undefined,
    });
  });

  it('gives JSON as it is without a parser', () => {
    expect(parseStoredProgress('{"n":0}', undefined)).toEqual({ usable: true, progress: { n: 0 } });
    expect(parseStoredProgress('0', undefined)).toEqual({ usable: true, progress: 0 });
    expect(parseStoredProgress('false', undefined)).toEqual({ usable: true, progress: false });
  });

  it('gives what the parser makes of the JSON', () => {
    const parse = (json: unknown): string | undefined =>
      typeof json === 'number' ? `page ${json}` : undefined;
    expect(parseStoredProgress('7', parse)).toEqual({ usable: true, progress: 'page 7' });
    expect(parseStoredProgress('"seven"', parse)).toEqual({ usable: false });
  });

  it('reads a stored null as unusable', () => {
    expect(parseStoredProgress('null', undefined)).toEqual({ usable: false });
  });

  it.each(['', '{', 'cafe', '\u0000\u0001', '{"n":1}x'])('keeps why %j is no JSON', (text) => {
    const parsed = parseStoredProgress(text, undefined);
    expect(parsed).toEqual({ usable: false, error: expect.any(SyntaxError) });
  });

  it('keeps what the parser throws', () => {
    const error = new Error('version 2 only');
    const parse = (): never => {
      throw error;
    };
    expect(parseStoredProgress('{}', parse)).toEqual({ usable: false, error });
  });

  it('reads back what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }), (value) => {
        fc.pre(value !== null && bytesOf(JSON.stringify(value)) <= maxProgressBytes);
        expect(parseStoredProgress(serializeProgress(value), undefined)).toEqual({
          usable: true,
          progress: JSON.parse(JSON.stringify(value)),
        });
      }),
    );
  });
});
