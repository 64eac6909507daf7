import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CustomerListError, parseCustomers } from '../../../functions/billing/customers.ts';

const header = 'id,name,plan,amount,currency';
const ada = { id: 'c-1', name: 'Ada', plan: 'team', amountMinor: 4900, currency: 'EUR' };

describe('parseCustomers', () => {
  it('reads the columns by name, in any order, and ignores others', () => {
    const text = 'note,currency,amount,plan,name,id\nvip,EUR,4900,team,Ada,c-1\n';
    expect(parseCustomers(text)).toEqual([ada]);
  });

  it.each([
    ['quoted fields', `${header}\nc-1,"Ada, ""the"" first",team,4900,EUR\n`, 'Ada, "the" first'],
    ['a byte order mark and CRLF', `\uFEFF${header}\r\nc-1,Ada,team,4900,EUR\r\n`, 'Ada'],
    ['empty lines and spaces', `${header}\n\n c-1 , Ada ,team, 4900 , EUR \n\n`, 'Ada'],
    ['a last line without an end', `${header}\nc-1,Ada,team,4900,EUR`, 'Ada'],
  ])('accepts %s', (_what, text, name) => {
    expect(parseCustomers(text)).toEqual([{ ...ada, name }]);
  });

  it.each([
    ['an empty file', '', 1, /empty/],
    ['a header without customers', `${header}\n`, 1, /no customers/],
    ['a missing column', 'id,name,plan,amount\nc-1,Ada,team,4900\n', 1, /"currency" is missing/],
    ['a column twice', `${header},id\nc-1,Ada,team,4900,EUR,c-2\n`, 1, /"id" appears twice/],
    ['a field too few', `${header}\nc-1,Ada,team,4900,EUR\nc-2,Bo,team,1\n`, 3, /number of fields/],
    ['a field too many', `${header}\nc-1,Ada,team,4900,EUR,x\n`, 2, /number of fields/],
    ['a quote left open', `${header}\nc-1,Ada,team,4900,EUR\nc-2,"Bo,x\nc-3,\n`, 3, /not closed/],
    ['a stray quote', `${header}\nc-1,A"da,team,4900,EUR\n`, 2, /quote/],
    ['an empty id', `${header}\n,Ada,team,4900,EUR\n`, 2, /id must have/],
    ['a long id', `${header}\n${'x'.repeat(101)},Ada,team,4900,EUR\n`, 2, /got 101/],
    ['a decimal amount', `${header}\n\nc-1,Ada,team,49.00,EUR\n`, 3, /amount .* got "49.00"/],
    ['a negative amount', `${header}\nc-1,Ada,team,-1,EUR\n`, 2, /amount .* got "-1"/],
    ['an amount of nothing', `${header}\nc-1,Ada,team,0,EUR\n`, 2, /amount .* got "0"/],
    ['an empty amount', `${header}\nc-1,Ada,team,,EUR\n`, 2, /amount .* got ""/],
    ['Latin-1', read(Buffer.from(`${header}\nc-1,Zoë,team,1,EUR\n`, 'latin1')), 2, /UTF-8/],
    ['UTF-16', read(Buffer.from(`\uFEFF${header}\n`, 'utf16le')), 1, /UTF-8/],
    ['UTF-16 without a mark', read(Buffer.from(`${header}\n`, 'utf16le')), 1, /UTF-8/],
    ['a huge amount', `${header}\nc-1,Ada,team,9007199254740993,EUR\n`, 2, /amount/],
    ['an unknown currency', `${header}\nc-1,Ada,team,4900,EURO\n`, 2, /currency .* got "EURO"/],
    ['a currency in lower case', `${header}\nc-1,Ada,team,4900,eur\n`, 2, /currency .* got "eur"/],
    [
      'an id for the second time',
      `${header}\nc-1,Ada,team,1,EUR\nc-2,Bo,team,1,EUR\nc-1,Cy,team,1,EUR\n`,
      4,
      /"c-1" is already on line 2/,
    ],
  ])('rejects %s and names the line', (_what, text, line, message) => {
    const error = caught(() => parseCustomers(text));
    expect(error).toBeInstanceOf(CustomerListError);
    expect(error).toMatchObject({ line, message: expect.stringMatching(message) as string });
  });

  it('accepts the list that comes with the example', async () => {
    const file = new URL('../../../functions/billing/customers.csv', import.meta.url);
    expect(parseCustomers(await readFile(file, 'utf8'))).toHaveLength(24);
  });
});

/** What reading these bytes as UTF-8 gives. */
function read(bytes: Buffer): string {
  return bytes.toString('utf8');
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
