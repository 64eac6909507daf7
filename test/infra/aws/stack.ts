import { nameProperty, physicalNames, place, type PhysicalNames } from './physical.ts';
import type { Resource, Template, Value } from './template-source.ts';

/** Values of parameters, by name. */
export type ParameterValues = Readonly<Record<string, string | number>>;

/** A resource with every intrinsic function worked out. */
export interface StackResource extends Omit<Resource, 'Properties' | 'Condition'> {
  readonly id: string;
  readonly Properties: { readonly [key: string]: Value };
}

/** Marks what `AWS::NoValue` takes away. */
const noValue = Symbol('AWS::NoValue');

const pseudoParameters: Readonly<Record<string, string | typeof noValue>> = {
  'AWS::AccountId': place.accountId,
  'AWS::NoValue': noValue,
  'AWS::Partition': place.partition,
  'AWS::Region': place.region,
};

/**
 * What CloudFormation would make of a template with these parameters: conditions decided, functions
 * worked out, resources of conditions that do not hold left out.
 */
export class Stack {
  readonly template: Template;
  readonly #parameters: ParameterValues;
  readonly #resolved = new Map<string, StackResource>();

  constructor(template: Template, parameters: ParameterValues) {
    this.template = template;
    const defaults = Object.entries(template.Parameters).flatMap(([id, { Default }]) =>
      Default === undefined ? [] : [[id, Default] as const],
    );
    this.#parameters = { ...Object.fromEntries(defaults), ...parameters };
  }

  get resources(): readonly StackResource[] {
    return Object.keys(this.template.Resources)
      .filter((id) => this.#exists(id))
      .map((id) => this.resource(id));
  }

  /** @throws `Error` if there is none under this name, or its condition does not hold. */
  resource(id: string): StackResource {
    const resolved = this.#resolved.get(id) ?? this.#resolve(id);
    this.#resolved.set(id, resolved);
    return resolved;
  }

  ofType(type: string): readonly StackResource[] {
    return this.resources.filter(({ Type }) => Type === type);
  }

  /** What `Ref` and `GetAtt` return for a resource. */
  namesOf(id: string): PhysicalNames {
    const { Type, Properties = {} } = this.#declared(id);
    const property = nameProperty(Type);
    const name = property === undefined ? undefined : Properties[property];
    const given = name === undefined ? `stack-${id}` : this.#work(name);
    return physicalNames(Type, typeof given === 'symbol' ? '' : textOf(given));
  }

  get outputs(): Readonly<Record<string, Value>> {
    const shown = Object.entries(this.template.Outputs).filter(
      ([, { Condition }]) => Condition === undefined || this.#holds(Condition),
    );
    return Object.fromEntries(shown.map(([id, output]) => [id, this.#work(output.Value) as Value]));
  }

  /** What the template's rules have against the parameters. */
  get ruleViolations(): readonly string[] {
    return Object.values(this.template.Rules ?? {}).flatMap(({ RuleCondition, Assertions }) =>
      RuleCondition === undefined || this.#work(RuleCondition) === true
        ? Assertions.filter(({ Assert }) => this.#work(Assert) !== true).map(
            ({ AssertDescription }) => AssertDescription,
          )
        : [],
    );
  }

  #resolve(id: string): StackResource {
    const { Properties = {}, Condition: _condition, ...rest } = this.#declared(id);
    return { id, ...rest, Properties: this.#work(Properties) as StackResource['Properties'] };
  }

  #declared(id: string): Resource {
    const resource = this.template.Resources[id];
    if (resource === undefined || !this.#exists(id)) {
      throw new Error(`this stack has no resource ${id}`);
    }
    return resource;
  }

  #exists(id: string): boolean {
    const condition = this.template.Resources[id]?.Condition;
    return condition === undefined || this.#holds(condition);
  }

  #holds(condition: string): boolean {
    const definition = this.template.Conditions[condition];
    if (definition === undefined) {
      throw new Error(`there is no condition ${condition}`);
    }
    return this.#work(definition) === true;
  }

  #work(value: Value): Value | typeof noValue {
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if (isList(value)) {
      return value.map((item) => this.#work(item)).filter((item) => item !== noValue);
    }
    const [[name, argument] = ['', null], ...others] = Object.entries(value);
    return others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))
      ? this.#call(name, argument)
      : this.#workEach(value);
  }

  #workEach(value: { readonly [key: string]: Value }): Value {
    const entries = Object.entries(value).map(([key, item]) => [key, this.#work(item)] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== noValue)) as Value;
  }

  #call(name: string, argument: Value): Value | typeof noValue {
    const [first = null, second = null, third = null] = isList(argument) ? argument : [argument];
    const functions: Readonly<Record<string, () => Value | typeof noValue>> = {
      Ref: () => this.#ref(textOf(first)),
      'Fn::GetAtt': () => this.#attribute(textOf(first)),
      'Fn::Sub': () => this.#substitute(textOf(first)),
      'Fn::If': () => this.#work(this.#holds(textOf(first)) ? second : third),
      'Fn::Equals': () => this.#work(first) === this.#work(second),
      'Fn::Not': () => this.#work(first) !== true,
    };
    const call = functions[name];
    if (call === undefined) {
      throw new Error(`nothing is known about ${name}`);
    }
    return call();
  }

  #substitute(text: string): string {
    return text.replaceAll(/\$\{([^}]+)\}/gu, (_, inner: string) =>
      String(inner.includes('.') ? this.#attribute(inner) : this.#ref(inner)),
    );
  }

  #ref(id: string): string | number | typeof noValue {
    const value = pseudoParameters[id] ?? this.#parameters[id];
    if (value === undefined && id in this.template.Parameters) {
      throw new Error(`the parameter ${id} needs a value`);
    }
    return value ?? this.namesOf(id).ref;
  }

  #attribute(path: string): string {
    const [id = '', name = ''] = path.split('.');
    const value = this.namesOf(id).attributes[name];
    if (value === undefined) {
      throw new Error(`nothing is known about the attribute ${path}`);
    }
    return value;
  }
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value at a path such as `Target.RetryPolicy`; `undefined` where there is none. */
export function valueAt(value: Value | undefined, path: string): Value | undefined {
  let here = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) {
      return undefined;
    }
    here = (here as { readonly [key: string]: Value })[key];
  }
  return here;
}

/** A value that is text, as it is; anything else as JSON, and nothing as nothing. */
export function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
