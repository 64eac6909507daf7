import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { fencedTransaction, type GuardRow } from '../../../src/fencing/dynamodb/guard-row.ts';

type Items = NonNullable<TransactWriteCommandInput['TransactItems']>;

const guard: GuardRow = { tableName: 'charges', key: { key: 'guard' } };

const own = (count: number): Items =>
  Array.from({ length: count }, (_, number) => ({
    Put: { TableName: 'charges', Item: { key: `customer-${number}` } },
  }));

describe('fencedTransaction', () => {
  it('adds the guard row behind the items of the caller', () => {
    const input: TransactWriteCommandInput = { TransactItems: own(2), ClientRequestToken: 'once' };
    const before = structuredClone(input);
    expect(fencedTransaction(input, guard, 33)).toEqual({
      ClientRequestToken: 'once',
      TransactItems: [
        ...own(2),
        {
          Update: {
            TableName: 'charges',
            Key: { key: 'guard' },
            UpdateExpression: 'SET #fencingToken = :fencingToken',
            ConditionExpression:
              'attribute_not_exists(#fencingToken) OR #fencingToken <= :fencingToken',
            ExpressionAttributeNames: { '#fencingToken': 'fencingToken' },
            ExpressionAttributeValues: { ':fencingToken': 33 },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
      ],
    });
    expect(input).toEqual(before);
  });

  it('keeps the mark in the attribute that the guard names', () => {
    const named = { ...guard, tokenAttribute: 'seen' };
    expect(
      fencedTransaction({ TransactItems: own(1) }, named, 33).TransactItems?.[1],
    ).toMatchObject({
      Update: { ExpressionAttributeNames: { '#fencingToken': 'seen' } },
    });
  });

  it('has room for 99 items of the caller and not for 100', () => {
    expect(fencedTransaction({ TransactItems: own(99) }, guard, 33).TransactItems).toHaveLength(
      100,
    );
    expect(() => fencedTransaction({ TransactItems: own(100) }, guard, 33)).toThrow(
      /^a transaction holds 100 items .* got 100/,
    );
    expect(() => fencedTransaction({ TransactItems: own(100) }, guard, 33)).toThrow(RangeError);
  });

  it.each([undefined, []])('refuses %j as a list of items', (items) => {
    expect(() => fencedTransaction({ TransactItems: items }, guard, 33)).toThrow(TypeError);
  });

  it.each([
    { Put: { TableName: 'charges', Item: { key: 'guard', amount: 5 } } },
    { Delete: { TableName: 'charges', Key: { key: 'guard' } } },
    { Update: { TableName: 'charges', Key: { key: 'guard' }, UpdateExpression: 'REMOVE amount' } },
    {
      ConditionCheck: {
        TableName: 'charges',
        Key: { key: 'guard' },
        ConditionExpression: 'attribute_exists(amount)',
      },
    },
  ])('refuses %j, which is about the guard row itself', (item) => {
    expect(() => fencedTransaction({ TransactItems: [...own(1), item] }, guard, 33)).toThrow(
      /^TransactItems\[1\] is the guard row/,
    );
  });

  it('accepts the key of the guard row in another table, and half of its key', () => {
    const elsewhere = { Delete: { TableName: 'archive', Key: { key: 'guard' } } };
    expect(fencedTransaction({ TransactItems: [elsewhere] }, guard, 33).TransactItems).toHaveLength(
      2,
    );
    const sorted = { tableName: 'charges', key: { key: 'guard', sort: 1 } };
    const beside = { Delete: { TableName: 'charges', Key: { key: 'guard', sort: 2 } } };
    expect(fencedTransaction({ TransactItems: [beside] }, sorted, 33).TransactItems).toHaveLength(
      2,
    );
  });

  it('refuses what is no fencing token', () => {
    const input = { TransactItems: own(1) };
    expect(() => fencedTransaction(input, guard, 0)).toThrow(RangeError);
    expect(() => fencedTransaction(input, guard, '33' as unknown as number)).toThrow(TypeError);
  });

  it('returns the type that it was given', () => {
    expectTypeOf(fencedTransaction).returns.toEqualTypeOf<TransactWriteCommandInput>();
  });
});
