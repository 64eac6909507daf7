import { beforeAll, describe, expect, it } from 'vitest';
import { deploy } from './deployment.ts';
import { edited, told, type Mistake } from './edited.ts';
import { hasSchemas, ResourceSchemas } from './schemas.ts';
import { exampleParameters, otherCloudParameters, template, type Template } from './template.ts';

const title = hasSchemas
  ? 'published schemas'
  : 'published schemas (skipped: set ARM_SCHEMAS to a folder with files of Azure/azure-resource-manager-schemas)';

/** What must be said, and about what mistake. */
const rows: readonly (readonly [problem: RegExp, ...mistakes: Mistake[]])[] = [
  // Unknown properties, at each depth
  [/httpOnly/u, { at: 'site: properties.httpOnly', to: true }],
  [/timezone/u, { at: 'site: properties.siteConfig.timezone', to: 'UTC' }],
  [
    /instanceMemoryMb/u,
    { at: 'site: properties.functionAppConfig.scaleAndConcurrency.instanceMemoryMb', to: 512 },
  ],
  [/allowBlobPublicAcces"/u, { at: 'hostAccount: properties.allowBlobPublicAcces', to: false }],
  [/retentionDays/u, { at: 'ledgerBlobs: properties.deleteRetentionPolicy.retentionDays', to: 3 }],
  [/query2/u, { at: 'lagAlert: properties.criteria.allOf.0.query2', to: 'traces' }],
  [/"scope"/u, { at: 'lagAlert: scope', to: 'x' }],
  [/dependOn/u, { at: 'site: dependOn', to: [] }],
  [/WorkspaceResourceID/u, { at: 'insights: properties.WorkspaceResourceID', to: 'x' }],
  [/principal"/u, { at: 'hostRole: properties.principal', to: 'x' }],
  [/"additionalProperty":"values"/u, { at: 'variables.settings.0.values', to: 'x' }],
  [/"additionalProperty":"allowed"/u, { at: 'scmPassword: properties.allowed', to: false }],
  // Values
  [/TLS9/u, { at: 'hostAccount: properties.minimumTlsVersion', to: 'TLS9' }],
  [
    /blobContainers/u,
    { at: 'site: properties.functionAppConfig.deployment.storage.type', to: 'blobContainers' },
  ],
  [
    /SystemIdentity/u,
    {
      at: 'site: properties.functionAppConfig.deployment.storage.authentication.type',
      to: 'SystemIdentity',
    },
  ],
  [/nodejs/u, { at: 'site: properties.functionAppConfig.runtime.name', to: 'nodejs' }],
  [
    /maximumInstanceCount must be integer/u,
    { at: 'site: properties.functionAppConfig.scaleAndConcurrency.maximumInstanceCount', to: '40' },
  ],
  [/BelowThan/u, { at: 'lagAlert: properties.criteria.allOf.0.operator', to: 'BelowThan' }],
  [/threshold must be number/u, { at: 'lagAlert: properties.criteria.allOf.0.threshold', to: '1' }],
  [/Standard_XRS/u, { at: 'ledgerAccount: sku.name', to: 'Standard_XRS' }],
  [/Robot/u, { at: 'hostRole: properties.principalType', to: 'Robot' }],
  [/Private/u, { at: 'ledgerContainer: properties.publicAccess', to: 'Private' }],
  [/days must be <= 365/u, { at: 'ledgerBlobs: properties.deleteRetentionPolicy.days', to: 366 }],
  [/reserved must be boolean/u, { at: 'plan: properties.reserved', to: 'yes' }],
  [/PerGB/u, { at: 'workspace: properties.sku.name', to: 'PerGB' }],
  // Required ones, types and versions
  [/required property 'roleDefinitionId'/u, { at: 'hostRole: properties.roleDefinitionId' }],
  [/required property 'Application_Type'/u, { at: 'insights: properties.Application_Type' }],
  [/required property 'name'/u, { at: 'hostAccount: sku.name' }],
  [/required property 'properties'/u, { at: 'site: properties' }],
  [/no schema for Microsoft\.Web\/site@/u, { at: 'site: type', to: 'Microsoft.Web/site' }],
  [/no schema for .*@2023-05-02/u, { at: 'hostAccount: apiVersion', to: '2023-05-02' }],
  // The template around them
  [/parameters\/leaseName .*minlength/u, { at: 'parameters.leaseName.minlength', to: 1 }],
  [/parameters\/leaseName\/type/u, { at: 'parameters.leaseName.type', to: 'text' }],
  [/outputs\/functionAppName .*'type'/u, { at: 'outputs.functionAppName.type' }],
  [/"additionalProperty":"resource"/u, { at: 'resource', to: [] }],
  [/contentVersion/u, { at: 'contentVersion', to: '1' }],
];

describe.skipIf(!hasSchemas)(title, () => {
  let schemas: ResourceSchemas;
  beforeAll(() => {
    schemas = new ResourceSchemas();
  });
  const problemsOf = (checked: Template): readonly string[] => [
    ...schemas.templateProblems(checked),
    ...schemas.problemsOf(deploy(checked, exampleParameters)),
    ...schemas.problemsOf(deploy(checked, otherCloudParameters)),
  ];

  it('have nothing against the template', () => {
    expect(problemsOf(template)).toEqual([]);
  });

  it.each(
    rows.map(([problem, ...mistakes]) => ({ problem, mistakes, what: mistakes.map(told).join() })),
  )('say $problem where $what', ({ problem, mistakes }) => {
    const problems = problemsOf(edited(template, ...mistakes));
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });
});
