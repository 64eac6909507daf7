import { describe, expect, it } from 'vitest';
import {
  dimension,
  functionTimeout,
  httpUrl,
  metricsNamespace,
  oneOf,
  secret,
  timerSchedule,
  timeZone,
  wholeNumber,
  words,
} from '../../../functions/config/setting-kinds.ts';

describe('kinds of settings', () => {
  it.each([
    ['wholeNumber', wholeNumber(0, 10), '0', 0],
    ['wholeNumber', wholeNumber(0, 10), '10', 10],
    ['httpUrl', httpUrl, 'https://gateway.example/v1', 'https://gateway.example/v1'],
    ['httpUrl', httpUrl, 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['oneOf', oneOf(['all', 'none']), 'none', 'none'],
    ['words', words(6), 'März', 'März'],
    ['dimension', dimension, 'prod eu', 'prod eu'],
    ['metricsNamespace', metricsNamespace, 'Team/billing', 'Team/billing'],
    ['secret', secret, 'a~b c', 'a~b c'],
    ['timeZone', timeZone, 'Europe/Berlin', 'Europe/Berlin'],
    ['timerSchedule', timerSchedule, '0 */5 * * * *', '0 */5 * * * *'],
    ['functionTimeout', functionTimeout, '00:10:05', 605_000],
    ['functionTimeout', functionTimeout, '1.00:00:00', 86_400_000],
    ['functionTimeout', functionTimeout, '-1', undefined],
  ])('%s reads %4$s', (_name, kind: (text: string) => unknown, text, expected) => {
    expect(kind(text)).toBe(expected);
  });

  it.each([
    ['wholeNumber', wholeNumber(1, 10), '0', 'from 1 to 10, got "0"'],
    ['wholeNumber', wholeNumber(1, 10), '11', 'got "11"'],
    ['wholeNumber', wholeNumber(1, 10), '1e1', 'got "1e1"'],
    ['wholeNumber', wholeNumber(1, 10), ' 1', 'got " 1"'],
    ['wholeNumber', wholeNumber(1, 10), '-1', 'got "-1"'],
    ['oneOf', oneOf(['all', 'none']), 'some', 'one of all, none, got "some"'],
    ['words', words(256), ' x', 'got " x"'],
    ['words', words(256), '   ', '1 to 256 bytes'],
    ['words', words(4), 'März', '1 to 4 bytes'],
    ['words', words(9), 'x'.repeat(999), `got "${'x'.repeat(64)}..."`],
    ['dimension', dimension, 'Größe', 'printable ASCII'],
    ['dimension', dimension, ':prod', 'got ":prod"'],
    ['dimension', dimension, 'x'.repeat(256), '1 to 255'],
    ['metricsNamespace', metricsNamespace, 'AWS/Lambda', 'not begin with AWS/'],
    ['metricsNamespace', metricsNamespace, 'a*b', 'got "a*b"'],
    ['timeZone', timeZone, '+01:00', 'got "+01:00"'],
    ['timeZone', timeZone, 'Mars/Olympus', 'such as Europe/Berlin, got "Mars/Olympus"'],
    ['timerSchedule', timerSchedule, '*/5 * * * *', 'six fields, seconds first'],
    ['functionTimeout', functionTimeout, '5 min', 'hh:mm:ss, or -1, got "5 min"'],
    ['functionTimeout', functionTimeout, '00:60:00', 'got "00:60:00"'],
  ])('%s refuses %4$s and says what it takes', (_name, kind, text, message) => {
    expect(() => kind(text)).toThrow(message);
  });

  it.each([
    'https://user:hunter2@gateway.example',
    'https://:hunter2@gateway.example',
    'https://gateway.example/?key=hunter2',
    'https://gateway.example/#hunter2',
    'ftp://hunter2',
    'hunter2',
  ])('httpUrl refuses %s without showing what may be a secret', (text) => {
    expect(() => httpUrl(text)).toThrow(/^it must be an https URL without .*$/);
    expect(() => httpUrl(text)).not.toThrow('hunter2');
  });

  it.each([
    'https://gateway.example/v1?',
    'https://gateway.example/v1#',
    'https://gateway.example/v1 ',
  ])('httpUrl refuses %j, behind which no path can be added', (text) => {
    expect(() => httpUrl(text)).toThrow('it must be an https URL without');
  });

  it('httpUrl takes http only on this machine', () => {
    expect(() => httpUrl('http://gateway.example')).toThrow(
      'payments must not travel in clear text',
    );
    expect(httpUrl('http://localhost:1234/v1')).toBe('http://localhost:1234/v1');
  });

  it('secret refuses what was pasted with a line feed, and does not show it', () => {
    expect(() => secret('hunter2\n')).toThrow('must not begin or end with a space');
    expect(() => secret('hunter2\n')).not.toThrow('hunter2');
  });
});
