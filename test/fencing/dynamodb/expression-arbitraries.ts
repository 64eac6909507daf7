import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';

/** What the caller of a fenced write may bring. */
export type Expressions = Pick<
  UpdateCommandInput,
  | 'UpdateExpression'
  | 'ConditionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
>;

/** Actions over the attributes of {@link startRow} that may stand in one expression together. */
const actions = {
  SET: [
    'a = :n',
    '#set = :set',
    '#map.#delete = if_not_exists( #map.#delete , :zero ) + :n',
    'b = list_append( b, :list )',
    '#map.items_of[0] = :set',
    'settled = a - :n',
  ],
  REMOVE: ['obsolete', '#map.gone', 'pair[1]', 'set_aside'],
  ADD: ['tally :n', 'tags :set_of_s'],
  DELETE: ['#remove :set_of_s', 'added :set_of_s'],
} as const;

/** Conditions over the same attributes, true ones and false ones. */
const conditions = [
  'a = :n',
  'a = :zero',
  'a = :n OR attribute_exists(nowhere)',
  'attribute_exists(nowhere) or a = :zero',
  '(a = :n) OR (#set = :set)',
  '(a = :zero OR attribute_not_exists(nowhere))',
  '((a = :n) AND (attribute_exists(b))) OR a > :n',
  'NOT a = :zero OR NOT contains(#set, :set)',
  'a BETWEEN :zero AND :n',
  'a IN (:zero, :n)',
  'size(b) > :n OR begins_with(#set, :set)',
];

const names = { '#set': 'set', '#map': 'map', '#delete': 'delete', '#remove': 'remove' };

const values = {
  ':n': 7,
  ':zero': 0,
  ':set': 'REMOVE a',
  ':list': ['SET'],
  ':set_of_s': new Set(['x', 'y']),
};

/** Attributes, as stored, on which every action can be carried out. */
export const startRow = {
  a: { N: '7' },
  set: { S: 'REMOVE a, b' },
  map: { M: { items_of: { L: [{ S: 'first' }] }, gone: { S: 'soon' } } },
  b: { L: [{ S: 'one' }] },
  obsolete: { S: 'thing' },
  pair: { L: [{ N: '1' }, { N: '2' }] },
  remove: { SS: ['x', 'z'] },
};

/** Placeholders of the caller's that look like the library's own. */
const renamings = [
  {},
  { '#set': '#fencingToken', ':n': ':fencingToken' },
  { '#map': '#fencingToken', '#set': '#fencingToken1', ':set': ':fencingToken1' },
];

type Clause = keyof typeof actions;

const clause = (keyword: Clause): fc.Arbitrary<string | undefined> =>
  fc
    .record({
      spelling: fc.mixedCase(fc.constant(keyword)),
      space: fc.constantFrom(' ', '\n', ' \t '),
      comma: fc.constantFrom(',', ', ', ' , '),
      chosen: fc.shuffledSubarray([...actions[keyword]]),
    })
    .map(({ spelling, space, comma, chosen }) =>
      chosen.length === 0 ? undefined : `${spelling}${space}${chosen.join(comma)}`,
    );

/** Clauses in any order and spelling; at least one. */
const updateExpression = fc
  .tuple(clause('SET'), clause('REMOVE'), clause('ADD'), clause('DELETE'))
  .chain((clauses) => {
    const present = clauses.filter((one) => one !== undefined);
    return fc.shuffledSubarray(present, { minLength: present.length });
  })
  .filter((clauses) => clauses.length > 0)
  .map((clauses) => clauses.join(' '));

const condition = fc.option(fc.constantFrom(...conditions), { nil: undefined });

/** What the caller of an Update brings: only the placeholders that it uses are declared. */
export const updateExpressions: fc.Arbitrary<Expressions> = fc
  .record({
    update: updateExpression,
    condition,
    renaming: fc.constantFrom(...renamings),
  })
  .map(({ update, condition: own, renaming }) => expressionsOf({ update, own, renaming }));

/** What the caller of a Put brings. */
export const putExpressions: fc.Arbitrary<Expressions> = fc
  .record({ condition, renaming: fc.constantFrom(...renamings) })
  .map(({ condition: own, renaming }) => expressionsOf({ own, renaming }));

/** Puts an expression and what it uses together, with some placeholders renamed. */
export function expressionsOf({
  update,
  own,
  renaming = {},
}: {
  readonly update?: string | undefined;
  readonly own?: string | undefined;
  readonly renaming?: Readonly<Record<string, string>>;
}): Expressions {
  const used = new Set(`${update} ${own}`.match(/[#:]\w+/g));
  const rename = (text: string): string =>
    text.replaceAll(/[#:]\w+/g, (placeholder) => renaming[placeholder] ?? placeholder);
  const pick = <V>(declared: Readonly<Record<string, V>>): Record<string, V> | undefined => {
    const entries = Object.entries(declared).filter(([placeholder]) => used.has(placeholder));
    return entries.length === 0
      ? undefined
      : Object.fromEntries(entries.map(([placeholder, value]) => [rename(placeholder), value]));
  };
  const declaredNames = pick(names);
  const declaredValues = pick<unknown>(values);
  return {
    ...(update === undefined ? {} : { UpdateExpression: rename(update) }),
    ...(own === undefined ? {} : { ConditionExpression: rename(own) }),
    ...(declaredNames ? { ExpressionAttributeNames: declaredNames } : {}),
    ...(declaredValues ? { ExpressionAttributeValues: declaredValues } : {}),
  };
}
