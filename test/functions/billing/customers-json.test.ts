import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseCustomers } from '../../../functions/billing/customers.ts';
import { customersFromJson } from '../../../functions/billing/customers-json.ts';

const customer = { id: 'c-1', name: 'N', plan: 'team', amountMinor: 1900, currency: 'EUR' };

describe('customersFromJson', () => {
  it('reads back what is read from the CSV', async () => {
    const customers = parseCustomers(await readFile('functions/billing/customers.csv', 'utf8'));
    expect(customersFromJson(JSON.stringify(customers))).toEqual(customers);
  });

  it.each([
    ['no customer', [], 'there is no customer'],
    ['an id twice', [customer, customer], 'an id is there twice'],
    ['an id that is empty', [{ ...customer, id: '' }], '0.id'],
    [
      'an amount of nothing',
      [customer, { ...customer, id: 'c-2', amountMinor: 0 }],
      '1.amountMinor',
    ],
    ['an amount that is no number', [{ ...customer, amountMinor: '1900' }], '0.amountMinor'],
    ['a fraction', [{ ...customer, amountMinor: 0.5 }], '0.amountMinor'],
    ['no currency', [{ ...customer, currency: 'eur' }], '0.currency'],
    ['a customer that is none', ['c-1'], '0: '],
    ['no list', { customer }, 'Expected Array'],
  ])('refuses %s', (_what, json, problem) => {
    expect(() => customersFromJson(JSON.stringify(json))).toThrow(problem);
  });

  it('refuses what is no JSON', () => {
    expect(() => customersFromJson('id,name')).toThrow(SyntaxError);
  });
});
