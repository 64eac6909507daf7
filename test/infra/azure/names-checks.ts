import { callsIn, isExpression, parseExpression } from './arm-expression.ts';
import { functions } from './arm-functions.ts';
import { strings, without, type Json } from './json.ts';
import type { Template } from './template.ts';

const resolved: readonly string[] = ['if', 'parameters', 'reference', 'variables'];

/** Names of parameters, variables and functions that do not exist or that nothing uses. */
export function nameProblems(template: Template): readonly string[] {
  const { calls, problems } = callsOf(template);
  return [
    ...problems,
    ...calls
      .filter(({ name }) => !resolved.includes(name) && functions[name] === undefined)
      .map(({ name, path }) => `${path}: unknown function ${name}`),
    ...(['parameters', 'variables'] as const).flatMap((kind) => {
      const used = new Set(
        calls.filter(({ name }) => name === kind).map(({ argument }) => argument),
      );
      const defined = Object.keys(template[kind]);
      return [
        ...without(used, defined).map((name) => `${kind}: ${name} is not defined`),
        ...without(defined, used).map((name) => `${kind}: ${name} is not used`),
      ];
    }),
  ];
}

interface Call {
  readonly path: string;
  readonly name: string;
  /** The first argument, where it is a string. */
  readonly argument: string;
}

/** All calls in the expressions of a template, and what cannot be read. */
function callsOf(template: Template): {
  readonly calls: readonly Call[];
  readonly problems: readonly string[];
} {
  const calls: Call[] = [];
  const problems: string[] = [];
  for (const { path, value } of strings(template as unknown as Json)) {
    try {
      const found = isExpression(value) ? callsIn(parseExpression(value)) : [];
      for (const { name, args } of found) {
        const [first] = args;
        calls.push({ path, name, argument: first?.kind === 'literal' ? String(first.value) : '' });
      }
    } catch (error) {
      problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { calls, problems };
}

/** Parameters that do not say what they are for. */
export function descriptionProblems(template: Template): readonly string[] {
  return Object.entries(template.parameters)
    .filter(([, { metadata }]) => (metadata?.description ?? '').length < 20)
    .map(([name]) => `parameter ${name} has no description`);
}
