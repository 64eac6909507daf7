import { describe, expect, it } from 'vitest';
import { isExpression, parseExpression } from './arm-expression.ts';
import { deploy } from './deployment.ts';
import type { Json } from './json.ts';
import type { Template } from './template.ts';

/** What a deployment makes of one expression. */
function valueOf(expression: string, variables: Template['variables'] = {}): Json | undefined {
  const outputs = { value: { type: 'string', value: expression } };
  const { outputs: resolved, problems } = deploy(
    { $schema: '', parameters: {}, variables, resources: [], outputs },
    {},
  );
  return problems[0] ?? resolved['value'];
}

describe('template expressions', () => {
  it.each([
    ["[concat('a', 'b''c')]", "ab'c"],
    ["[concat(createArray(1), createArray('b'))]", [1, 'b']],
    ["[format('{1}-{0}', 'a', 2)]", '2-a'],
    ["[if(empty(''), 'yes', variables('missing'))]", 'yes'],
    ["[and(not(empty('a')), empty(createArray()))]", true],
    ['[string(mul(60, 1000))]', '60000'],
    ["[createObject('name', 'A', 'value', 1)]", { name: 'A', value: 1 }],
    ['[resourceGroup().location]', 'westeurope'],
    [
      "[resourceId('A.B/c/d', 'e', 'f')]",
      '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/billing/providers/A.B/c/e/d/f',
    ],
    [
      "[subscriptionResourceId('A.B/c', 'e')]",
      '/subscriptions/00000000-0000-0000-0000-000000000001/providers/A.B/c/e',
    ],
    ['[[not an expression]', '[[not an expression]'],
  ])('%s is %j', (expression, value) => {
    expect(valueOf(expression)).toEqual(value);
  });

  it.each([
    ["[mul('2', 3)]", /expected a number, received 2/u],
    ['[if(true)]', /expected \(/u],
    ["[variables('a').b]", /there is no \.b/u],
    ["[reference('id').a]", /reference to id, which is not deployed/u],
    ["[concat('a') 'b']", /unexpected 'b'/u],
    ["[concat('a]", /cannot read an expression/u],
  ])('%s is refused', (expression, problem) => {
    expect(valueOf(expression, { a: {} })).toMatch(problem);
  });

  it('begin with one bracket and end with one', () => {
    expect(['[a()]', '[[a]', 'a[0]', '[a'].map((value) => isExpression(value))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('make the same unique string of the same arguments only, in the shape of Azure', () => {
    const [one, same, other] = ["'a'", "'a'", "'b'"].map((seed) =>
      valueOf(`[uniqueString(${seed})]`),
    );
    expect(one).toMatch(/^[a-z0-9]{13}$/u);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(valueOf("[guid('a')]")).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
  });

  it('are read to their end', () => {
    expect(parseExpression("[a(b(1).c, 'd')]")).toEqual({
      kind: 'call',
      name: 'a',
      args: [
        {
          kind: 'member',
          of: { kind: 'call', name: 'b', args: [{ kind: 'literal', value: 1 }] },
          name: 'c',
        },
        { kind: 'literal', value: 'd' },
      ],
    });
  });
});
