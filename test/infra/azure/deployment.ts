import { functions, providerPath, resourceGroup } from './arm-functions.ts';
import { isExpression, parseExpression, type Expression } from './arm-expression.ts';
import { isObject, text, type Json, type JsonObject } from './json.ts';
import { parameterProblems } from './parameters.ts';
import type { Resource, Template } from './template.ts';

/** A template with its expressions resolved, as a deployment would send it. */
export interface Deployment {
  /** Only resources whose condition holds, each with the id it would have. */
  readonly resources: readonly DeployedResource[];
  readonly outputs: JsonObject;
  /** What cannot be resolved, each with its place. */
  readonly problems: readonly string[];
}

/** A resource of a {@link Deployment}. */
export interface DeployedResource {
  readonly id: string;
  readonly resource: Resource;
  /** Ids of resources whose state its expressions read. */
  readonly reads: ReadonlySet<string>;
}

/** Properties that Azure makes up, by type, and what stands for them here. */
const runtimeState: Readonly<Record<string, (name: string) => JsonObject>> = {
  'Microsoft.Insights/components': (name) => ({ ConnectionString: `InstrumentationKey=${name}` }),
  'Microsoft.Storage/storageAccounts': (name) => ({
    primaryEndpoints: { blob: `https://${name}.blob.core.windows.net/` },
  }),
  'Microsoft.Web/sites': (name) => ({ defaultHostName: `${name}.azurewebsites.net` }),
};

/** What stands for the principal of the function app's identity. */
export const functionPrincipalId = '00000000-0000-0000-0000-000000000002';

/**
 * Resolves a template without Azure: parameters are checked, variables, conditions and expressions
 * evaluated, and `reference` answered for resources of the template alone.
 */
export function deploy(template: Template, given: JsonObject): Deployment {
  return new Resolver(template, given).deploy();
}

class Resolver {
  readonly #template: Template;
  readonly #given: JsonObject;
  readonly #problems: string[] = [];
  readonly #resolving = new Set<string>();
  readonly #values = new Map<string, Json>();
  readonly #names = new Map<string, Resource>();
  #reads = new Set<string>();

  constructor(template: Template, given: JsonObject) {
    this.#template = template;
    this.#given = given;
  }

  deploy(): Deployment {
    this.#problems.push(...parameterProblems(this.#template.parameters, this.#given));
    const wanted = this.#template.resources.filter((resource, index) =>
      this.#attempt(`resources.${index}.condition`, () => this.#isWanted(resource)),
    );
    for (const resource of wanted) {
      this.#attempt(`name ${resource.name}`, () => this.#names.set(this.#idOf(resource), resource));
    }
    const resources = wanted.flatMap((resource) => this.#resource(resource));
    this.#reads = new Set();
    const outputs = Object.entries(this.#template.outputs).map(([name, { value }]) => [
      name,
      this.#attempt(`outputs.${name}`, () => this.#resolve(value)) ?? null,
    ]);
    return { resources, outputs: Object.fromEntries(outputs), problems: this.#problems };
  }

  #resource(resource: Resource): readonly DeployedResource[] {
    this.#reads = new Set();
    const resolved = this.#attempt(`${resource.type} ${resource.name}`, () => ({
      id: this.#idOf(resource),
      resource: this.#resolve(resource) as Resource,
    }));
    return resolved === undefined ? [] : [{ ...resolved, reads: this.#reads }];
  }

  #isWanted(resource: Resource): boolean {
    const condition = this.#resolve(resource['condition'] ?? true);
    if (typeof condition !== 'boolean') {
      throw new TypeError(`a condition is true or false, not ${text(condition)}`);
    }
    return condition;
  }

  #idOf(resource: Resource): string {
    const names = text(this.#resolve(resource.name)).split('/');
    const path = providerPath(resource.type, names);
    const scope = resource['scope'];
    return `${text(scope === undefined ? resourceGroup['id'] : this.#resolve(scope))}${path}`;
  }

  #resolve(value: Json): Json {
    if (typeof value === 'string') {
      return isExpression(value) ? this.#evaluate(parseExpression(value)) : value;
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.#resolve(item as Json));
    }
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, this.#resolve(member)]),
      );
    }
    return value;
  }

  #evaluate(expression: Expression): Json {
    if (expression.kind === 'literal') {
      return expression.value;
    }
    return expression.kind === 'member'
      ? memberOf(this.#evaluate(expression.of), expression.name)
      : this.#call(expression.name, expression.args);
  }

  #call(name: string, args: readonly Expression[]): Json {
    if (name === 'if') {
      const [condition, then, otherwise] = args;
      if (condition === undefined || then === undefined || otherwise === undefined) {
        throw new Error('if takes three arguments');
      }
      return this.#evaluate(this.#evaluate(condition) === true ? then : otherwise);
    }
    const values = args.map((arg) => this.#evaluate(arg));
    const [first, , full] = values;
    switch (name) {
      case 'parameters':
        return this.#parameter(text(first));
      case 'variables':
        return this.#variable(text(first));
      case 'reference':
        return this.#reference(text(first), full === 'Full');
      default: {
        const named = functions[name];
        if (named === undefined) {
          throw new Error(`unknown function ${name}`);
        }
        return named(...values);
      }
    }
  }

  #parameter(name: string): Json {
    const definition = this.#template.parameters[name];
    const value = this.#given[name] ?? definition?.defaultValue;
    if (definition === undefined || value === undefined) {
      throw new Error(`parameter ${name} is not ${definition === undefined ? 'defined' : 'given'}`);
    }
    return this.#once(`parameter ${name}`, () => this.#resolve(value));
  }

  #variable(name: string): Json {
    const value = this.#template.variables[name];
    if (value === undefined) {
      throw new Error(`variable ${name} is not defined`);
    }
    return this.#once(`variable ${name}`, () => this.#resolve(value));
  }

  #reference(id: string, full: boolean): Json {
    const target = this.#names.get(id);
    if (target === undefined) {
      throw new Error(`reference to ${id}, which is not deployed`);
    }
    this.#reads.add(id);
    if (full && isObject(target['identity'])) {
      return { identity: { principalId: functionPrincipalId } };
    }
    const state = runtimeState[target.type];
    if (state === undefined) {
      throw new Error(`nothing is known about the state of ${target.type}`);
    }
    return state(id.slice(id.lastIndexOf('/') + 1));
  }

  #once(what: string, resolve: () => Json): Json {
    const known = this.#values.get(what);
    if (known !== undefined) {
      return known;
    }
    if (this.#resolving.has(what)) {
      throw new Error(`${what} refers to itself`);
    }
    this.#resolving.add(what);
    try {
      const value = resolve();
      this.#values.set(what, value);
      return value;
    } finally {
      this.#resolving.delete(what);
    }
  }

  #attempt<T>(place: string, action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      this.#problems.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

function memberOf(holder: Json, name: string): Json {
  const member = isObject(holder) ? holder[name] : undefined;
  if (member === undefined) {
    throw new Error(`there is no .${name} in ${text(holder)}`);
  }
  return member;
}
