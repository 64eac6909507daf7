import { describe, expect, it } from 'vitest';
import {
  azureBillingSettings,
  azureVariables,
} from '../../../functions/config/billing-settings.ts';
import { deploy } from './deployment.ts';
import type { Json, JsonObject } from './json.ts';
import { functionSettings, hostSettings } from './settings.ts';
import { settingsOf } from './settings-checks.ts';
import { exampleParameters, otherCloudParameters, template } from './template.ts';

/** What the function makes of the settings that a deployment hands over. */
function read(parameters: JsonObject): ReturnType<typeof azureBillingSettings> {
  const settings = settingsOf(deploy(template, parameters));
  return azureBillingSettings(settings as Record<string, string>);
}

/** Each parameter of the template with each value on the edge of what it allows. */
const edges = Object.entries(template.parameters).flatMap(([name, definition]) =>
  [...(definition.allowedValues ?? []), definition.minValue, definition.maxValue]
    .filter((value): value is Json & {} => value !== undefined)
    .map((value) => [name, value] as const),
);

describe('settings of the template', () => {
  it('are all that the function reads, but for the budget that it derives', () => {
    const handed = [...functionSettings, ...hostSettings];
    expect(azureVariables.filter((name) => !handed.includes(name))).toEqual(['BUDGET_MS']);
    expect(functionSettings.filter((name) => !azureVariables.includes(name))).toEqual([]);
  });

  it('are understood by the function, with a store of its own', () => {
    const { ledgerAccountName } = deploy(template, exampleParameters).outputs;
    expect(read(exampleParameters)).toMatchObject({
      STORE: { kind: 'azure-blob', account: ledgerAccountName, container: 'billing' },
      LEASE_DURATION_MS: 15_000,
      GATEWAY_KEY_HONOURED_MS: 86_400_000,
      ENVIRONMENT: 'prod',
      budgetMs: 480_000,
      credential: { kind: 'managed-identity' },
    });
  });

  it('are understood by the function, with a store in the other cloud', () => {
    expect(read(otherCloudParameters)).toMatchObject({
      STORE: { kind: 'dynamodb', leaseTable: 'leases', chargesTable: 'charges' },
    });
    expect(() => read({ ...otherCloudParameters, awsAccessKeyIdSecretUri: '' })).toThrow(
      /AWS_ACCESS_KEY_ID/u,
    );
  });

  it.each(edges)('are understood with %s %j', (name, value) => {
    expect(() => read({ ...exampleParameters, [name]: value })).not.toThrow();
  });
});
