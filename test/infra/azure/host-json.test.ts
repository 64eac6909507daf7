import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at, text, type Json } from './json.ts';
import { template } from './template.ts';

const host = JSON.parse(
  readFileSync(new URL('../../../functions/azure/host.json', import.meta.url), 'utf8'),
) as Json;

const msOf = (duration: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
};

describe('host.json', () => {
  it('is for version 4 of the host, whose format is 2.0', () => {
    expect(at(host, 'version')).toBe('2.0');
  });

  it('has the timeout that the default budget of 240 s is 80 % of', () => {
    expect(msOf(text(at(host, 'functionTimeout'))) * 0.8).toBe(240_000);
  });

  it('is overridden by a setting of the template that is at least as long', () => {
    const offered = template.parameters['functionTimeout']?.allowedValues ?? [];
    const shortestMs = Math.min(...offered.map((timeout) => msOf(text(timeout))));
    expect(shortestMs).toBeGreaterThanOrEqual(msOf(text(at(host, 'functionTimeout'))));
  });

  it('samples away neither the line of an outcome nor the failure of an invocation', () => {
    const sampling = 'logging.applicationInsights.samplingSettings';
    const kept = text(at(host, `${sampling}.excludedTypes`)).split(';');
    expect(kept).toEqual(expect.arrayContaining(['Trace', 'Request', 'Exception']));
    expect(at(host, `${sampling}.includedTypes`)).toBeUndefined();
  });

  it('lets lines of information of the function through', () => {
    const levels = at(host, 'logging.logLevel') as Readonly<Record<string, Json>>;
    expect(levels['Function']).toBe('Information');
    expect(Object.keys(levels).filter((name) => name.startsWith('Function.'))).toEqual([]);
  });

  it('loads no extension bundle, because the host brings the timer itself', () => {
    expect(at(host, 'extensionBundle')).toBeUndefined();
  });
});
