import { functions } from './arm-functions.ts';
import { functionPrincipalId, type Deployment } from './deployment.ts';
import { at, strings, text, type Json } from './json.ts';
import type { Resource } from './template.ts';

/**
 * The built-in roles of the template.
 *
 * @see https://learn.microsoft.com/azure/role-based-access-control/built-in-roles/storage
 */
const roleIds: Readonly<Record<string, string>> = {
  'Storage Blob Data Contributor': 'ba92f5b4-2d11-453d-a403-e96b0029c9fe',
  'Storage Blob Data Owner': 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b',
};

/** What each resource of a type must say. */
const mustBe: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  'Microsoft.Storage/storageAccounts': {
    'properties.allowSharedKeyAccess': false,
    'properties.allowBlobPublicAccess': false,
    'properties.allowCrossTenantReplication': false,
    'properties.isLocalUserEnabled': false,
    'properties.minimumTlsVersion': 'TLS1_2',
    'properties.supportsHttpsTrafficOnly': true,
  },
  'Microsoft.Storage/storageAccounts/blobServices/containers': {
    'properties.publicAccess': 'None',
  },
  'Microsoft.Web/sites': {
    'identity.type': 'SystemAssigned',
    'properties.httpsOnly': true,
    'properties.siteConfig.minTlsVersion': '1.2',
    'properties.functionAppConfig.deployment.storage.authentication.type': 'SystemAssignedIdentity',
  },
  'Microsoft.Web/sites/basicPublishingCredentialsPolicies': { 'properties.allow': false },
};

/** Keys, passwords and doors that are open. */
export function securityProblems({ resources }: Deployment): readonly string[] {
  const all = resources.map(({ resource }) => resource);
  return [
    ...all.flatMap((resource) =>
      Object.entries(mustBe[resource.type] ?? {})
        .filter(([path, value]) => at(resource, path) !== value)
        .map(
          ([path, value]) =>
            `${resource.name}: ${path} is ${text(at(resource, path))}, not ${text(value)}`,
        ),
    ),
    ...['scm', 'ftp']
      .filter((door) => all.every(({ name }) => !name.endsWith(`/${door}`)))
      .map((door) => `passwords for ${door} are not switched off`),
    ...all.flatMap((resource) =>
      [...strings(resource)]
        .filter(({ value }) => /AccountKey=|SharedAccessSignature=|[?&]sig=/u.test(value))
        .map(({ path }) => `${resource.name}: ${path} holds a key`),
    ),
  ];
}

/** Roles other than one on the host's account and one on the one container of the ledger. */
export function roleProblems({ resources }: Deployment): readonly string[] {
  const accounts = resources.filter(
    ({ resource }) => resource.type === 'Microsoft.Storage/storageAccounts',
  );
  const [host, ledger] = accounts.map(({ resource }) => resource);
  const expected = [
    ...(host === undefined ? [] : [['Storage Blob Data Owner', accountId(host)]]),
    ...(ledger === undefined ? [] : [['Storage Blob Data Contributor', containerId(ledger)]]),
  ].map((pair) => pair.join(' on '));
  const assignments = resources
    .map(({ resource }) => resource)
    .filter(({ type }) => type.startsWith('Microsoft.Authorization/'));
  const found = assignments.map(
    (assignment) =>
      `${roleName(text(at(assignment, 'properties.roleDefinitionId')))} on ${text(assignment['scope'])}`,
  );
  return [
    ...found.filter((role) => !expected.includes(role)).map((role) => `too much: ${role}`),
    ...expected.filter((role) => !found.includes(role)).map((role) => `missing: ${role}`),
    ...assignments
      .filter((assignment) => at(assignment, 'properties.principalId') !== functionPrincipalId)
      .map(({ name }) => `${name} is for somebody else than the function`),
  ];
}

/** What keeps the ledger: no versions, which take tokens back; soft delete, which saves entries. */
export function ledgerProblems({ resources }: Deployment): readonly string[] {
  const [, ledger] = resources
    .map(({ resource }) => resource)
    .filter(({ type }) => type === 'Microsoft.Storage/storageAccounts/blobServices');
  if (ledger === undefined) {
    return [];
  }
  const wanted: Readonly<Record<string, Json>> = {
    'properties.isVersioningEnabled': false,
    'properties.deleteRetentionPolicy.enabled': true,
    'properties.containerDeleteRetentionPolicy.enabled': true,
  };
  return Object.entries(wanted)
    .filter(([path, value]) => at(ledger, path) !== value)
    .map(([path, value]) => `${ledger.name}: ${path} is not ${text(value)}`);
}

function roleName(definitionId: string): string {
  const id = definitionId.slice(definitionId.lastIndexOf('/') + 1);
  const known = Object.entries(roleIds).find((role) => role[1] === id);
  return known?.[0] ?? `unknown role ${id}`;
}

function accountId({ name }: Resource): string {
  return text(functions['resourceId']?.('Microsoft.Storage/storageAccounts', name));
}

function containerId(account: Resource): string {
  return `${accountId(account)}/blobServices/default/containers/billing`;
}
