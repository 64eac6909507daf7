import type { Parameter } from './template-source.ts';

/**
 * Whether CloudFormation takes a value for a parameter, by the constraints of its declaration. A
 * pattern has to match the whole value.
 */
export function accepts(parameter: Parameter, value: string | number): boolean {
  const { AllowedPattern, AllowedValues } = parameter;
  return (
    (AllowedValues === undefined || AllowedValues.map(String).includes(String(value))) &&
    (AllowedPattern === undefined ||
      new RegExp(`^(?:${AllowedPattern})$`, 'u').test(String(value))) &&
    (parameter.Type === 'Number' ? isInRange(parameter, value) : hasLength(parameter, value))
  );
}

function isInRange(
  { MinValue = -Infinity, MaxValue = Infinity }: Parameter,
  value: string | number,
) {
  const number = Number(value);
  return value !== '' && !Number.isNaN(number) && number >= MinValue && number <= MaxValue;
}

function hasLength({ MinLength = 0, MaxLength = Infinity }: Parameter, value: string | number) {
  const { length } = String(value);
  return length >= MinLength && length <= MaxLength;
}
