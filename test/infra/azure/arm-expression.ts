/** A template expression, parsed. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string };

const token =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<number>\d+)|(?<name>[A-Za-z_]\w*)|(?<sign>[(),.]))/y;

interface Token {
  readonly kind: 'text' | 'number' | 'name' | 'sign';
  readonly value: string;
}

/** Whether a string of a template is an expression: `[...]`, but not the escaped `[[`. */
export function isExpression(value: string): boolean {
  return value.startsWith('[') && !value.startsWith('[[') && value.endsWith(']');
}

/**
 * Parses a template expression, brackets included.
 *
 * Only what templates here need: calls, member access, strings and whole numbers.
 *
 * @throws `SyntaxError` if it is anything else.
 * @see https://learn.microsoft.com/azure/azure-resource-manager/templates/template-expressions
 */
export function parseExpression(source: string): Expression {
  const tokens = tokensOf(source.slice(1, -1));
  const parsed = parseValue(tokens);
  const [extra] = tokens;
  if (extra !== undefined) {
    throw new SyntaxError(`unexpected ${extra.value} in ${source}`);
  }
  return parsed;
}

/** All calls in an expression, the innermost last. */
export function* callsIn(
  expression: Expression,
): Generator<Extract<Expression, { readonly kind: 'call' }>> {
  if (expression.kind === 'member') {
    yield* callsIn(expression.of);
  } else if (expression.kind === 'call') {
    yield expression;
    for (const arg of expression.args) {
      yield* callsIn(arg);
    }
  }
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < source.trimEnd().length) {
    const start = token.lastIndex;
    const groups = token.exec(source)?.groups;
    const found = Object.entries(groups ?? {}).find((entry) => typeof entry[1] === 'string');
    if (found === undefined) {
      throw new SyntaxError(`cannot read an expression from ${source.slice(start)}`);
    }
    tokens.push({ kind: found[0] as Token['kind'], value: found[1] });
  }
  return tokens;
}

function parseValue(tokens: Token[]): Expression {
  let value = parsePrimary(tokens);
  while (tokens[0]?.value === '.' && tokens[0].kind === 'sign') {
    tokens.shift();
    value = { kind: 'member', of: value, name: expectToken(tokens, 'name').value };
  }
  return value;
}

function parsePrimary(tokens: Token[]): Expression {
  const first = tokens.shift();
  switch (first?.kind) {
    case 'text':
      return { kind: 'literal', value: first.value.slice(1, -1).replaceAll("''", "'") };
    case 'number':
      return { kind: 'literal', value: Number(first.value) };
    case 'name':
      return { kind: 'call', name: first.value, args: parseArguments(tokens) };
    default:
      throw new SyntaxError(`unexpected ${first?.value ?? 'end'} of an expression`);
  }
}

function parseArguments(tokens: Token[]): readonly Expression[] {
  expectToken(tokens, 'sign', '(');
  const args: Expression[] = [];
  while (tokens[0]?.value !== ')' || tokens[0].kind !== 'sign') {
    if (args.length > 0) {
      expectToken(tokens, 'sign', ',');
    }
    args.push(parseValue(tokens));
  }
  tokens.shift();
  return args;
}

function expectToken(tokens: Token[], kind: Token['kind'], value?: string): Token {
  const found = tokens.shift();
  if (found?.kind !== kind || (value !== undefined && found.value !== value)) {
    throw new SyntaxError(`expected ${value ?? kind}, found ${found?.value ?? 'the end'}`);
  }
  return found;
}
