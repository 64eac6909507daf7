import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultIdentity } from '../../src/core/identity.ts';
import { maxNameBytes, requireName } from '../../src/core/requirements.ts';

describe('defaultIdentity', () => {
  it('names the host and the process and is new each time', () => {
    const identity = defaultIdentity();
    expect(identity.startsWith(`${hostname().slice(0, 64)}:${process.pid}:`)).toBe(true);
    expect(requireName('identity', identity)).toBe(identity);
    const many = new Set(Array.from({ length: 1_000 }, () => defaultIdentity()));
    expect(many.size).toBe(1_000);
  });
});

describe('requireName', () => {
  it.each(['a', 'nightly/billing run:7', 'Łódź 北京 🦊', ' '])('returns %j as it is', (value) => {
    expect(requireName('lease', value)).toBe(value);
  });

  it.each(['x', 'ü', '京', '🦊'])('counts bytes of UTF-8: %s', (character) => {
    const bytes = new TextEncoder().encode(character).length;
    const room = maxNameBytes % bytes;
    const longest = character.repeat(Math.floor(maxNameBytes / bytes)) + 'x'.repeat(room);
    expect(requireName('lease', longest)).toBe(longest);
    expect(() => requireName('lease', `${longest}x`)).toThrow(
      new RangeError('lease must have 1 to 256 bytes of UTF-8, got 257'),
    );
  });

  it('refuses an empty name', () => {
    expect(() => requireName('identity', '')).toThrow(
      new RangeError('identity must have 1 to 256 bytes of UTF-8, got 0'),
    );
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [33, '33'],
    [Symbol('s'), 'Symbol(s)'],
    [{ name: 'secret' }, 'an object'],
    [Object.create(null), 'an object'],
    [() => 'secret', 'a function'],
    ['half a fox: \ud83e', String.raw`"half a fox: \ud83e"`],
  ])('refuses what is no Unicode text: %o', (value, received) => {
    expect(() => requireName('lease', value)).toThrow(
      new TypeError(`lease must be a string of Unicode text, got ${received}`),
    );
  });
});
