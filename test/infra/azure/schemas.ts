import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import AjvDraft04, { type ErrorObject } from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import type { Deployment } from './deployment.ts';
import { at, isObject, text, type Json, type JsonObject } from './json.ts';
import type { Resource, Template } from './template.ts';

/**
 * Where the schemas of Azure's resource types are: files of the public repository
 * Azure/azure-resource-manager-schemas, which this one does not carry.
 */
const schemaFolder =
  process.env['ARM_SCHEMAS'] ??
  fileURLToPath(new URL('../../../../shared/arm-schemas', import.meta.url));

/** Whether they are there. */
export const hasSchemas = existsSync(join(schemaFolder, 'definitions.json'));

const files: readonly string[] = [
  'Microsoft.Authorization.2022-04-01.json',
  'Microsoft.Insights.2023-12-01.json',
  'Microsoft.Insights.Application.2020-02-02.json',
  'Microsoft.OperationalInsights.2023-09-01.json',
  'Microsoft.Storage.2023-05-01.json',
  'Microsoft.Web.2024-11-01.json',
];

/** What every resource may have, whatever its type; not part of the schemas of types. */
const common: readonly string[] = ['comments', 'condition', 'dependsOn'];

/** Checks resolved resources against the published schemas, in which nothing unknown is allowed. */
export class ResourceSchemas {
  readonly #ajv = new AjvDraft04.default({
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
  });
  readonly #references = new Map<string, string>();

  /** @throws `Error` if the folder of schemas is not there: see {@link hasSchemas}. */
  constructor() {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(
      read('definitions.json'),
      'https://schema.management.azure.com/schemas/common/definitions.json',
    );
    for (const file of files) {
      const schema = tightened(read(file)) as JsonObject;
      this.#ajv.addSchema(schema);
      const id = text(schema['id']).replace(/#$/u, '');
      const types = read(file)['resourceDefinitions'] as JsonObject;
      for (const [name, definition] of Object.entries(types)) {
        const [type] = at(definition, 'properties.type.enum') as readonly string[];
        const [version] = at(definition, 'properties.apiVersion.enum') as readonly string[];
        this.#references.set(`${type}@${version}`, `${id}#/resourceDefinitions/${name}`);
      }
    }
  }

  /** What the schema of templates has against parameters, outputs and what else is around. */
  templateProblems(template: Template): readonly string[] {
    const validate = this.#ajv.getSchema('template') ?? this.#ajv.compile(templateSchema());
    return validate(template) ? [] : (validate.errors ?? []).map((error) => messageOf(error));
  }

  /** What the schemas have against the resources of a deployment. */
  problemsOf({ resources }: Deployment): readonly string[] {
    return resources.flatMap(({ resource }) => {
      const $ref = this.#references.get(`${resource.type}@${resource.apiVersion}`);
      if ($ref === undefined) {
        return [`no schema for ${resource.type}@${resource.apiVersion}`];
      }
      const validate = this.#ajv.getSchema($ref) ?? this.#ajv.compile({ $ref });
      return validate(bare(resource))
        ? []
        : (validate.errors ?? []).map((error) => `${resource.name}${messageOf(error)}`);
    });
  }
}

/** The schema of templates without its resources, which name schemas of every type there is. */
function templateSchema(): JsonObject {
  const schema = read('deploymentTemplate.2019-04-01.json');
  const { parameter, output, ...others } = schema['definitions'] as JsonObject;
  const kept = Object.entries(others).filter(([name]) => !name.startsWith('resource'));
  return {
    ...schema,
    id: 'template',
    properties: { ...(schema['properties'] as JsonObject), resources: { type: 'array' } },
    definitions: {
      ...Object.fromEntries(kept),
      parameter: tightened(parameter ?? {}),
      output: tightened(output ?? {}),
    },
  };
}

function bare(resource: Resource): JsonObject {
  const isExtension = resource.type === 'Microsoft.Authorization/roleAssignments';
  return Object.fromEntries(
    Object.entries(resource).filter(
      ([name]) => !common.includes(name) && !(isExtension && name === 'scope'),
    ),
  );
}

/** Members that hold schemas by name, of which only the files' own kinds occur. */
const named = /^(?:properties|definitions|(?:\w+_)?resourceDefinitions)$/u;
const listed: readonly string[] = ['allOf', 'anyOf', 'oneOf'];
const single: readonly string[] = ['additionalProperties', 'items'];

/**
 * Closes each object schema that lists its properties: published, they let everything else pass, so
 * that a misspelt name would be ignored.
 */
function tightened(schema: Json): Json {
  if (!isObject(schema)) {
    return schema;
  }
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, tightenedMember(name, member)]),
  );
  const { properties, oneOf, required = [], additionalProperties } = members;
  if (!isObject(properties)) {
    return members;
  }
  if (Array.isArray(oneOf)) {
    // Closed on its own, each half would forbid what the other one asks for.
    return { oneOf: oneOf.map((branch) => joined(branch as Json, properties, required)) };
  }
  return { ...members, additionalProperties: additionalProperties ?? false };
}

function tightenedMember(name: string, member: Json): Json {
  if (named.test(name) && isObject(member)) {
    return Object.fromEntries(
      Object.entries(member)
        // Children within their parent: none here, and most of the time that compiling takes.
        .filter(([key]) => key !== 'resources' && !key.endsWith('_childResource'))
        .map(([key, schema]) => [key, tightened(schema)]),
    );
  }
  if (listed.includes(name) && Array.isArray(member)) {
    return member.map((schema) => tightened(schema as Json));
  }
  return single.includes(name) ? tightened(member) : member;
}

function joined(branch: Json, properties: JsonObject, required: Json): Json {
  const own = isObject(branch) ? branch : {};
  return {
    ...own,
    properties: { ...properties, ...(own['properties'] as JsonObject | undefined) },
    required: [...(required as readonly Json[]), ...((own['required'] ?? []) as readonly Json[])],
    additionalProperties: false,
  };
}

function read(file: string): JsonObject {
  return JSON.parse(readFileSync(join(schemaFolder, file), 'utf8')) as JsonObject;
}

function messageOf({ instancePath, message, params, data }: ErrorObject): string {
  const value = typeof data === 'object' ? '' : ` ${text(data as Json)}`;
  return `${instancePath} ${message ?? 'is wrong'} ${JSON.stringify(params)}${value}`;
}
