import { isExpression } from './arm-expression.ts';
import { text, type Json, type JsonObject } from './json.ts';
import type { ParameterDefinition } from './template.ts';

type Definitions = Readonly<Record<string, ParameterDefinition>>;

/** What a deployment would refuse about its parameters, the defaults included. */
export function parameterProblems(definitions: Definitions, given: JsonObject): readonly string[] {
  return [
    ...Object.keys(given)
      .filter((name) => definitions[name] === undefined)
      .map((name) => `parameter ${name} is given, but not defined`),
    ...Object.entries(definitions).flatMap(([name, definition]) => {
      const value = given[name] ?? definition.defaultValue;
      if (value === undefined) {
        return [`parameter ${name} is required`];
      }
      return valueProblems(definition, value).map(
        (problem) => `parameter ${name}: ${text(value)} ${problem}`,
      );
    }),
  ];
}

function valueProblems(definition: ParameterDefinition, value: Json): readonly string[] {
  const { type, allowedValues } = definition;
  if (typeof value === 'string' && isExpression(value)) {
    return [];
  }
  const problems: string[] = [];
  if (!(type === 'int' ? Number.isInteger(value) : typeof value === type)) {
    problems.push(`is no ${type}`);
  }
  if (allowedValues !== undefined && !allowedValues.includes(value)) {
    problems.push(`is none of ${allowedValues.map((allowed) => text(allowed)).join(', ')}`);
  }
  return [...problems, ...boundProblems(definition, value)];
}

function boundProblems(definition: ParameterDefinition, value: Json): readonly string[] {
  const { minLength = 0, maxLength = Infinity } = definition;
  const { minValue = -Infinity, maxValue = Infinity } = definition;
  if (typeof value === 'string') {
    return within(value.length, minLength, maxLength)
      ? []
      : [`is not ${minLength} to ${maxLength} characters long`];
  }
  return typeof value !== 'number' || within(value, minValue, maxValue)
    ? []
    : [`is not within ${minValue} and ${maxValue}`];
}

function within(value: number, least: number, most: number): boolean {
  return least <= value && value <= most;
}
