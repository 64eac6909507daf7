import { isObject, text, type Json, type JsonObject } from './json.ts';
import type { Template } from './template.ts';

/**
 * One mistake: what stands at a place is replaced, or taken away.
 *
 * `at` is a path in the template, such as `variables.tags`, or in one of its resources, such as
 * `ledgerAccount: properties.allowSharedKeyAccess`.
 */
export interface Mistake {
  readonly at: string;
  /** Not given: what stands there is removed. */
  readonly to?: Json;
}

/** The resources of the template, by their type and a part of their name's expression. */
const resources: Readonly<Record<string, readonly [type: string, name: string]>> = {
  workspace: ['Microsoft.OperationalInsights/workspaces', 'workspaceName'],
  insights: ['Microsoft.Insights/components', 'insightsName'],
  hostAccount: ['Microsoft.Storage/storageAccounts', 'hostAccountName'],
  packageContainer: ['Microsoft.Storage/storageAccounts/blobServices/containers', 'hostAccount'],
  ledgerAccount: ['Microsoft.Storage/storageAccounts', 'ledgerAccountName'],
  ledgerBlobs: ['Microsoft.Storage/storageAccounts/blobServices', 'ledgerAccountName'],
  ledgerContainer: ['Microsoft.Storage/storageAccounts/blobServices/containers', 'ledgerAccount'],
  plan: ['Microsoft.Web/serverfarms', 'planName'],
  site: ['Microsoft.Web/sites', 'functionAppName'],
  scmPassword: ['Microsoft.Web/sites/basicPublishingCredentialsPolicies', '/scm'],
  hostRole: ['Microsoft.Authorization/roleAssignments', 'hostAccountId'],
  ledgerRole: ['Microsoft.Authorization/roleAssignments', 'ledgerContainerId'],
  lagAlert: ['Microsoft.Insights/scheduledQueryRules', 'no-completed-period'],
  failuresAlert: ['Microsoft.Insights/scheduledQueryRules', 'failures'],
  unknownAlert: ['Microsoft.Insights/scheduledQueryRules', 'unknown'],
  flappingAlert: ['Microsoft.Insights/scheduledQueryRules', 'flapping'],
};

/** A copy of the template with mistakes in it. @throws `Error` if a place is not there. */
export function edited(template: Template, ...mistakes: readonly Mistake[]): Template {
  const copy = structuredClone(template) as unknown as JsonObject;
  for (const mistake of mistakes) {
    const [path = '', key] = mistake.at.split(': ').toReversed();
    const steps = [...(key === undefined ? [] : resourceSteps(template, key)), ...path.split('.')];
    const last = steps.pop() ?? '';
    const holder = steps.reduce<Json>((found, step) => member(found, step, mistake.at), copy);
    const editable = holder as Record<string, Json>;
    if (mistake.to !== undefined) {
      editable[last] = mistake.to;
    } else if (last in editable) {
      if (Array.isArray(holder)) {
        holder.splice(Number(last), 1);
      } else {
        delete editable[last];
      }
    } else {
      throw new Error(`there is no ${mistake.at} to remove`);
    }
  }
  return copy as unknown as Template;
}

/** A mistake in words. */
export function told({ at, to }: Mistake): string {
  return to === undefined ? `${at} is removed` : `${at} is ${text(to)}`;
}

function resourceSteps(template: Template, key: string): readonly string[] {
  const [type, part] = resources[key] ?? [key, ''];
  const index = template.resources.findIndex(
    (resource) => resource.type === type && resource.name.includes(part),
  );
  return ['resources', String(index)];
}

function member(holder: Json, name: string, place: string): Json {
  const found =
    isObject(holder) || Array.isArray(holder) ? (holder as JsonObject)[name] : undefined;
  if (typeof found !== 'object' || found === null) {
    throw new Error(`there is no ${name} on the way to ${place}`);
  }
  return found;
}
