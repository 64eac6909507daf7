/** Version of the API and what must be given, by type of resource. */
export interface KnownType {
  readonly apiVersion: string;
  /** The published schemas leave most of these optional; Azure does not. */
  readonly required: readonly string[];
}

/** The only types that the template may have. */
export const knownTypes: Readonly<Record<string, KnownType>> = {
  'Microsoft.Authorization/roleAssignments': {
    apiVersion: '2022-04-01',
    required: [
      'scope',
      'properties.roleDefinitionId',
      'properties.principalId',
      'properties.principalType',
    ],
  },
  'Microsoft.Insights/components': {
    apiVersion: '2020-02-02',
    required: ['location', 'kind', 'properties.Application_Type', 'properties.WorkspaceResourceId'],
  },
  'Microsoft.Insights/scheduledQueryRules': {
    apiVersion: '2023-12-01',
    required: [
      'location',
      'properties.severity',
      'properties.enabled',
      'properties.scopes',
      'properties.evaluationFrequency',
      'properties.windowSize',
      'properties.criteria.allOf',
      'properties.actions.actionGroups',
    ],
  },
  'Microsoft.OperationalInsights/workspaces': {
    apiVersion: '2023-09-01',
    required: ['location', 'properties.sku.name', 'properties.retentionInDays'],
  },
  'Microsoft.Storage/storageAccounts': {
    apiVersion: '2023-05-01',
    required: ['location', 'kind', 'sku.name', 'properties.minimumTlsVersion'],
  },
  'Microsoft.Storage/storageAccounts/blobServices': { apiVersion: '2023-05-01', required: [] },
  'Microsoft.Storage/storageAccounts/blobServices/containers': {
    apiVersion: '2023-05-01',
    required: ['properties.publicAccess'],
  },
  'Microsoft.Web/serverfarms': {
    apiVersion: '2024-11-01',
    required: ['location', 'kind', 'sku.name', 'sku.tier', 'properties.reserved'],
  },
  'Microsoft.Web/sites': {
    apiVersion: '2024-11-01',
    required: [
      'location',
      'kind',
      'identity.type',
      'properties.serverFarmId',
      'properties.siteConfig.appSettings',
      'properties.functionAppConfig.deployment.storage.type',
      'properties.functionAppConfig.deployment.storage.value',
      'properties.functionAppConfig.deployment.storage.authentication.type',
      'properties.functionAppConfig.runtime.name',
      'properties.functionAppConfig.runtime.version',
      'properties.functionAppConfig.scaleAndConcurrency.instanceMemoryMB',
      'properties.functionAppConfig.scaleAndConcurrency.maximumInstanceCount',
    ],
  },
  'Microsoft.Web/sites/basicPublishingCredentialsPolicies': {
    apiVersion: '2024-11-01',
    required: ['properties.allow'],
  },
};
