import {
  DeleteCommand,
  PutCommand,
  UpdateCommand,
  type PutCommandInput,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { fenced } from '../../../src/fencing/dynamodb/fenced.ts';

const put: PutCommandInput = { TableName: 'charges', Item: { key: 'a', amount: 5 } };
const update: UpdateCommandInput = {
  TableName: 'charges',
  Key: { key: 'a' },
  UpdateExpression: 'REMOVE note SET amount = :amount',
  ExpressionAttributeValues: { ':amount': 5 },
};

describe('fenced', () => {
  it('puts the token into the item of a Put and the fence into its condition', () => {
    expect(fenced(put, 33)).toEqual({
      TableName: 'charges',
      Item: { key: 'a', amount: 5, fencingToken: 33 },
      ConditionExpression: 'attribute_not_exists(#fencingToken) OR #fencingToken <= :fencingToken',
      ExpressionAttributeNames: { '#fencingToken': 'fencingToken' },
      ExpressionAttributeValues: { ':fencingToken': 33 },
    });
  });

  it('puts the token into the SET clause of an Update', () => {
    expect(fenced(update, 33)).toMatchObject({
      Key: { key: 'a' },
      UpdateExpression: 'REMOVE note SET #fencingToken = :fencingToken, amount = :amount',
      ExpressionAttributeValues: { ':amount': 5, ':fencingToken': 33 },
    });
  });

  it.each([
    ['set a = :a', 'set #fencingToken = :fencingToken, a = :a'],
    ['SET\n#a=:a', 'SET #fencingToken = :fencingToken,\n#a=:a'],
    ['SET#a=:a', 'SET #fencingToken = :fencingToken,#a=:a'],
    ['REMOVE #set, offset', 'REMOVE #set, offset SET #fencingToken = :fencingToken'],
    [
      'ADD tags :set Set a = setup + :set',
      'ADD tags :set Set #fencingToken = :fencingToken, a = setup + :set',
    ],
  ])('turns the update %j into %j', (expression, marked) => {
    expect(fenced({ ...update, UpdateExpression: expression }, 33).UpdateExpression).toBe(marked);
  });

  it('keeps the token in the attribute that tokenAttribute names', () => {
    const input = fenced(put, 33, { tokenAttribute: 'seen.by' });
    expect(input.Item).toEqual({ key: 'a', amount: 5, 'seen.by': 33 });
    expect(input.ExpressionAttributeNames).toEqual({ '#fencingToken': 'seen.by' });
  });

  it('keeps everything else that the input asks for', () => {
    const wishes = { ReturnValues: 'ALL_NEW', ReturnConsumedCapacity: 'TOTAL' } as const;
    expect(fenced({ ...update, ...wishes }, 33)).toMatchObject(wishes);
    expect(fenced(update, 33)).not.toHaveProperty('ReturnValuesOnConditionCheckFailure');
  });

  it.each([
    ['a = :a', '(a = :a)'],
    ['a = :a OR b = :b', '(a = :a OR b = :b)'],
    ['(a = :a OR b = :b)', '(a = :a OR b = :b)'],
    ['(a = :a) OR (b = :b)', '((a = :a) OR (b = :b))'],
    [' ( a = :a ) ', ' ( a = :a ) '],
    ['attribute_exists(a)', '(attribute_exists(a))'],
  ])('joins the condition %j as %j, never with doubled parentheses', (condition, joined) => {
    expect(fenced({ ...put, ConditionExpression: condition }, 33).ConditionExpression).toBe(
      `(attribute_not_exists(#fencingToken) OR #fencingToken <= :fencingToken) AND ${joined}`,
    );
  });

  it.each(['a = :a) OR (b = :b', '(a = :a', 'a = :a)', ')(', '(a) = :a)('])(
    'refuses the condition %j, which would open the fence or be another one',
    (condition) => {
      expect(() => fenced({ ...put, ConditionExpression: condition }, 33)).toThrow(TypeError);
    },
  );

  it('chooses placeholders that the input neither declares nor mentions', () => {
    const input = fenced(
      {
        ...update,
        UpdateExpression: 'SET #fencingToken = :fencingToken',
        ConditionExpression: '#fencingToken1 = :fencingToken1',
        ExpressionAttributeNames: { '#fencingToken': 'amount', '#fencingToken2': 'note' },
        ExpressionAttributeValues: { ':fencingToken': 5 },
      },
      33,
    );
    expect(input.ExpressionAttributeNames).toEqual({
      '#fencingToken': 'amount',
      '#fencingToken2': 'note',
      '#fencingToken3': 'fencingToken',
    });
    expect(input.ExpressionAttributeValues).toEqual({ ':fencingToken': 5, ':fencingToken2': 33 });
  });

  it.each([put, update])('leaves its input as it is', (input) => {
    const before = structuredClone(input);
    fenced(input, 33);
    expect(input).toEqual(before);
  });

  it('returns the type that it was given', () => {
    expectTypeOf(fenced(put, 33)).toEqualTypeOf<PutCommandInput>();
    expectTypeOf(fenced(update, 33)).toEqualTypeOf<UpdateCommandInput>();
    expectTypeOf(fenced<PutCommandInput | UpdateCommandInput>).returns.toEqualTypeOf<
      PutCommandInput | UpdateCommandInput
    >();
    expectTypeOf(fenced).parameter(1).toEqualTypeOf<number>();
  });
});

describe('fenced, misused', () => {
  const waysOut = /mark the row as deleted with an Update.*fencedTransaction.*raise/s;

  it('names the ways out when it is given a Delete', () => {
    expect(() => fenced({ TableName: 'charges', Key: { key: 'a' } }, 33)).toThrow(waysOut);
    const command: unknown = new DeleteCommand({ TableName: 'charges', Key: { key: 'a' } });
    expect(() => fenced(command as UpdateCommandInput, 33)).toThrow(waysOut);
  });

  it.each([new PutCommand(put), new UpdateCommand(update)])(
    'asks for the input when it is given a command',
    (command: unknown) => {
      expect(() => fenced(command as PutCommandInput, 33)).toThrow(/pass its input/);
    },
  );

  it.each([undefined, null, 'charges'])('refuses %j as an input', (input: unknown) => {
    expect(() => fenced(input as PutCommandInput, 33)).toThrow(TypeError);
  });

  it.each([
    { Expected: { key: { Exists: false } } },
    { AttributeUpdates: { amount: { Value: 5 } } },
    { ConditionalOperator: 'OR' } as const,
  ])('refuses the legacy parameters of %j', (legacy) => {
    const [name = ''] = Object.keys(legacy);
    expect(() => fenced({ ...update, ...legacy }, 33)).toThrow(name);
    expect(() => fenced({ ...put, ...legacy }, 33)).toThrow(TypeError);
  });

  it('refuses an item that has the token attribute', () => {
    const item = { key: 'a', fencingToken: 12 };
    expect(() => fenced({ ...put, Item: item }, 33)).toThrow(/Item must not have fencingToken/);
    expect(fenced({ ...put, Item: item }, 33, { tokenAttribute: 'seen' }).Item).toEqual({
      ...item,
      seen: 33,
    });
  });

  it.each([
    'SET fencingToken = :a',
    'remove fencingToken',
    'ADD fencingToken :a',
    'SET a = if_not_exists(a, :a), #token = :a',
    'SET a = :a REMOVE b, #token.inner[0]',
    'DELETE\n#token :a',
  ])('refuses %j, which writes the token attribute', (expression) => {
    const names = { '#token': 'fencingToken' };
    const input = { ...update, UpdateExpression: expression, ExpressionAttributeNames: names };
    expect(() => fenced(input, 33)).toThrow(/must not write fencingToken/);
  });

  it.each([
    'SET a = fencingToken',
    'SET a = if_not_exists(b, #token)',
    'SET a.#token = :a',
    'SET a = :a, fencingTokens = :a',
  ])('accepts %j, which reads or only resembles the token attribute', (expression) => {
    const names = { '#token': 'fencingToken' };
    const input = { ...update, UpdateExpression: expression, ExpressionAttributeNames: names };
    expect(fenced(input, 33).UpdateExpression).toContain('#fencingToken = :fencingToken, a');
  });

  it.each(['', ' \n'])('refuses the blank update expression %j', (expression) => {
    expect(() => fenced({ ...update, UpdateExpression: expression }, 33)).toThrow(/blank/);
  });

  it.each(['33', 33n, null, undefined, {}])('refuses the token %s, which is no number', (token) => {
    expect(() => fenced(put, token as number)).toThrow(TypeError);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'refuses the token %d, which is no positive safe integer',
    (token) => {
      expect(() => fenced(put, token)).toThrow(RangeError);
    },
  );

  it.each(['', 5, null])('refuses %j as tokenAttribute', (tokenAttribute: unknown) => {
    const options = { tokenAttribute: tokenAttribute as string };
    expect(() => fenced(put, 33, options)).toThrow(/tokenAttribute/);
  });
});
