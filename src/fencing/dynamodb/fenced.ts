import type { PutCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { describeValue } from '../../core/describe-value.ts';
import { requireToken } from '../../core/requirements.ts';
import { bothConditions, freePlaceholder, withSetAction, writtenRoots } from './expressions.ts';
import { isFields } from './fields.ts';
import { markCondition, resolveTokenAttribute, type FenceOptions } from './mark.ts';

const legacyParameters = ['Expected', 'AttributeUpdates', 'ConditionalOperator'] as const;

/**
 * Adds to a Put or Update that it must fail if the row has seen a higher fencing token, and that the
 * row remembers this one. Checked and written in the same atomic operation.
 *
 * Sends nothing and leaves `input` as it is. Everything in it keeps its meaning: the condition must
 * hold too, and the placeholders added are ones that it does not use. One row is one resource: a
 * stale leader can still create a row that no newer leader has written; where that matters, use
 * {@link fencedTransaction} with one guard row.
 *
 * @param input - Input of a `PutCommand` or `UpdateCommand` of `@aws-sdk/lib-dynamodb`; an Update
 *   needs an `UpdateExpression`.
 * @param fencingToken - `leadership.fencingToken`.
 * @returns a new input of the same type.
 * @throws `TypeError` for a Delete, for a command instead of its input, for legacy parameters
 *   (`Expected`, `AttributeUpdates`, `ConditionalOperator`), for a condition whose parentheses do
 *   not match, and if `input` writes the token attribute itself.
 * @throws `TypeError` or `RangeError` if `fencingToken` is no positive safe integer.
 */
export function fenced<Input extends PutCommandInput | UpdateCommandInput>(
  input: Input,
  fencingToken: number,
  options: FenceOptions = {},
): Input {
  requireToken('fencingToken', fencingToken);
  requireFenceable(input);
  const tokenAttribute = resolveTokenAttribute(options);
  const taken = textOf(input);
  const name = freePlaceholder('#fencingToken', taken);
  const value = freePlaceholder(':fencingToken', taken);
  return {
    ...input,
    ...(isPut(input)
      ? { Item: markedItem(input.Item, tokenAttribute, fencingToken) }
      : { UpdateExpression: markedUpdate(input, tokenAttribute, `${name} = ${value}`) }),
    ConditionExpression: bothConditions(markCondition(name, value), input.ConditionExpression),
    ExpressionAttributeNames: { ...input.ExpressionAttributeNames, [name]: tokenAttribute },
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, [value]: fencingToken },
  };
}

/** Whether this is the input of a Put. */
export function isPut(input: PutCommandInput | UpdateCommandInput): input is PutCommandInput {
  return 'Item' in input && input.Item !== undefined;
}

function requireFenceable(input: unknown): void {
  if (!isFields(input)) {
    throw new TypeError(`expected the input of a Put or an Update, got ${describeValue(input)}`);
  }
  if ('input' in input && 'middlewareStack' in input) {
    requireFenceable(input['input']);
    throw new TypeError('expected the input of a Put or an Update, got a command: pass its input');
  }
  const legacy = legacyParameters.find((name) => input[name] !== undefined);
  if (legacy !== undefined) {
    throw new TypeError(
      `${legacy} cannot be combined with expressions: use ConditionExpression and UpdateExpression`,
    );
  }
  if (input['Item'] === undefined && input['UpdateExpression'] === undefined) {
    throw new TypeError(
      `expected a Put (with Item) or an Update (with UpdateExpression), got an input with ${Object.keys(input).join(', ')}. ` +
        'A Delete would erase the mark: mark the row as deleted with an Update, or use fencedTransaction with a guard row. ' +
        'To raise the mark alone, use raise',
    );
  }
}

/** Everything in `input` that mentions placeholders, used or only declared. */
function textOf(input: PutCommandInput | UpdateCommandInput): string {
  return [
    input.ConditionExpression,
    'UpdateExpression' in input ? input.UpdateExpression : undefined,
    ...Object.keys(input.ExpressionAttributeNames ?? {}),
    ...Object.keys(input.ExpressionAttributeValues ?? {}),
  ].join(' ');
}

function markedItem(
  item: PutCommandInput['Item'],
  tokenAttribute: string,
  fencingToken: number,
): PutCommandInput['Item'] {
  if (item !== undefined && Object.hasOwn(item, tokenAttribute)) {
    throw new TypeError(
      `Item must not have ${tokenAttribute}, which keeps the fencing token: leave it out, or choose another tokenAttribute`,
    );
  }
  return { ...item, [tokenAttribute]: fencingToken };
}

function markedUpdate(input: UpdateCommandInput, tokenAttribute: string, action: string): string {
  const expression = input.UpdateExpression ?? '';
  const names = input.ExpressionAttributeNames ?? {};
  if (writtenRoots(expression).some((root) => (names[root] ?? root) === tokenAttribute)) {
    throw new TypeError(
      `UpdateExpression must not write ${tokenAttribute}, which keeps the fencing token: leave it out, or choose another tokenAttribute`,
    );
  }
  return withSetAction(expression, action);
}
