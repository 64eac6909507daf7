import { readFileSync } from 'node:fs';
import { parse, Pair, Scalar, YAMLMap, YAMLSeq, type CollectionTag, type ScalarTag } from 'yaml';

/** A value of a template: what JSON has, with intrinsic functions as objects of one key. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [key: string]: Value };

/** A parameter as it is declared. */
export interface Parameter {
  readonly Type: string;
  readonly Description?: string;
  readonly Default?: string | number;
  readonly AllowedPattern?: string;
  readonly AllowedValues?: readonly (string | number)[];
  readonly MinValue?: number;
  readonly MaxValue?: number;
  readonly MinLength?: number;
  readonly MaxLength?: number;
  readonly ConstraintDescription?: string;
}

/** A resource as it is declared. */
export interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties?: { readonly [key: string]: Value };
}

/** A rule over parameters. */
interface Rule {
  readonly RuleCondition?: Value;
  readonly Assertions: readonly { readonly Assert: Value; readonly AssertDescription: string }[];
}

/** The sections of a template that are looked at here. */
export interface Template {
  readonly Parameters: { readonly [id: string]: Parameter };
  readonly Rules?: { readonly [id: string]: Rule };
  readonly Conditions: { readonly [id: string]: Value };
  readonly Resources: { readonly [id: string]: Resource };
  readonly Outputs: {
    readonly [id: string]: { readonly Condition?: string; readonly Value: Value };
  };
}

/** The text of `infra/aws/template.yaml`. */
export const templateText: string = readFileSync(
  new URL('../../../infra/aws/template.yaml', import.meta.url),
  'utf8',
);

const ref: ScalarTag = { tag: '!Ref', resolve: (text: string) => ({ Ref: text }) };

const scalarFunctions: readonly ScalarTag[] = ['Sub', 'GetAtt'].map((name) => ({
  tag: `!${name}`,
  resolve: (text: string) => ({ [`Fn::${name}`]: text }),
}));

const sequenceFunctions: readonly CollectionTag[] = ['If', 'Equals', 'Not'].map((name) => ({
  tag: `!${name}`,
  collection: 'seq',
  resolve: (items: YAMLSeq.Parsed | YAMLMap.Parsed) => {
    const call = new YAMLMap();
    const args = new YAMLSeq();
    args.items = items.items;
    call.items.push(new Pair(new Scalar(`Fn::${name}`), args));
    return call;
  },
}));

/**
 * Reads a template, with the short forms of intrinsic functions written out.
 *
 * @throws `YAMLParseError` for what is no YAML.
 */
export function parseTemplate(text: string): Template {
  const customTags = [ref, ...scalarFunctions, ...sequenceFunctions];
  // CloudFormation reads YAML 1.1, where a bare OFF is a boolean.
  return parse(text, { customTags, version: '1.1' }) as Template;
}
