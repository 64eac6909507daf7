import { describe, expect, it } from 'vitest';
import { wholeNumber } from '../../../functions/config/setting-kinds.ts';
import { optional, readSettings, required } from '../../../functions/config/settings.ts';

const entries = {
  PLACE: required('where it is', (text) => text.toUpperCase()),
  COUNT: optional('7', wholeNumber(1, 9)),
};

describe('readSettings', () => {
  it('reads each setting by its kind, and ignores other variables', () => {
    expect(readSettings(entries, { PLACE: 'here', COUNT: '3', OTHER: 'x' })).toEqual({
      PLACE: 'HERE',
      COUNT: 3,
    });
  });

  it.each([
    ['absent', {}],
    ['undefined', { COUNT: undefined }],
    ['empty', { COUNT: '' }],
  ])('takes the fallback for a variable that is %s', (_what, variables) => {
    expect(readSettings(entries, { PLACE: 'here', ...variables })).toMatchObject({ COUNT: 7 });
  });

  it('lists everything that is wrong, one line for each variable', () => {
    expect(() => readSettings(entries, { PLACE: '', COUNT: '12' })).toThrow(
      expect.objectContaining({
        name: 'SettingsError',
        message: [
          'the settings cannot be used:',
          '- PLACE: it is missing; set it to where it is',
          '- COUNT: it must be a whole number from 1 to 9, got "12"',
        ].join('\n'),
        problems: [
          'PLACE: it is missing; set it to where it is',
          'COUNT: it must be a whole number from 1 to 9, got "12"',
        ],
      }),
    );
  });
});
