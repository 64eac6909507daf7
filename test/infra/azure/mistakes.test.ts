import { expect, it } from 'vitest';
import { edited, told, type Mistake } from './edited.ts';
import { problemsOf } from './problems.ts';
import { template } from './template.ts';

const settingAt = (name: string): string => {
  const settings = template.variables['settings'] as readonly { readonly name: string }[];
  return `variables.settings.${settings.findIndex((setting) => setting.name === name)}`;
};
const condition = 'properties.criteria.allOf.0';
const query = `${condition}.query`;
const outcomes = "[concat(variables('outcomes'), ";

/** What must be said, and about what mistake. */
const rows: readonly (readonly [problem: RegExp, ...mistakes: Mistake[]])[] = [
  // Names
  [/variables: planName is not defined/u, { at: 'variables.planName' }],
  [/parameters: schedule is not defined/u, { at: 'parameters.schedule' }],
  [/variables: spare is not used/u, { at: 'variables.spare', to: 'x' }],
  [/parameters: spare is not used/u, { at: 'parameters.spare', to: { type: 'string' } }],
  [/unknown function resourceid/u, { at: 'variables.insightsId', to: "[resourceid('a/b', 'c')]" }],
  [/variables\.suffix: expected ,, found the end/u, { at: 'variables.suffix', to: "[guid('a']" }],
  [/refers to itself/u, { at: 'variables.suffix', to: "[concat(variables('suffix'), 'a')]" }],
  [/takes 2 names, not 1/u, { at: 'variables.functionAppId', to: "[resourceId('A.B/c/d', 'e')]" }],
  [/parameter billingStartFrom is given, but not/u, { at: 'parameters.billingStartFrom' }],
  [/parameter gatewayUrl has no description/u, { at: 'parameters.gatewayUrl.metadata' }],
  [/parameter catchUp: some is none of/u, { at: 'parameters.catchUp.defaultValue', to: 'some' }],
  [
    /leaseDurationSeconds: 14 is not within 15/u,
    { at: 'parameters.leaseDurationSeconds.defaultValue', to: 14 },
  ],
  [/two environments share .*\/scheduledQueryRules\/x/u, { at: 'lagAlert: name', to: 'x' }],
  [
    /tenure-production-.* is not \^/u,
    {
      at: 'variables.functionAppName',
      to: "[format('tenure-production-{0}-x', variables('suffix'))]",
    },
  ],
  // Types and what they need
  [/unknown type/u, { at: 'plan: type', to: 'Microsoft.Web/serverFarm' }],
  [/unknown apiVersion 2024-11-02/u, { at: 'site: apiVersion', to: '2024-11-02' }],
  [/runtime\.version is missing/u, { at: 'site: properties.functionAppConfig.runtime.version' }],
  [
    /storage\.value is missing/u,
    { at: 'site: properties.functionAppConfig.deployment.storage.value' },
  ],
  [/sku\.name is missing/u, { at: 'hostAccount: sku' }],
  [/location is missing/u, { at: 'workspace: location' }],
  [/criteria\.allOf is missing/u, { at: 'lagAlert: properties.criteria' }],
  [/WorkspaceResourceId is missing/u, { at: 'insights: properties.WorkspaceResourceId' }],
  // Order
  [/which is not in the template/u, { at: 'site: dependsOn.0', to: '/subscriptions/none' }],
  [/reads .*storageAccounts\/tenurehost\w+ without/u, { at: 'site: dependsOn.1' }],
  [/reads .*components\/.* without/u, { at: 'site: dependsOn.2' }],
  [
    /containers\/billing reads .*blobServices\/default without/u,
    { at: 'ledgerContainer: dependsOn' },
  ],
  [
    /which is not deployed/u,
    { at: 'ledgerRole: condition', to: true },
    {
      at: 'ledgerRole: properties.principalId',
      to: "[reference(variables('ledgerContainerId')).identity]",
    },
  ],
  // Keys, passwords and roles
  [
    /allowSharedKeyAccess is true/u,
    { at: 'hostAccount: properties.allowSharedKeyAccess', to: true },
  ],
  [/allowSharedKeyAccess is nothing/u, { at: 'ledgerAccount: properties.allowSharedKeyAccess' }],
  [
    /allowBlobPublicAccess is true/u,
    { at: 'ledgerAccount: properties.allowBlobPublicAccess', to: true },
  ],
  [
    /minimumTlsVersion is TLS1_0/u,
    { at: 'hostAccount: properties.minimumTlsVersion', to: 'TLS1_0' },
  ],
  [/publicAccess is Blob/u, { at: 'ledgerContainer: properties.publicAccess', to: 'Blob' }],
  [/httpsOnly is false/u, { at: 'site: properties.httpsOnly', to: false }],
  [/properties\.allow is true, not false/u, { at: 'scmPassword: properties.allow', to: true }],
  [
    /appSettings\.\d+\.value holds a key/u,
    { at: `${settingAt('GATEWAY_URL')}.value`, to: 'AccountKey=x' },
  ],
  [
    /too much: .* on .*storageAccounts\/tenurelease\w+$/mu,
    {
      at: 'ledgerRole: scope',
      to: "[resourceId('Microsoft.Storage/storageAccounts', variables('ledgerAccountName'))]",
    },
  ],
  [
    /too much: .* on \/subscriptions\/[\d-]+\/resourceGroups\/billing$/mu,
    { at: 'ledgerRole: scope', to: '[resourceGroup().id]' },
  ],
  [/missing: Storage Blob Data Contributor/u, { at: 'ledgerRole: condition', to: false }],
  [/too much: Storage Blob Data Contributor/u, { at: 'ledgerRole: condition', to: true }],
  [
    /too much: Storage Blob Data Owner on .*billing/u,
    {
      at: 'ledgerRole: properties.roleDefinitionId',
      to: "[variables('storageBlobDataOwnerRoleId')]",
    },
  ],
  [
    /unknown role b24988ac/u,
    {
      at: 'variables.storageBlobDataOwnerRoleId',
      to: "[subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'b24988ac-6180-42a0-ab88-20f7382dd24c')]",
    },
  ],
  [
    /for somebody else than the function/u,
    { at: 'hostRole: properties.principalId', to: '00000000-0000-0000-0000-000000000009' },
  ],
  [
    /isVersioningEnabled is not false/u,
    { at: 'ledgerBlobs: properties.isVersioningEnabled', to: true },
  ],
  [
    /deleteRetentionPolicy\.enabled is not true/u,
    { at: 'ledgerBlobs: properties.deleteRetentionPolicy' },
  ],
  // Settings
  [
    /setting LEASE_NAM is read by nobody/u,
    { at: `${settingAt('LEASE_NAME')}.name`, to: 'LEASE_NAM' },
  ],
  [/setting STORE is missing/u, { at: settingAt('STORE') }],
  [/setting AWS_ACCESS_KEY_ID is missing/u, { at: 'variables.awsSecretsGiven', to: false }],
  [/setting AWS_ACCESS_KEY_ID is read by nobody/u, { at: 'variables.awsSecretsGiven', to: true }],
  [
    /FUNCTIONS_WORKER_RUNTIME is not for Flex/u,
    { at: `${settingAt('LEASE_NAME')}.name`, to: 'FUNCTIONS_WORKER_RUNTIME' },
  ],
  [
    /setting LEASE_DURATION_MS has no text/u,
    { at: `${settingAt('LEASE_DURATION_MS')}.value`, to: 15_000 },
  ],
  // Alerts
  [/no alert asks for flapping/u, { at: 'flappingAlert: properties.criteria.allOf.0', to: {} }],
  [
    /asks for period_lag, which no outcome has/u,
    { at: `lagAlert: ${query}`, to: `${outcomes}' | where figures.period_lag < 1')]` },
  ],
  [/no alert fires on silence/u, { at: `lagAlert: ${condition}.operator`, to: 'GreaterThan' }],
  [
    /no alert fires on silence/u,
    {
      at: `lagAlert: ${query}`,
      to: `${outcomes}' | where todouble(figures.periodLagSeconds) > 86400')]`,
    },
  ],
  [
    /counts or joins by itself/u,
    {
      at: `unknownAlert: ${query}`,
      to: `${outcomes}' | summarize sum(todouble(figures.unknownItems))')]`,
    },
  ],
  [
    /a time that Azure Monitor does not offer/u,
    { at: 'failuresAlert: properties.windowSize', to: 'PT7M' },
  ],
  [/leaves gaps/u, { at: 'failuresAlert: properties.evaluationFrequency', to: 'PT1H' }],
  [
    /looks elsewhere/u,
    { at: 'failuresAlert: properties.scopes.0', to: "[variables('functionAppId')]" },
  ],
];

it.each(
  rows.map(([problem, ...mistakes]) => ({
    problem,
    mistakes,
    what: mistakes.map(told).join(', '),
  })),
)('$problem is said where $what', ({ problem, mistakes }) => {
  const problems = problemsOf(edited(template, ...mistakes));
  expect(problems).toContainEqual(expect.stringMatching(problem));
});
