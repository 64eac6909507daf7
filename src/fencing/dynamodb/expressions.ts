/**
 * DynamoDB expressions as text: just enough of their grammar to add to one without changing what it
 * already says.
 *
 * An expression has no string literals, so a parenthesis is always a parenthesis, and the clause
 * keywords are reserved words, so a bare `set` is always the keyword; `#set`, `:set` and `set_at`
 * are other tokens.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
 */

interface Token {
  readonly text: string;
  /** Offset behind the token. */
  readonly end: number;
  /** How many parentheses are open, the token itself included if it opens one. */
  readonly depth: number;
}

const tokenPattern = /[#:]?[\w\u0080-\uFFFF]+|\S/g;

const clauseKeywords: ReadonlySet<string> = new Set(['set', 'remove', 'add', 'delete']);

function tokensOf(expression: string): readonly Token[] {
  let depth = 0;
  return Array.from(expression.matchAll(tokenPattern), ({ 0: text, index }) => {
    depth += text === '(' ? 1 : text === ')' ? -1 : 0;
    return { text, end: index + text.length, depth };
  });
}

/**
 * Joins a condition of ours and one of the caller's so that both must hold.
 *
 * @param own - without `AND`, `OR` or parentheses around the whole that the caller could break.
 * @throws `TypeError` if the parentheses of `callers` do not match. DynamoDB would refuse such a
 *   condition alone, but behind ours `a) OR (b` would be valid and would open the fence.
 */
export function bothConditions(own: string, callers: string | undefined): string {
  if (callers === undefined) {
    return own;
  }
  const tokens = tokensOf(callers);
  if (tokens.some(({ depth }) => depth < 0) || (tokens.at(-1)?.depth ?? 0) !== 0) {
    throw new TypeError(
      `ConditionExpression must have matching parentheses, got ${JSON.stringify(callers)}`,
    );
  }
  const inParentheses =
    tokens[0]?.text === '(' && tokens.slice(0, -1).every(({ depth }) => depth > 0);
  // DynamoDB refuses doubled parentheses, so what has them already gets no second pair.
  return `(${own}) AND ${inParentheses ? callers : `(${callers})`}`;
}

/**
 * Adds one `SET` action to an update expression.
 *
 * @throws `TypeError` if the expression is blank, as DynamoDB itself refuses it.
 */
export function withSetAction(expression: string, action: string): string {
  const tokens = tokensOf(expression);
  if (tokens.length === 0) {
    throw new TypeError('UpdateExpression must not be blank: name at least one SET or REMOVE');
  }
  const set = tokens.find(({ text }) => text.toLowerCase() === 'set');
  // Each clause may occur only once, and one that was added before the others could mend a
  // malformed beginning.
  return set === undefined
    ? `${expression} SET ${action}`
    : `${expression.slice(0, set.end)} ${action},${expression.slice(set.end)}`;
}

/** The first parts of the paths that an update expression writes: names, or `#` placeholders. */
export function writtenRoots(expression: string): readonly string[] {
  const tokens = tokensOf(expression);
  return tokens
    .filter((_, index) => {
      const before = tokens[index - 1];
      return (
        before !== undefined &&
        (clauseKeywords.has(before.text.toLowerCase()) ||
          (before.text === ',' && before.depth === 0))
      );
    })
    .map(({ text }) => text);
}

/** `base`, or `base` with a number behind it: the first of them that `taken` does not contain. */
export function freePlaceholder(base: string, taken: string): string {
  let placeholder = base;
  for (let number = 1; taken.includes(placeholder); number += 1) {
    placeholder = `${base}${number}`;
  }
  return placeholder;
}
