import { functions } from './arm-functions.ts';
import { deploy, type DeployedResource, type Deployment } from './deployment.ts';
import { at, text, type Json } from './json.ts';
import { knownTypes } from './known-resources.ts';
import { exampleParameters, type Template } from './template.ts';

/** Types, versions and what each type must have. */
export function typeProblems({ resources }: Deployment): readonly string[] {
  return resources.flatMap(({ resource }) => {
    const known = knownTypes[resource.type];
    if (known === undefined) {
      return [`${resource.type}: unknown type`];
    }
    return [
      ...(known.apiVersion === resource.apiVersion
        ? []
        : [`${resource.type}: unknown apiVersion ${resource.apiVersion}`]),
      ...known.required
        .filter((path) => [undefined, null, ''].includes(at(resource, path) as string | undefined))
        .map((path) => `${resource.type} ${resource.name}: ${path} is missing`),
    ];
  });
}

/**
 * Order of the deployment: what `dependsOn` names is in the template, and what an expression reads
 * is among it, directly or behind it, as is the parent of each child.
 */
export function dependencyProblems({ resources }: Deployment): readonly string[] {
  const everyId = new Set(resources.map(({ id }) => id));
  const before = new Map(resources.map((deployed) => [deployed.id, dependenciesOf(deployed)]));
  return [
    ...duplicates(resources.map(({ id }) => id)).map((id) => `${id} is there twice`),
    ...resources.flatMap((deployed) => {
      const missing = [...dependenciesOf(deployed)].filter((id) => !everyId.has(id));
      const unordered = [...deployed.reads, ...parentOf(deployed)].filter(
        (id) => everyId.has(id) && !behind(deployed.id, before).has(id),
      );
      return [
        ...missing.map((id) => `${deployed.id} depends on ${id}, which is not in the template`),
        ...unordered.map((id) => `${deployed.id} reads ${id} without depending on it`),
      ];
    }),
  ];
}

/** Names that Azure would refuse, and names that two environments would share. */
export function namingProblems(template: Template, given: Deployment): readonly string[] {
  const problems = given.resources.flatMap(({ resource: { type, name } }) => {
    const rule = nameRules[type];
    return rule === undefined || rule.test(name) ? [] : [`${type}: ${name} is not ${rule.source}`];
  });
  const other = deploy(template, { ...exampleParameters, environmentName: 'other' });
  const otherIds = new Set(other.resources.map(({ id }) => id));
  return [
    ...problems,
    ...given.resources
      .filter(({ id }) => otherIds.has(id))
      .map(({ id }) => `two environments share ${id}`),
  ];
}

const nameRules: Readonly<Record<string, RegExp>> = {
  'Microsoft.Storage/storageAccounts': /^[a-z0-9]{3,24}$/u,
  // Beyond 32 characters, the host's id is cut off, and two apps may take each other for one.
  'Microsoft.Web/sites': /^[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]$/u,
};

function dependenciesOf({ resource }: DeployedResource): ReadonlySet<string> {
  return new Set(((resource['dependsOn'] ?? []) as readonly Json[]).map((id) => text(id)));
}

function parentOf({ resource }: DeployedResource): readonly string[] {
  const kinds = resource.type.split('/');
  const names = resource.name.split('/');
  return kinds.length > 2 && names.length > 1
    ? [text(functions['resourceId']?.(kinds.slice(0, -1).join('/'), ...names.slice(0, -1)))]
    : [];
}

function behind(
  id: string,
  before: ReadonlyMap<string, ReadonlySet<string>>,
  seen = new Set<string>(),
): ReadonlySet<string> {
  for (const next of before.get(id) ?? []) {
    if (!seen.has(next)) {
      seen.add(next);
      behind(next, before, seen);
    }
  }
  return seen;
}

function duplicates(values: readonly string[]): readonly string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
